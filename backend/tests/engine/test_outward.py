"""What the appliance connects to when a user names a web server."""

import socket
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import pytest

from lunette.engine.notifications import outward


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.9.9.9",
        "0.0.0.0",
        "169.254.169.254",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "fe80::1",
        "fe80::1%eth0",
        "ff02::1",
    ],
)
def test_what_only_this_machine_or_one_link_reaches_is_forbidden(address: str) -> None:
    assert not outward.is_allowed(address)


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.51.100.1", "fd00::1", "2001:db8::1", "64:ff9b::a00:1"],
)
def test_private_and_public_networks_are_allowed(address: str) -> None:
    assert outward.is_allowed(address)


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Of all the loopback, only this one's address is forbidden."""
    monkeypatch.setattr(outward, "FORBIDDEN", (ip_network("127.0.0.2"),))
    with socket.create_server(("127.0.0.2", 0)) as made:
        made.settimeout(0.2)
        yield made


def answers(*addresses: str, port: int) -> list[Any]:
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]


def test_a_name_that_resolves_to_another_address_a_moment_later_is_not_used(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, resolve, asked = listener.getsockname()[1], socket.getaddrinfo, []

    def rebinding(host: str, *given: Any, **named: Any) -> Any:
        if host != "bundles.example":
            return resolve(host, *given, **named)
        asked.append(host)
        return answers("127.0.0.1" if len(asked) == 1 else "127.0.0.2", port=port)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with pytest.raises(ConnectionRefusedError):
        outward.connect(("bundles.example", port), 5)
    assert asked == ["bundles.example"]
    with pytest.raises(outward.Forbidden):
        outward.connect(("bundles.example", port), 5)
    with pytest.raises(TimeoutError):
        listener.accept()


def test_of_several_addresses_the_allowed_ones_are_tried(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.3", 0)) as other:
        port, resolve = other.getsockname()[1], socket.getaddrinfo

        def several(host: str, *given: Any, **named: Any) -> Any:
            if host != "bundles.example":
                return resolve(host, *given, **named)
            return answers("127.0.0.2", "127.0.0.1", "127.0.0.3", port=port)

        monkeypatch.setattr(socket, "getaddrinfo", several)
        with outward.connect(("bundles.example", port), 5) as made:
            assert made.getpeername()[0] == "127.0.0.3"
