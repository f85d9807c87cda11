"""One block device that a RAID controller or another vendor's engine presents, used as an array."""
