"""LVM: groups, thin pools, RAID volumes and its commands."""
