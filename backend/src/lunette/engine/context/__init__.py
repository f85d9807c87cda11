"""The context of every change: identities, the observed machine, rows by name, the actor, and the clock."""
