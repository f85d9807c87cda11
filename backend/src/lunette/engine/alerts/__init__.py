"""The alerts that are active, and the messages about them that are on their way."""
