"""The common parts of every request: the guard, one transaction, lookups, plans and jobs."""
