"""Volume engines: slices of an array."""
