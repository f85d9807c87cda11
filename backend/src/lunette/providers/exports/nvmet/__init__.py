"""The kernel's NVMe target, through configfs."""
