"""Fabrics for exports, as the machine shows them: RDMA devices and Fibre Channel ports."""
