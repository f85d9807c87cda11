"""LVM: one volume group per array, one logical volume per volume."""
