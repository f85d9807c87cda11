"""What one change costs is counted, not timed: SQL statements, and bytes to and from the agent, at two sizes of the
site.

System calls of the agent are counted in `agent/test_differences.py`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from sqlalchemy import event, select

from backend.tests.engine.conftest import ADMIN, Appliance
from lunette.domain.hosts import HostPatch
from lunette.domain.mappings import MappingCreate
from lunette.domain.sizes import MIB
from lunette.engine.changes import hosts, mappings
from lunette.engine.exports.reconciler import Reconciler
from lunette.store.database import Store
from lunette.store.resources import Mapping, Volume

SIZES = (2, 8, 120)
"""The first is not compared: after it the host has used every number that it will use."""
VOLUME_BYTES = 4 * MIB


class Cost(NamedTuple):
    statements: int
    wire_bytes: int
    """Of requests to the agent and of its answers."""


@contextmanager
def statements(store: Store) -> Iterator[list[str]]:
    found: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        found.append(statement)

    event.listen(store.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(store.engine, "before_cursor_execute", note)


def exchanged(appliance: Appliance, reconciler: Reconciler, monkeypatch: pytest.MonkeyPatch) -> int:
    """Bytes of the requests of one round, and of their answers."""
    total = 0
    ask = appliance.agent.ask

    def counting(request: Any) -> Any:
        nonlocal total
        answer = ask(request)
        total += len(request.model_dump_json()) + (len(answer.model_dump_json()) if answer else 0)
        return answer

    monkeypatch.setattr(appliance.agent, "ask", counting)
    reconciler.round()
    monkeypatch.undo()
    return total


def map_one(appliance: Appliance) -> None:
    appliance.map(MappingCreate(volume="spare", host="h0"))


def unmap_one(appliance: Appliance) -> None:
    with appliance.store.write() as tx:
        found = tx.scalars(select(Mapping.id).join(Volume).where(Volume.name == "spare")).one()
        mappings.delete(appliance.control.change(tx, ADMIN), found)


def set_os(appliance: Appliance, os_type: str) -> None:
    with appliance.store.write() as tx:
        hosts.patch(appliance.control.change(tx, ADMIN), "h0", HostPatch.model_validate({"os_type": os_type}))


CHANGES: dict[str, Callable[[Appliance], None]] = {
    "one more mapping": map_one,
    "one fewer mapping": unmap_one,
    "another operating system": lambda appliance: set_os(appliance, "esxi"),
    "the former operating system": lambda appliance: set_os(appliance, "linux"),
}


def test_one_change_costs_the_same_however_many_volumes_are_mapped(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    reconciler = Reconciler(appliance.store, appliance.agent)
    appliance.array()
    appliance.portal()
    appliance.host("h0")
    appliance.volumes("spare", "first", size=VOLUME_BYTES)
    appliance.map(MappingCreate(volume="first", host="h0"))
    costs: dict[str, list[Cost]] = {name: [] for name in CHANGES}
    for size in SIZES:
        names = [f"v{size}-{number}" for number in range(size)]
        appliance.volumes(*names, size=VOLUME_BYTES)
        appliance.host(f"h{size}")
        appliance.map(*(MappingCreate(volume=name, host=f"h{size}") for name in names))
        reconciler.round()
        for name, change in CHANGES.items():
            reconciler.round()
            with statements(appliance.store) as asked:
                change(appliance)
                wire_bytes = exchanged(appliance, reconciler, monkeypatch)
            costs[name].append(Cost(len(asked), wire_bytes))
    for name, (_, small, large) in costs.items():
        assert small.wire_bytes > 0, name
        assert large.statements == small.statements, name
        assert abs(large.wire_bytes - small.wire_bytes) < 16, f"{name}: but for digits of numbers"
