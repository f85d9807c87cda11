"""The root process: the only one that changes the machine, and only through a closed set of requests."""
