"""Pure functions from desired state, observation and request to a plan. Every new identity is chosen here."""
