"""Paths of hosts over TCP: which are up and answer, and blocking one of them for a test."""
