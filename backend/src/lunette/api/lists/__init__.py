"""Pages of lists and their name filters."""
