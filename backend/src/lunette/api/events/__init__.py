"""The event log: its live stream, its filters, and its export."""
