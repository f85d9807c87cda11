"""A machine's port stays its own."""

from pathlib import Path

from tests.machines.sockets import free_port


def test_a_port_is_none_that_the_kernel_gives_to_connections() -> None:
    low = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    found = {free_port() for _ in range(50)}
    assert all(1024 < port < low for port in found)
    assert len(found) > 1
