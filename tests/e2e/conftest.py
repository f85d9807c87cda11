"""The appliances that tests share, one on QEMU and one on user-mode Linux, and the guest of QEMU's hosts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.fabric import Fabric, fabric_appliance
from tests.initiators.nvme import NvmeInitiator
from tests.lab.appliance import Appliance, appliance
from tests.machines.images import zfs_image
from tests.machines.uml import Uml

DISKS = 7
DISK_MIB = 512


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A power cut of the appliance that tests share comes last: the cable to the hosts' guest does not survive it."""
    items.sort(key=lambda item: "fabric" in getattr(item, "fixturenames", ()) and _cuts_power(item))


def _cuts_power(item: pytest.Item) -> bool:
    return item.get_closest_marker("power_cut") is not None


@pytest.fixture(scope="session")
def fabric(request: pytest.FixtureRequest) -> Iterator[Fabric]:
    """One appliance for the fabrics, a power cut and a ZFS pool: each file clears away what it configured."""
    if any(item.get_closest_marker("zfs") for item in request.session.items):
        zfs_image()  # it boots with the modules or never has them
    with fabric_appliance() as standing:
        yield standing


@pytest.fixture(scope="session")
def native() -> Iterator[Appliance]:
    """One appliance on user-mode Linux for what leaves it in order: each file has its disks, hosts and array's name."""
    with appliance(Uml("native", disks=DISKS, disk_mib=DISK_MIB)) as made:
        yield made


@pytest.fixture(scope="session")
def hosts(fabric: Fabric) -> Iterator[NvmeInitiator]:
    """One guest for the hosts of NVMe/TCP and RDMA: the files use names and addresses of their own."""
    with NvmeInitiator("hosts", fabric.cable) as guest:
        yield guest
