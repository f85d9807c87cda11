"""What carries exports to the hosts: RDMA devices."""
