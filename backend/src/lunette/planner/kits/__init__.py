"""Setup kits: pure functions from what is known of a host to its files, commands and check script."""
