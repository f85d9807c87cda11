"""Counters of volumes, hosts and disks: rates, the last hour, and who uses a volume now."""
