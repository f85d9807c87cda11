"""Interfaces, RDMA devices, nftables and the hosts on the wires."""
