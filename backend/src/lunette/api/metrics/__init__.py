"""GET /metrics: the families, their values, and the names of measured objects."""
