"""zvols: block devices of a ZFS pool."""
