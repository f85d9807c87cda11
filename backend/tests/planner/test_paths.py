"""Paths: what is missing is named, and what is unknown is not called missing."""

from dataclasses import replace
from typing import Any

import pytest

from backend.tests import seen
from backend.tests.planner import kit_facts as known
from backend.tests.planner.kit_facts import facts, nvme_facts
from lunette.domain.exports import ObservedConnection, ObservedSession, SessionCount, UnseenSessions
from lunette.domain.fc import FcMode
from lunette.domain.hosts import HostConnection
from lunette.domain.mappings import Family, Protocol
from lunette.domain.observations import SessionsObservation
from lunette.domain.paths import HostPaths, PathState
from lunette.planner.diagnosis.paths import Logins, PathFacts, connection, verify
from lunette.planner.kits.facts import KitPortal, KitTarget

MINE, OTHER_NET, STRANGER = "192.0.2.10", "198.51.100.10", "192.0.2.20"
OTHER_IQN, OTHER_TARGET = "iqn.2026-01.com.example:h2", "iqn.2026-11.io.lunette:x.h2"
UP, DOWN, UNKNOWN = PathState.UP, PathState.DOWN, PathState.UNKNOWN
OUR_PORT = "20:00:00:00:00:00:00:01"


def session(
    peer: str | None = MINE,
    initiator: str = known.IQN,
    target: str = known.TARGET,
    protocol: Protocol = Protocol.ISCSI,
    portal: str | None = None,
) -> ObservedSession:
    return ObservedSession(
        target=target,
        initiator=initiator,
        protocol=protocol,
        portal=portal,
        peer=peer,
        state="logged in",
        since=None,
    )


def on_a(peer: str) -> ObservedConnection:
    return ObservedConnection(address=known.A.address, port=3260, peer=peer)


def on_b(peer: str) -> ObservedConnection:
    return ObservedConnection(address=known.B.address, port=3260, peer=peer)


def look(
    newest: tuple[ObservedSession, ...], count: int | None, *connections: ObservedConnection, **changes: Any
) -> HostPaths:
    """The host with two portals; `count` sessions on its target."""
    counts = () if count is None else (SessionCount(target=known.TARGET, sessions=count),)
    found = SessionsObservation(taken_at=0, sessions=newest, counts=counts, connections=connections)
    reported: dict[str, Any] = {"host": facts(), "blocked": {}, "others": frozenset(), "sessions": found}
    return verify(PathFacts(**(reported | changes)))


def states(paths: HostPaths) -> list[PathState]:
    return [path.state for path in paths.paths]


def test_both_paths_are_there() -> None:
    found = look((session(),), 2, on_a(MINE), on_b(MINE))
    assert (states(found), found.state) == ([UP, UP], UP)
    assert found.sentence == "Host h1 is connected over all 2 paths."
    assert (found.volumes[0].expected, found.volumes[0].seen) == (2, 2)


def test_a_portal_without_the_host_is_named() -> None:
    found = look((session(),), 1, on_a(MINE))
    assert states(found) == [UP, DOWN]
    assert found.volumes[0].words == "expected 2 paths, seen 1: no connection to portal b (198.51.100.1:3260)"
    assert found.sentence == "Host h1: expected 2 paths, seen 1: no connection to portal b (198.51.100.1:3260)."


def test_a_connection_of_another_host_is_not_the_hosts() -> None:
    other = session(STRANGER, OTHER_IQN, OTHER_TARGET)
    assert states(look((session(), other), 1, on_a(MINE), on_a(STRANGER), on_b(STRANGER))) == [UP, DOWN]


def test_no_login_is_nothing_anywhere() -> None:
    found = look((), 0, on_a(STRANGER))
    assert (states(found), found.volumes[0].seen) == ([DOWN, DOWN], 0)


def test_a_host_with_another_address_on_each_network_is_found_by_the_count() -> None:
    assert states(look((session(),), 2, on_a(MINE), on_b(OTHER_NET))) == [UP, UP]


