"""Runs jobs from the journal, and resolves those that are stuck."""
