"""Undoes a change of the log by a new change (decision 0022)."""
