"""The agent is killed at every call while it opens or closes exports: afterwards they are as wanted.

And at no moment was a target open that lacked one of its volumes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend.tests.agent.exports import dhchap_key
from backend.tests.faults.branches import in_a_branch
from backend.tests.faults.harness import bystanders, counted, every, sample, world_from
from backend.tests.faults.picture import Picture, differences
from backend.tests.faults.test_job_faults import show
from backend.tests.faults.world import ACTOR, World, give_host, give_nvme_host, nqn
from backend.tests.wiring_agent import Ending
from lunette.store.resources import Mapping
from lunette.system.fake import Call, FakeSystem, When
from lunette.system.fake.nvmet import Refuse

NAMES = tuple(f"v{number}" for number in range(1, 9))
HOSTS = ("carol", "dave")
LOOKS = 4
Change = Callable[[World], None]


@dataclass(frozen=True)
class Scene:
    """A world in which a change is made and not converged yet, with what a round that nothing disturbs comes to."""

    world: World
    calls: list[Call]
    after: Picture
    doors: list[str]
    """What was seen to be wrong while the targets opened."""


def map_all(world: World) -> None:
    """Eight volumes for each of two hosts, over iSCSI and over NVMe."""
    for host, give in zip(HOSTS, (give_host, give_nvme_host), strict=True):
        give(world, host, [f"{host[0]}{name}" for name in NAMES])


def unmap_half(world: World) -> None:
    """Both hosts lose their last four volumes."""
    with world.store.read() as tx:
        rows = tx.query(Mapping).filter(Mapping.lun > 4).order_by(Mapping.host_id, Mapping.lun).all()
    for row in rows:
        world.ask(lambda tx, row=row: world.control.delete_mapping(tx, ACTOR, row.id))  # type: ignore[misc]


@pytest.fixture(scope="module", params=[map_all, unmap_half], ids=["open", "close"])
def scene(request: pytest.FixtureRequest, template: Path) -> Iterator[Scene]:
    change: Change = request.param
    with prepared(template, change) as world:
        first = len(world.machine.faults.calls)
        world.converge()
        calls = counted(world.machine.faults.calls, first)
        world.settle()
        assert bystanders(world) == []
        after = world.machine_picture()
    with prepared(template, change) as world:
        yield Scene(world, calls, after, watch_doors(world.machine) if change is map_all else [])


@contextmanager
def prepared(template: Path, change: Change) -> Iterator[World]:
    with world_from(template) as world:
        names = [f"{host[0]}{name}" for host in HOSTS for name in NAMES]
        world.finish(world.create_volumes("tank", *names).job_id or "")
        if change is unmap_half:
            map_all(world)
        world.settle()
        change(world)
        yield world


def watch_doors(machine: FakeSystem) -> list[str]:
    """Notes every moment at which an open portal group lacks a LUN, or one of its hosts the mapping of it."""
    seen: list[str] = []

    def look() -> None:
        fabric = machine.target.root.children.get("iscsi") if machine.target else None
        for target in fabric.children.values() if fabric else ():
            for tpg in target.children.values():
                if tpg.kind != "tpg" or machine.vfs.read(f"/sys/kernel/config/{tpg.path()}/enable") != "1\n":
                    continue
                luns = {name for name, lun in tpg.children["lun"].children.items() if lun.links}
                acls = tpg.children["acls"].children.values()
                mapped = [{name for name, lun in acl.children.items() if lun.links} for acl in acls]
                if len(luns) not in (1, len(NAMES)) or any(names != luns for names in mapped):
                    seen.append(f"{target.name} is open with {sorted(luns)}, and {mapped} mapped")

    def look_over_nvme() -> None:
        """What the host over NVMe finds if it connects now. A refusal for good is one too many, once it is let in."""
        subsystems = machine.nvme.subsystems.children if machine.nvme else {}
        for name in subsystems:
            try:
                controller = machine.connect(nqn(HOSTS[1]), name, "192.0.2.1:4420", (dhchap_key(1), None))
            except ConnectionError:
                continue
            except Refuse as refusal:
                if not refusal.retries:
                    seen.append(f"{name} tells {refusal}")
                continue
            assert machine.nvme
            found = machine.nvme.devices(controller)
            machine.nvme.controllers.remove(controller)
            if len(found) != len(NAMES):
                seen.append(f"{name} is open with namespaces {sorted(found)}")

    machine.watchers += [look, look_over_nvme]
    return seen


def strike(scene: Scene, number: int, when: When, ending: Ending | None) -> list[str]:
    """One fault in a branch of the scene; what was wrong then or afterwards."""

    def work(world: World) -> list[str]:
        world.agent.ending = ending or Ending.RESTART
        (world.machine.faults.crash_at if ending else world.machine.faults.fail_at)(number, when)
        world.converge()
        world.settle()
        return differences(scene.after, world.machine_picture()) + bystanders(world) + scene.doors

    return [f"{ending or 'fail'} {when} {number}: {line}" for line in in_a_branch(scene.world, work)]


@pytest.mark.parametrize(
    ("when", "ending", "stride"),
    [
        (When.BEFORE, None, 17),
        (When.AFTER, Ending.RESTART, 13),
        (When.DURING, Ending.REBOOT, 23),
        (When.AFTER, Ending.POWER_CUT, 23),
        (When.AFTER, Ending.LATE_DRIVE, 41),
    ],
)
def test_exports_are_as_wanted_after_a_fault(scene: Scene, when: When, ending: Ending | None, stride: int) -> None:
    numbers = sample(scene.calls, LOOKS)[::stride]
    violations = [line for number in numbers for line in strike(scene, number, when, ending)]
    assert not violations, show(violations)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("ending", [None, *Ending])
@pytest.mark.parametrize("when", list(When))
def test_exports_are_as_wanted_after_a_fault_at_any_call(scene: Scene, when: When, ending: Ending | None) -> None:
    numbers = every(scene.calls, when, kills=ending is not None)
    violations = [line for number in numbers for line in strike(scene, number, when, ending)]
    assert not violations, show(violations)


def test_a_target_that_opens_too_early_is_seen(scene: Scene) -> None:
    """The watch itself can fail: somebody opens every portal group as soon as it is there."""

    def work(world: World) -> list[str]:
        def open_early() -> None:
            fabric = world.machine.target.root.children.get("iscsi") if world.machine.target else None
            for target in fabric.children.values() if fabric else ():
                for tpg in target.children.values():
                    if tpg.kind == "tpg":
                        world.machine.vfs.write(f"/sys/kernel/config/{tpg.path()}/enable", "1")

        world.machine.watchers.insert(0, open_early)
        world.converge()
        return scene.doors

    if scene.world.machine.watchers:
        assert any("is open with" in line for line in in_a_branch(scene.world, work))
