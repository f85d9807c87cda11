"""Plans for pools of ZFS."""
