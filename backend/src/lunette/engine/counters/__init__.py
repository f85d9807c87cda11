"""Counters of volumes, hosts and disks: rates, the last hour, and current use of volumes."""
