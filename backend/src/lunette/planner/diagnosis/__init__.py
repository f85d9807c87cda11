"""Interprets observations: why a host does not see a volume, its paths, and drift."""
