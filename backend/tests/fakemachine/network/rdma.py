"""RDMA devices and the listeners of the kernel's connection manager.

Rules of drivers/infiniband/core/cma.c and of the two targets on it (Linux 6.12):
* listening needs the target's module (EINVAL), an address the machine has (EADDRNOTAVAIL), on a device (ENODEV), and a
  port that is free (EADDRINUSE); the wildcard needs none of the addresses.
* removing a device removes the listeners on its addresses without notice, and they do not come back with the device;
  only those on the wildcard do.
"""

import errno
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from backend.tests.fakemachine.files.configfs import refuse
from backend.tests.fakemachine.md.manage import Answer

ISERT, NVMET = "ib_isert", "nvmet_rdma"


@dataclass
class FakeRdmaDevice:
    """One device with one port; its GIDs are made of `addresses`, after the one it has without any."""

    name: str
    interface: str
    addresses: Sequence[str]
    state: str = "4: ACTIVE"

    def files(self) -> dict[str, str]:
        """Its files below /sys/class/infiniband."""
        gids = ["fe80:0000:0000:0000:5054:00ff:fe4c:5502", *map(_gid, self.addresses), ":".join(["0000"] * 8)]
        port = f"{self.name}/ports/1"
        found = {
            f"{self.name}/node_type": "1: CA",
            f"{self.name}/fw_ver": "",
            f"{self.name}/parent": self.interface,
            f"{self.name}/node_guid": "5054:00ff:fe4c:5502",
            f"{port}/state": self.state,
            f"{port}/phys_state": "5: LinkUp" if "ACTIVE" in self.state else "3: Disabled",
            f"{port}/link_layer": "Ethernet",
            f"{port}/rate": "10 Gb/sec (1X QDR)",
        }
        found |= {f"{port}/hw_counters/rcvd_pkts": "7", f"{port}/hw_counters/sent_pkts": "9"}  # soft RoCE has no others
        for index, gid in enumerate(gids):
            found[f"{port}/gids/{index}"] = gid
            if gid.strip("0:"):
                found[f"{port}/gid_attrs/types/{index}"] = "RoCE v2"
                found[f"{port}/gid_attrs/ndevs/{index}"] = self.interface
        return {path: f"{text}\n" for path, text in found.items()}


class RdmaCore:
    """Devices, and who listens. `request` loads a module and tells whether it is there."""

    def __init__(self, addresses: set[str], request: Callable[[str], bool]) -> None:
        self._addresses, self._request = addresses, request
        self.devices: dict[str, FakeRdmaDevice] = {}
        self._listeners: set[tuple[str, int]] = set()

    def plug(self, device: FakeRdmaDevice) -> None:
        self.devices[device.name] = device

    def unplug(self, name: str) -> None:
        gone = self.devices.pop(name)
        self._listeners = {(a, port) for a, port in self._listeners if a not in gone.addresses}

    def reboot(self) -> None:
        """The cards are still there, and nothing listens."""
        self._listeners.clear()

    @property
    def listeners(self) -> list[tuple[str, int]]:
        """Where connections are accepted."""
        return sorted(one for one in self._listeners if self.is_heard(*one))

    def listen(self, address: str, port: int, module: str) -> None:
        if not self._request(module):
            raise refuse(errno.EINVAL)
        if not ip_address(address).is_unspecified:
            if address not in self._addresses:
                raise refuse(errno.EADDRNOTAVAIL)
            if not any(address in device.addresses for device in self.devices.values()):
                raise refuse(errno.ENODEV)
        if (address, port) in self._listeners:
            raise refuse(errno.EADDRINUSE)
        self._listeners.add((address, port))

    def close(self, address: str, port: int) -> None:
        self._listeners.discard((address, port))

    def is_heard(self, address: str, port: int) -> bool:
        return (address, port) in self._listeners and bool(self.devices)

    def resources(self, argv: Sequence[str]) -> Answer:
        """`rdma -j resource show cm_id`: a listener on the wildcard is listed once for each device."""
        if list(argv[1:]) != ["-j", "resource", "show", "cm_id"]:
            return 1, "", f"fake rdma knows no {' '.join(argv[1:])}\n"
        reported = [
            {
                "ifname": device.name,
                "port": 1,
                "cm-idn": index,
                "state": "LISTEN",
                "ps": "TCP",
                "comm": "ib_isert",
                "src-addr": f"{address}:{port}",
            }
            for index, (address, port) in enumerate(sorted(self._listeners))
            for device in self.devices.values()
            if address in device.addresses or ip_address(address).is_unspecified
        ]
        return 0, f"{json.dumps(reported)}\n", ""


def _gid(address: str) -> str:
    found = ip_address(address)
    return (found if isinstance(found, IPv6Address) else IPv6Address(f"::ffff:{address}")).exploded


class IserListeners:
    """The iSER side of LIO's portals. All targets share the listener of an address: the first makes it."""

    def __init__(self, core: RdmaCore) -> None:
        self._core = core
        self._users: dict[tuple[str, int], int] = {}

    def take(self, address: str, port: int) -> None:
        if not self._users.get((address, port)):
            self._core.listen(address, port, ISERT)
        self._users[address, port] = self._users.get((address, port), 0) + 1

    def leave(self, address: str, port: int) -> None:
        self._users[address, port] -= 1
        if not self._users[address, port]:
            self._core.close(address, port)

    def is_heard(self, address: str, port: int) -> bool:
        return self._core.is_heard(address, port)
