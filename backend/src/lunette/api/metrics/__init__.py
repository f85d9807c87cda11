"""GET /metrics: the families, their values, and the names of what is measured."""
