"""Reads that change nothing: why a host does not see a volume, drift, layouts, host access."""
