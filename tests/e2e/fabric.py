"""The appliance on QEMU that tests share: with a boot and a first login for each they would take minutes longer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lunette.client import Client
from tests.lab.appliance import Appliance, appliance
from tests.machines.qemu import Qemu
from tests.machines.qemu_command import cable_ends
from tests.machines.sockets import free_port

ARRAY = "shelf"
MEMBERS = 3
"""NVMe disks of `ARRAY`; as many follow that are blank."""


@dataclass(frozen=True)
class Fabric:
    """The appliance, with `ARRAY` on its first NVMe disks, the other disks blank, and the free end of its cable."""

    appliance: Appliance
    cable: str

    @contextmanager
    def cleared(self) -> Iterator[Appliance]:
        """The appliance; after the block nothing is exported any more. Volumes stay."""
        try:
            yield self.appliance
        finally:
            client = self.appliance.client
            for noun, key in (("mappings", "id"), ("hosts", "name"), ("portals", "name"), ("fc-ports", "wwpn")):
                for one in [*client.list(f"/{noun}")]:
                    if noun != "fc-ports" or one["mode"] == "target":
                        used = [one["volume"]] if noun == "mappings" else []
                        client.delete(f"/{noun}/{one[key]}", confirm=used)

    def volumes(self, pattern: str, count: int, size: str, array: str = ARRAY) -> None:
        """Makes volumes of one size in one job; `pattern` as in "lun%02d"."""
        client = self.appliance.client
        spec = {"name_pattern": pattern, "count": count, "array": array, "size_bytes": size}
        client.wait(client.post("/volumes:create-batch", spec))


def volumes_of(client: Client, host: str) -> list[str]:
    """Names of the volumes that are mapped to a host: what is confirmed where it is to lose them while it uses them."""
    return [str(mapping["volume"]) for mapping in client.list("/mappings", host=host)]


@contextmanager
def fabric_appliance() -> Iterator[Fabric]:
    """A fresh appliance for all of them, whose drives lose at a power cut what was not flushed."""
    ours, theirs = cable_ends(free_port())
    machine = Qemu("fabric", nvme=2 * MEMBERS, scsi=2, disk_mib=512, cpus=1, cable=ours, power_cut=True)
    with appliance(machine) as made:
        client, disks = made.client, made.disk_ids("nvme")[:MEMBERS]
        spec = {"name": ARRAY, "engine": "md", "level": "raid5", "disks": disks}
        client.wait(client.post("/arrays", spec))
        yield Fabric(made, theirs)
