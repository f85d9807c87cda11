"""LVM RAID over whole disks, with optional checksums of dm-integrity."""
