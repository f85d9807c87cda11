"""The appliance that the tests of the fabrics share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.fabric import Fabric, fabric_appliance


@pytest.fixture(scope="session")
def fabric() -> Iterator[Fabric]:
    """One appliance for the tests of NVMe, RDMA and Fibre Channel: each file clears away what it configured."""
    with fabric_appliance() as standing:
        yield standing
