"""Which engine plans what: the pure halves of the providers behind one protocol each."""
