"""The appliance that the tests of the fabrics share, and the guest of its hosts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.fabric import Fabric, fabric_appliance
from tests.initiators.nvme import NvmeInitiator


@pytest.fixture(scope="session")
def fabric() -> Iterator[Fabric]:
    """One appliance for the tests of NVMe, RDMA and Fibre Channel: each file clears away what it configured."""
    with fabric_appliance() as standing:
        yield standing


@pytest.fixture(scope="session")
def hosts(fabric: Fabric) -> Iterator[NvmeInitiator]:
    """One guest for the hosts of NVMe/TCP and RDMA: the files use names and addresses of their own."""
    with NvmeInitiator("hosts", fabric.cable) as guest:
        yield guest
