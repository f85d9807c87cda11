"""NVMe targets: the kernel's and SPDK's."""
