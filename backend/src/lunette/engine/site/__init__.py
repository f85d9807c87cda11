"""Site documents: compared, planned and applied as one job (decision 0010)."""
