"""Plans for single disks: locating and wiping."""
