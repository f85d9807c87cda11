"""The root process: the only one that touches the machine, for a closed set of requests."""
