"""SPDK's NVMe target, a program in user space, through its JSON-RPC socket."""
