"""What every request passes through: the guard, one transaction, lookups, plans and jobs."""
