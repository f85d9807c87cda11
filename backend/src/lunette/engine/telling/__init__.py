"""Tells people and machines of alerts, by mail, webhook and syslog."""
