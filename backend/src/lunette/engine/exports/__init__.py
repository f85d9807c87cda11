"""Exports: the document the agent converges to, and the loop that sends it."""
