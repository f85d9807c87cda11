"""Changes, jobs and reconciliation: everything that happens between a request and the agent."""
