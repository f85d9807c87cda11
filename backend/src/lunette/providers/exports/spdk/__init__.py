"""SPDK's NVMe target, a process in user space, through its JSON-RPC socket."""
