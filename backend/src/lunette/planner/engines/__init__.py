"""Which engine plans what: one folder for each array engine, and the tables of all engines."""
