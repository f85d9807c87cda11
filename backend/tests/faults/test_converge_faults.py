"""The agent is killed at every call while it opens or closes exports: afterward they are as desired.

At no moment is a target open that lacks one of its volumes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend.tests.agent.exports import dhchap_key
from backend.tests.fakemachine import Call, FakeSystem, When
from backend.tests.fakemachine.nvme.nvmet import Refuse
from backend.tests.faults.branches import in_a_branch
from backend.tests.faults.harness import bystanders, counted, every, sample, world_from
from backend.tests.faults.picture import Picture, differences
from backend.tests.faults.test_job_faults import show
from backend.tests.faults.world import (
    ACTOR,
    FC_HOST,
    World,
    give_fc_host,
    give_host,
    give_nvme_host,
    give_rdma,
    nqn,
)
from backend.tests.wiring_agent import Ending
from lunette.domain.mappings import PortalCreate
from lunette.engine.changes import mappings, portals
from lunette.store.resources import Mapping, Portal

NAMES = tuple(f"v{number}" for number in range(1, 9))
HOSTS = ("carol", "dave", "erin")
LOOKS = 4
Change = Callable[[World], None]


@dataclass(frozen=True)
class Scene:
    """A world in which a change is made and not converged yet, with what a round that nothing disturbs comes to."""

    world: World
    calls: list[Call]
    after: Picture
    targets: list[str]
    """What was seen to be wrong while the targets opened."""


def map_all(world: World) -> None:
    """Eight volumes for each of three hosts, over iSCSI, over NVMe and over Fibre Channel."""
    for host, give in zip(HOSTS, (give_host, give_nvme_host, give_fc_host), strict=True):
        give(world, host, [f"{host[0]}{name}" for name in NAMES])


def unmap_half(world: World) -> None:
    """All hosts lose their last four volumes."""
    with world.store.read() as tx:
        rows = tx.query(Mapping).filter(Mapping.lun > 4).order_by(Mapping.host_id, Mapping.lun).all()
    for row in rows:
        world.ask(lambda tx, row=row: mappings.delete(world.control.change(tx, ACTOR), row.id))  # type: ignore[misc]


def lose_rdma(world: World) -> None:
    """The RDMA device was gone for a moment: portals over it exist in configfs, but nothing listens."""
    world.machine.unplug_rdma()
    world.machine.plug_rdma()


def take_spdk(world: World) -> None:
    """What is mapped over NVMe goes from the kernel to SPDK."""
    with world.store.read() as tx:
        gone = tx.query(Portal).filter_by(name="n").one().id
    world.ask(lambda tx: portals.delete(world.control.change(tx, ACTOR), gone))
    spec = PortalCreate.model_validate(
        {"name": "s", "protocol": "nvme-tcp", "engine": "spdk", "address": "192.0.2.1", "port": 4421}
    )
    world.ask(lambda tx: portals.create(world.control.change(tx, ACTOR), spec))


def add_portal(world: World) -> None:
    """A second portal over NVMe/TCP: the two refer to each other."""
    spec = PortalCreate.model_validate({"name": "n2", "protocol": "nvme-tcp", "address": "192.0.2.1", "port": 4422})
    world.ask(lambda tx: portals.create(world.control.change(tx, ACTOR), spec))


@pytest.fixture(
    scope="module",
    params=[
        # one process makes the scene
        pytest.param(change, id=name, marks=[pytest.mark.xdist_group(f"converge {name}"), *marks])
        for name, change, marks in (
            ("open", map_all, ()),
            ("close", unmap_half, ()),
            ("rdma", lose_rdma, [pytest.mark.slow]),
            ("spdk", take_spdk, ()),
            ("portal", add_portal, [pytest.mark.slow]),
        )
    ],
)
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
        watch = {"map_all": watch_targets, "take_spdk": watch_spdk}.get(change.__name__)
        yield Scene(world, calls, after, watch(world.machine) if watch else [])


@contextmanager
def prepared(template: Path, change: Change) -> Iterator[World]:
    with world_from(template) as world:
        names = [f"{host[0]}{name}" for host in HOSTS for name in NAMES]
        world.finish(world.create_volumes("tank", *names).job_id or "")
        if change is not map_all:
            map_all(world)
        if change is lose_rdma:
            give_rdma(world)
        if change is take_spdk:
            world.machine.install_spdk()
        world.settle()
        change(world)
        yield world


def watch_spdk(machine: FakeSystem) -> list[str]:
    """Notes every moment at which a host that is let in finds fewer volumes than it has."""
    seen: list[str] = []

    def look() -> None:
        for name in list(machine.spdk.subsystems):
            try:
                host = machine.spdk.connect(nqn(HOSTS[1]), name, "192.0.2.1:4421", (dhchap_key(1), None))
            except (ConnectionError, Refuse):
                continue
            found = machine.spdk.devices(host)
            machine.spdk.controllers.remove(host)
            if len(found) != len(NAMES):
                seen.append(f"{name} is open with namespaces {sorted(found)}")

    machine.watchers.append(look)
    return seen


def watch_targets(machine: FakeSystem) -> list[str]:
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

    machine.watchers += [look, look_over_nvme, lambda: seen.extend(seen_over_fc(machine))]
    return seen


def seen_over_fc(machine: FakeSystem) -> Iterator[str]:
    """What is wrong for a host that is logged in to a port: it has all its numbers from the moment it is let in."""
    for port in machine.fc.ports:
        found = machine.fc.luns(FC_HOST, port) if FC_HOST in port.sessions and machine.fc.tpg(port) else {}
        if len(found) not in (0, len(NAMES)):
            yield f"{port.wwpn} is open with {sorted(found)}"


def strike(scene: Scene, number: int, when: When, ending: Ending | None) -> list[str]:
    """One fault in a branch of the scene; what was wrong then or afterward."""

    def work(world: World) -> list[str]:
        world.agent.ending = ending or Ending.RESTART
        (world.machine.faults.crash_at if ending else world.machine.faults.fail_at)(number, when)
        world.converge()
        world.settle()
        return differences(scene.after, world.machine_picture()) + bystanders(world) + scene.targets

    return [f"{ending or 'fail'} {when} {number}: {line}" for line in in_a_branch(scene.world, work)]


@pytest.mark.parametrize(
    ("when", "ending", "stride"),
    [
        (When.BEFORE, None, 62),
        (When.AFTER, Ending.RESTART, 46),
        (When.DURING, Ending.REBOOT, 82),
        (When.AFTER, Ending.POWER_CUT, 82),
        pytest.param(When.AFTER, Ending.LATE_DRIVE, 142, marks=pytest.mark.slow),
    ],
)
def test_exports_are_as_wanted_after_a_fault(scene: Scene, when: When, ending: Ending | None, stride: int) -> None:
    numbers = sample(scene.calls, LOOKS)
    numbers = numbers[min(stride, len(numbers)) // 2 :: stride]  # a small change is struck too, in its middle
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


@pytest.mark.parametrize(
    "scene", [pytest.param(map_all, id="open", marks=pytest.mark.xdist_group("converge open"))], indirect=True
)
def test_a_target_that_opens_too_early_is_seen(scene: Scene) -> None:
    """The check can fail: here every portal group is enabled as soon as it exists."""

    def work(world: World) -> list[str]:
        def open_early() -> None:
            fabric = world.machine.target.root.children.get("iscsi") if world.machine.target else None
            for target in fabric.children.values() if fabric else ():
                for tpg in target.children.values():
                    if tpg.kind == "tpg":
                        world.machine.vfs.write(f"/sys/kernel/config/{tpg.path()}/enable", "1")

        world.machine.watchers.insert(0, open_early)
        world.converge()
        return scene.targets

    assert any("is open with" in line for line in in_a_branch(scene.world, work))
