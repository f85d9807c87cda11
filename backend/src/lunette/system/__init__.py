"""The only doorway to the machine: one protocol, and the thin client that carries requests to the root agent."""
