"""OpenZFS pools: stripe, mirror and RAID-Z, one vdev each."""
