"""Linux MD (mdadm): RAID 0, 1, 5, 6 and 10."""
