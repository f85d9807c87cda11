"""Which machine a test runs on in `make test`, and the appliance that the tests of the fabrics share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.fabric import Fabric, fabric_appliance


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`quick_on_uml`: what a test shows does not depend on the machine, so the emulated one is for `make test-full`."""
    for item in items:
        if item.get_closest_marker("quick_on_uml") and item.get_closest_marker("qemu"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def fabric() -> Iterator[Fabric]:
    """One appliance for the tests of NVMe, RDMA and Fibre Channel: each file clears away what it configured."""
    with fabric_appliance() as standing:
        yield standing
