"""Delivers alerts by mail, webhook and syslog."""
