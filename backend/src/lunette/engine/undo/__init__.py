"""Undoes a recorded change by a new change (decision 0022)."""
