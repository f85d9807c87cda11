"""Jobs as rows: filed with their steps, and every transition a transaction."""
