"""Export engines: how hosts reach volumes."""
