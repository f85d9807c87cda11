"""Which machine a test runs on in `make test`, and how long it may take today."""

from __future__ import annotations

import pytest

from tests.machines.pace import native


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks and timeouts that follow from others.

    `quick_on_uml`: what a test shows does not depend on the machine, so the emulated one is for `make test-full`.
    """
    for item in items:
        if item.get_closest_marker("quick_on_uml") and item.get_closest_marker("qemu"):
            item.add_marker(pytest.mark.slow)
        limit = item.get_closest_marker("timeout")
        if limit is not None and limit.args:
            item.add_marker(pytest.mark.timeout(float(limit.args[0]) * native()), append=False)
