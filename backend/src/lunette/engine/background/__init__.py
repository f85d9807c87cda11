"""Work without a request: watching, growing, scheduling, erasing, sealing."""
