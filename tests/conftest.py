"""Which machine a test runs on in `make test`."""

from __future__ import annotations

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks that follow from others.

    `quick_on_uml`: what a test shows does not depend on the machine, so the emulated one is for `make test-full`.
    """
    for item in items:
        if item.get_closest_marker("quick_on_uml") and item.get_closest_marker("qemu"):
            item.add_marker(pytest.mark.slow)