def test_an_unclaimed_connection_is_not_the_hosts_if_the_count_shows_that() -> None:
    assert states(look((session(),), 1, on_a(MINE), on_b(OTHER_NET))) == [UP, DOWN]


@pytest.mark.parametrize("count", [None, 2])
def test_what_cannot_be_reported_is_not_called_missing(count: int | None) -> None:
    """Two hosts behind one address: their connections look alike."""
    other = session(MINE, OTHER_IQN, OTHER_TARGET)
    found = look((session(), other), count, on_a(MINE), on_b(MINE), on_b(MINE))
    if count is None:
        assert states(found) == [UNKNOWN, UNKNOWN]
        assert found.volumes[0].seen is None
        assert "number seen unknown" in found.volumes[0].words
    else:
        assert states(found) == [UP, UP], "two sessions, and two portals that they can be on"


def test_members_of_a_group_share_a_count_that_says_nothing_of_one() -> None:
    mate = session("192.0.2.30", "iqn.2026-01.com.example:mate")
    found = look((session(), mate), 3, on_a(MINE), on_b(OTHER_NET), others=frozenset({mate.initiator}))
    assert states(found) == [UP, UNKNOWN]


def test_two_targets_of_one_host_are_distinguished_by_their_counts() -> None:
    shared = KitTarget(Family.SCSI, "iqn.2026-11.io.lunette:x.g", 1, (known.LUN,))
    counts = (SessionCount(target=known.TARGET, sessions=2), SessionCount(target=shared.name, sessions=1))
    found = SessionsObservation(
        taken_at=0,
        sessions=(session(), session(target=shared.name)),
        counts=counts,
        connections=(on_a(MINE), on_a(MINE), on_b(MINE)),
    )
    host = facts(targets=(known.SCSI_TARGET, shared))
    assert states(verify(PathFacts(host=host, blocked={}, others=frozenset(), sessions=found))) == [UP, UP, UP, DOWN]


def test_a_portal_that_does_not_listen_says_why() -> None:
    found = look((session(),), 1, on_a(MINE), blocked={"b": "this machine does not have 198.51.100.1"})
    assert found.volumes[0].words.endswith("is not listening: this machine does not have 198.51.100.1")


def test_without_the_agent_nothing_is_known() -> None:
    found = look((), None, sessions=None)
    assert (states(found), found.state, found.volumes[0].seen) == ([UNKNOWN, UNKNOWN], UNKNOWN, None)


def test_an_iser_portal_is_judged_by_its_newest_session() -> None:
    host = facts(portals=(known.A, known.ISER))
    newest = session(protocol=Protocol.ISER)
    assert states(look((newest,), 2, on_a(MINE), host=host)) == [UP, UP]
    assert states(look((session(),), 1, on_a(MINE), host=host)) == [UP, DOWN]
    assert states(look((session(),), 2, on_a(MINE), host=host)) == [UP, UP]


def test_nvme_paths_that_the_kernel_does_not_report_are_unknown() -> None:
    unseen = UnseenSessions(family=Family.NVME, reason="this kernel does not tell")
    found = look((), None, host=nvme_facts(), sessions=SessionsObservation(taken_at=0, sessions=(), unseen=(unseen,)))
    assert (states(found), found.volumes[0].seen) == ([UNKNOWN], None)
    assert "this kernel does not tell" in found.sentence


def test_nvme_paths_are_reported_where_the_kernel_does() -> None:
    there = session(None, known.NQN, known.SUBSYSTEM, Protocol.NVME_TCP, "[::]:4420")
    assert states(look((there,), None, host=nvme_facts())) == [UP]
    assert states(look((), None, host=nvme_facts())) == [DOWN]


