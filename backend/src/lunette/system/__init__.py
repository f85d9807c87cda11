"""The only access to the machine: its protocol, the real one, and the thin client that asks the root agent."""
