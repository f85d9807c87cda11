"""Undo: what changes keep of how it was, and the change that brings it back (decision 0022)."""
