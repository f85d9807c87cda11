"""Active alerts, and the queued messages about them."""
