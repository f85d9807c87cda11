"""Fibre Channel as the machine shows it."""
