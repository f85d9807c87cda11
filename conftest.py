"""For every test of the repository: how long it may take today, and what is not looked through for garbage."""

from __future__ import annotations

import gc

import pytest

from tests.machines.pace import native


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The timeouts of markers follow the pace, as the one of pytest.toml does in a run by the environment."""
    for item in items:
        if limit := item.get_closest_marker("timeout"):
            reported = {**dict(zip(("timeout", "method"), limit.args, strict=False)), **limit.kwargs}
            reported["timeout"] = float(reported["timeout"]) * native()
            item.add_marker(pytest.mark.timeout(**reported), append=False)


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: not to look through it again and again saves a sixth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
