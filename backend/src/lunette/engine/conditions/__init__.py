"""Conditions that raise alerts, each judged from what the machine reports."""
