"""What every change has at hand: identities, the snapshot of the machine, rows by name, who asks, and the clock."""
