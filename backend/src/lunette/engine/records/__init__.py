"""What a change records so that it can be undone."""
