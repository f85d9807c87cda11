"""Volume engines: volumes on an array."""
