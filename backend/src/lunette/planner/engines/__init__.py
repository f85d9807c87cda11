"""Which engine plans what: one package for each array engine, and the tables of all engines."""
