"""zvols: block devices cut from a ZFS pool."""
