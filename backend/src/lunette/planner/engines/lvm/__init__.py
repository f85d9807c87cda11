"""Plans for arrays of LVM RAID."""
