"""The agent is killed at every call while it opens or closes exports: afterwards they are as wanted.

And at no moment was a target open that lacked one of its volumes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend.tests.faults.harness import bystanders, counted, sample, world_from
from backend.tests.faults.picture import Picture, differences
from backend.tests.faults.test_job_faults import show
from backend.tests.faults.world import ACTOR, World, give_host
from backend.tests.wiring_agent import Ending
from lunette.domain.errors import LunetteError
from lunette.store.resources import Mapping
from lunette.system.fake import Call, FakeSystem, When

NAMES = tuple(f"v{number}" for number in range(1, 9))
HOSTS = ("carol", "dave")
LOOKS = 4
Change = Callable[[World], None]


@dataclass(frozen=True)
class Round:
    """A round of converging that nothing disturbs: its calls, and what there is after it."""

    calls: list[Call]
    after: Picture


def map_all(world: World) -> None:
    """Eight volumes for each of two hosts."""
    for index, host in enumerate(HOSTS):
        give_host(world, host, [f"{host[0]}{name}" for name in NAMES] if index else [f"c{name}" for name in NAMES])


def unmap_half(world: World) -> None:
    """The first host loses its last four volumes."""
    with world.store.read() as tx:
        rows = tx.query(Mapping).filter(Mapping.lun > 4).order_by(Mapping.host_id, Mapping.lun).all()
    for row in rows[:4]:
        world.ask(lambda tx, row=row: world.control.delete_mapping(tx, ACTOR, row.id))  # type: ignore[misc]


@contextmanager
def prepared(template: Path, *, mapped: bool) -> Iterator[World]:
    with world_from(template) as world:
        names = [f"{host[0]}{name}" for host in HOSTS for name in NAMES]
        world.finish(world.create_volumes("tank", *names).job_id or "")
        if mapped:
            map_all(world)
        world.settle()
        yield world


@pytest.fixture(params=[map_all, unmap_half], ids=["open", "close"])
def change(request: pytest.FixtureRequest) -> Change:
    found: Change = request.param
    return found


def undisturbed(template: Path, change: Change) -> Round:
    with prepared(template, mapped=change is unmap_half) as world:
        change(world)
        first = len(world.machine.faults.calls)
        world.converge()
        calls = counted(world.machine.faults.calls, first)
        world.settle()
        assert bystanders(world) == []
        return Round(calls, world.machine_picture())


def watch_doors(machine: FakeSystem, found: list[str]) -> None:
    """Note every moment at which an open portal group lacks a LUN, or one of its hosts the mapping of it."""

    def look() -> None:
        fabric = machine.target.root.children.get("iscsi") if machine.target else None
        for target in fabric.children.values() if fabric else ():
            for tpg in target.children.values():
                if tpg.kind != "tpg" or machine.vfs.read(f"/sys/kernel/config/{tpg.path()}/enable") != "1\n":
                    continue
                luns = {name for name, lun in tpg.children["lun"].children.items() if lun.links}
                for acl in tpg.children["acls"].children.values():
                    mapped = {name for name, lun in acl.children.items() if lun.kind == "mapped_lun" and lun.links}
                    if mapped != luns or len(luns) not in (1, 4, 5, 6, 7, 8):
                        found.append(f"{target.name} is open with {sorted(luns)} and {sorted(mapped)} mapped")

    machine.watchers.append(look)


def strike(template: Path, change: Change, wanted: Picture, fault: tuple[int, When, Ending | None]) -> list[str]:
    """One world, one fault in its round; what was wrong then or afterwards."""
    number, when, ending = fault
    with prepared(template, mapped=change is unmap_half) as world:
        change(world)
        found: list[str] = []
        if change is map_all:
            watch_doors(world.machine, found)
        world.agent.ending = ending or Ending.RESTART
        (world.machine.faults.crash_at if ending else world.machine.faults.fail_at)(number, when)
        try:
            world.converge()
            world.settle()
        except (AssertionError, LunetteError) as error:
            found.append(str(error))
        found += differences(wanted, world.machine_picture())
        found += bystanders(world)
        return [f"{ending or 'fail'} {when} {number}: {line}" for line in found]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("when", "ending", "stride"),
    [
        (When.BEFORE, None, 11),
        (When.AFTER, Ending.RESTART, 7),
        (When.DURING, Ending.REBOOT, 23),
        (When.AFTER, Ending.POWER_CUT, 23),
        (When.AFTER, Ending.LATE_DRIVE, 41),
    ],
)
def test_exports_are_as_wanted_after_a_fault(
    template: Path, change: Change, when: When, ending: Ending | None, stride: int
) -> None:
    plain = undisturbed(template, change)
    numbers = sample(plain.calls, LOOKS)[::stride]
    violations = [line for number in numbers for line in strike(template, change, plain.after, (number, when, ending))]
    assert not violations, show(violations)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("ending", [None, *Ending])
@pytest.mark.parametrize("when", list(When))
def test_exports_are_as_wanted_after_a_fault_at_any_call(
    template: Path, change: Change, when: When, ending: Ending | None
) -> None:
    plain = undisturbed(template, change)
    violations = [
        line for call in plain.calls for line in strike(template, change, plain.after, (call.number, when, ending))
    ]
    assert not violations, show(violations)
