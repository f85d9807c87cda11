"""What carries exports to the hosts, as the machine shows it: RDMA devices and Fibre Channel ports."""
