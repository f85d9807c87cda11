"""Plans for single disks: the locate LED, and the end of what is on a disk."""
