"""Kinds of jobs on hosts that are logged in."""

from backend.tests.fakemachine.network.traffic import Io
from backend.tests.faults.harness import Case
from backend.tests.faults.world import ACTOR, PORTAL, World
from lunette.domain.agent_protocol import ObserveSessions
from lunette.domain.mappings import PortalCreate
from lunette.domain.paths import HostVerifyPaths
from lunette.domain.sessions import session_id
from lunette.engine.changes import path_trial, portals, sessions
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Host, Target

ALICE = "iqn.2026-01.com.example:alice"
SECOND_PORTAL = "198.51.100.1"


def _logged_in(world: World) -> None:
    """The host whose data must survive is logged in."""
    with world.store.read() as tx:
        target = tx.query(Target).join(Host, Host.id == Target.host_id).filter(Host.name == "alice").one()
    world.machine.login(ALICE, target.iqn, PORTAL, ("alice", "secret-of-alice0"))


def _on_two_paths(world: World) -> None:
    """Alice's host writes continuously over two portals, and reconnects automatically wherever it is disconnected."""
    machine = world.machine
    machine.network.interfaces["eth1"].given.add(SECOND_PORTAL)
    machine.addresses.add(SECOND_PORTAL)
    spec = PortalCreate(name="second", address=SECOND_PORTAL)
    world.ask(lambda tx: portals.create(world.control.change(tx, ACTOR), spec))
    world.settle()
    with world.store.read() as tx:
        iqn = tx.query(Target).join(Host, Host.id == Target.host_id).filter(Host.name == "alice").one().iqn
    for portal, peer in {PORTAL: "192.0.2.10", f"{SECOND_PORTAL}:3260": "198.51.100.10"}.items():
        machine.login(ALICE, iqn, portal, ("alice", "secret-of-alice0"), peer=peer)

    def write() -> None:
        if own := [one for one in machine.iscsi.sessions if one.initiator == ALICE] if machine.iscsi else []:
            machine.carry(own[-1], 1, Io(), commands=20)
        machine.later(0.5, write)

    write()


def _try_paths(world: World) -> Outcome:
    spec = HostVerifyPaths(confirm="alice", away_s=20)
    return world.ask(lambda tx: path_trial.begin(world.control.change(tx, ACTOR), "alice", spec))


def _disconnect(world: World) -> Outcome:
    (session,) = [session_id(one) for one in world.agent.ask(ObserveSessions()).sessions if one.initiator == ALICE]
    return world.ask(lambda tx: sessions.disconnect(world.control.change(tx, ACTOR), session))


SESSION_CASES = (
    Case("disconnect a session", _logged_in, _disconnect, passes=True),
    Case("try the paths of a host", _on_two_paths, _try_paths, passes=True),
)
