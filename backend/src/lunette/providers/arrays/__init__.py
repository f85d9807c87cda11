"""Array engines: redundancy over disks."""