def test_fibre_channel_paths_are_those_the_fabric_shows() -> None:
    host = facts(iqns=(), wwpns=(known.WWPN, "21:00:00:24:ff:00:00:02"), portals=(), fc_ports=(OUR_PORT,))
    port = seen.fc_port(OUR_PORT, FcMode.TARGET, known.WWPN)
    there = session(None, known.WWPN, OUR_PORT, Protocol.FC)
    found = look((there,), None, host=host, fc_ports=(port,))
    assert [(path.initiator, path.state) for path in found.paths] == [(known.WWPN, UP), (host.wwpns[1], DOWN)]
    assert "is not on the fabric" in found.sentence
    assert [path.state for path in look((), None, host=host, fc_ports=(port,)).paths] == [DOWN, DOWN]


def test_a_host_without_volumes_needs_no_path() -> None:
    found = look((), None, host=facts(targets=()))
    assert (found.paths, found.volumes, found.state) == ((), (), UNKNOWN)
    assert "No volume is mapped" in found.sentence


def test_one_path_is_there_and_should_be_two() -> None:
    found = look((session(),), 1, on_a(MINE), host=facts(portals=(known.A,)))
    assert found.sentence == "Host h1 is connected over its only path. Add a second path."


def test_a_host_without_a_portal_has_no_path_at_all() -> None:
    found = look((), None, host=facts(portals=()))
    assert (found.state, found.volumes[0].expected) == (DOWN, 0)
    assert "no path exists" in found.sentence


def connected(count: int | None, *, was_seen: bool = False, **changes: Any) -> HostConnection:
    """Of the host with two portals, of which it uses both unless the facts say otherwise."""
    found = SessionsObservation(
        taken_at=0,
        sessions=(session(),),
        counts=(SessionCount(target=known.TARGET, sessions=2),),
        connections=(on_a(MINE), on_b(MINE)),
    )
    reported: dict[str, Any] = {"host": facts(), "blocked": {}, "others": frozenset(), "sessions": found}
    return connection(PathFacts(**(reported | changes)), count, was_seen=was_seen)


def test_a_host_is_online_degraded_offline_or_never_was_connected() -> None:
    one_path = SessionsObservation(
        taken_at=0,
        sessions=(session(),),
        counts=(SessionCount(target=known.TARGET, sessions=1),),
        connections=(on_a(MINE),),
    )
    assert connected(2) is HostConnection.ONLINE
    assert connected(1, sessions=one_path) is HostConnection.DEGRADED
    assert connected(0, was_seen=True) is HostConnection.OFFLINE
    assert connected(0) is HostConnection.NEVER
    assert connected(None, was_seen=True, sessions=None) is HostConnection.UNKNOWN


def test_what_is_unknown_of_a_path_makes_no_host_degraded() -> None:
    """An iSER portal among several: LIO does not tell over which of them the newest session came."""
    portals = (
        known.A,
        KitPortal("r", Protocol.ISER, known.B.address, 3261),
        KitPortal("s", Protocol.ISER, "::1", 3261),
    )
    found = SessionsObservation(
        taken_at=0, sessions=(session(protocol=Protocol.ISER),), counts=(), connections=(on_a(MINE),)
    )
    host = replace(facts(), portals=portals)
    judged = PathFacts(host=host, blocked={}, others=frozenset(), sessions=found)
    assert PathState.UNKNOWN in states(verify(judged))
    assert connection(judged, 1, was_seen=True) is HostConnection.ONLINE


def test_a_host_is_degraded_where_its_paths_are_down_and_nowhere_else() -> None:
    """The state of the list is that of the page of the host, also with what many hosts share."""
    for made in ((on_a(MINE), on_b(MINE)), (on_a(MINE),), (on_b(OTHER_NET),), ()):
        for count in (None, 1, 2):
            counts = () if count is None else (SessionCount(target=known.TARGET, sessions=count),)
            found = SessionsObservation(taken_at=0, sessions=(session(),), counts=counts, connections=made)
            judged = PathFacts(facts(), {}, frozenset(), found, shared=Logins(found))
            is_down = verify(judged).state is PathState.DOWN
            assert (connection(judged, 1, was_seen=True) is HostConnection.DEGRADED) is is_down
