"""A portal that is moved opens at its new place before it closes at the old one, whatever happens meanwhile."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.agent.exports import dhchap_key
from backend.tests.fakemachine import When
from backend.tests.faults.branches import in_a_branch
from backend.tests.faults.harness import bystanders, counted, world_from
from backend.tests.faults.session_cases import ALICE
from backend.tests.faults.world import ACTOR, World, give_nvme_host, nqn
from backend.tests.wiring_agent import Ending
from lunette.domain.mappings import PortalPatch
from lunette.engine.changes import portals
from lunette.store.journal import Event
from lunette.store.resources import FormerListener, Host, Portal, ReleaseRow, Target

SECOND = "198.51.100.1"
OLD = {"p": "192.0.2.1:3260", "n": "192.0.2.1:4420"}
NEW = {"p": f"{SECOND}:3260", "n": f"{SECOND}:4420"}


def listening(world: World) -> set[str]:
    """Where the kernel listens for hosts now, over iSCSI and over NVMe."""
    found: set[str] = set()
    target, nvme = world.machine.target, world.machine.nvme
    fabric = target.root.children.get("iscsi") if target else None
    for iqn in fabric.children.values() if fabric else ():
        for group in iqn.children.values():
            if group.kind == "tpg":
                found |= set(group.children["np"].children)
    for port in nvme.ports.children.values() if nvme else ():
        if port.children["subsystems"].links:
            address, number = (
                (port.attributes[name].show or str)().strip() for name in ("addr_traddr", "addr_trsvcid")
            )
            found.add(f"{address}:{number}")
    return found


def move(world: World, place: str = SECOND) -> None:
    for name in OLD:
        with world.store.read() as tx:
            ref = tx.query(Portal).filter_by(name=name).one().id
        world.ask(lambda tx, ref=ref: portals.patch(world.control.change(tx, ACTOR), ref, PortalPatch(address=place)))  # type: ignore[misc]


@pytest.fixture(scope="module")
def world(template: Path) -> Iterator[World]:
    """Two portals that hosts use, and a second address of the appliance."""
    with world_from(template) as found:
        give_nvme_host(found, "dave", ["spare"])
        found.machine.network.interfaces["eth1"].given.add(SECOND)
        found.machine.addresses.add(SECOND)
        found.settle()
        yield found


def harmed(world: World) -> list[str]:
    """What became of others, apart from who logs in at the place that was left."""
    return [line for line in bystanders(world) if not line.endswith(f" at {OLD['p']}")]


def left(world: World) -> list[str]:
    with world.store.read() as tx:
        return [*(one.id for one in tx.query(FormerListener)), *(one.ref for one in tx.query(ReleaseRow))]


def test_the_new_place_opens_before_the_old_one_closes(world: World) -> None:
    def work(world: World) -> list[str]:
        steps: list[set[str]] = []
        world.machine.watchers.append(lambda: steps.append(listening(world)))
        move(world)
        world.converge()
        assert listening(world) == {*OLD.values(), *NEW.values()}
        world.converge()
        world.settle()
        assert listening(world) == set(NEW.values())
        for old, new in zip(OLD.values(), NEW.values(), strict=True):
            assert all({old, new} & step for step in steps), old
        assert left(world) == []
        with world.store.read() as tx:
            iqn = tx.query(Target).join(Host, Host.id == Target.host_id).filter(Host.name == "alice").one().iqn
        world.machine.login(ALICE, iqn, NEW["p"], ("alice", "secret-of-alice0"))
        with world.store.read() as tx:
            told = [one.message for one in tx.query(Event).filter_by(kind="portal.moved").order_by(Event.seq)]
        assert told == [
            "Portal n listens at its new place and no longer on 192.0.2.1:4420",
            "Portal p listens at its new place and no longer on 192.0.2.1:3260",
        ]
        return harmed(world)

    assert in_a_branch(world, work) == []


def test_a_portal_that_cannot_listen_there_stays_where_it_is(world: World) -> None:
    """The address went away after the plan; when it is back the portals move."""

    def work(world: World) -> list[str]:
        move(world)
        world.machine.addresses.discard(SECOND)
        for _ in range(3):
            report = world.converge()
        assert report
        reasons = {one.reason for one in report.portals}
        assert len(report.portals) == len(OLD)
        assert None not in reasons
        assert set(OLD.values()) <= listening(world)
        assert len(left(world)) == len(OLD)
        world.machine.addresses.add(SECOND)
        world.settle()
        world.converge()
        assert listening(world) == set(NEW.values())
        return harmed(world)

    assert in_a_branch(world, work) == []


def test_going_back_leaves_the_hosts_that_are_there_alone(world: World) -> None:
    def work(world: World) -> list[str]:
        assert world.machine.nvme
        (subsystem,) = world.machine.nvme.subsystems.children
        key = (dhchap_key(1), None)
        host = world.machine.connect(nqn("dave"), subsystem, OLD["n"], key)
        move(world)
        world.machine.addresses.discard(SECOND)
        world.converge()
        world.machine.addresses.add(SECOND)
        move(world, "192.0.2.1")
        world.settle()
        world.converge()
        assert listening(world) == set(OLD.values())
        assert world.machine.nvme.devices(host)
        assert left(world) == []
        return harmed(world)

    assert in_a_branch(world, work) == []


@pytest.mark.parametrize("ending", [Ending.RESTART, Ending.POWER_CUT])
def test_it_is_moved_whatever_ends_the_agent_on_the_way(world: World, ending: Ending) -> None:
    def calls(world: World) -> list[str]:
        move(world)
        first = len(world.machine.faults.calls)
        world.converge()
        world.converge()
        return [str(call.number) for call in counted(world.machine.faults.calls, first) if call.changes]

    numbers = [int(number) for number in in_a_branch(world, calls)]
    assert len(numbers) > 6  # both rounds change something

    def strike(number: int) -> list[str]:
        def work(world: World) -> list[str]:
            move(world)
            world.agent.ending = ending
            world.machine.faults.crash_at(number, When.AFTER)
            world.converge()
            world.converge()
            world.settle()
            world.converge()
            found = listening(world)
            wrong = [] if found == set(NEW.values()) and not left(world) else [f"{number}: listens on {sorted(found)}"]
            return wrong + harmed(world)

        return in_a_branch(world, work)

    assert [line for number in numbers for line in strike(number)] == []
