"""Writes the modules of the collection from the API document."""
