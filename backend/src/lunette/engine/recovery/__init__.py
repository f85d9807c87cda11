"""Restores a backup, and rebuilds a lost database from the data disks."""
