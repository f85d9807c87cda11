"""Linux software RAID and mdadm."""
