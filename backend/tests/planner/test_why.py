"""Why a volume is missing: each link broken alone is named first, and nothing unknown is claimed."""

from dataclasses import replace
from typing import Any

import pytest

from backend.tests import seen
from lunette.domain.arrays import ArrayEngine, ArrayState, ObservedMember
from lunette.domain.exports import (
    ConvergeReport,
    ObservedSession,
    PortalReport,
    ServingState,
    TargetReport,
    UnseenSessions,
    VolumeReport,
)
from lunette.domain.fc import FcMode, ObservedFcPort
from lunette.domain.mappings import Family, Protocol
from lunette.domain.observations import SessionsObservation
from lunette.domain.sizes import GIB
from lunette.domain.steps import MemberDisk
from lunette.domain.why import LinkState, Part
from lunette.planner.access.portals import KnownPortal
from lunette.planner.diagnosis.why import ChainFacts, HostAccess, MappedHost, why
from lunette.planner.engines.known_array import KnownArray

DISKS = ("nvme-D1", "nvme-D2", "nvme-D3")
ARRAY = KnownArray(
    "a1", "tank", "ready", ArrayEngine.MD, "u1", "g1", GIB, tuple(MemberDisk(disk_id=d, serial=d) for d in DISKS)
)
IQN, TARGET = "iqn.2026-01.com.example:h", "iqn.2026-11.io.lunette:x.h"
PORTAL = KnownPortal("p1", "front", "iscsi", "10.0.2.15", 3260)
GUEST = MappedHost("h", frozenset({("iqn", IQN)}), None, HostAccess(3, "t1", TARGET, None))
SESSION = ObservedSession(
    target=TARGET,
    initiator=IQN,
    protocol=Protocol.ISCSI,
    portal=None,
    peer="10.0.2.99",
    state="in",
    since=None,
)
MACHINE = seen.machine(
    arrays=(seen.array("u1", DISKS),), groups=(seen.pool("g1", GIB),), volumes=(seen.volume("v1", "g1", "v1x"),)
)


def logged_in(*sessions: ObservedSession, unseen: tuple[UnseenSessions, ...] = ()) -> SessionsObservation:
    return SessionsObservation(taken_at=0, sessions=sessions, unseen=unseen)


def report(**changes: Any) -> ConvergeReport:
    is_open: dict[str, Any] = {"state": ServingState.OPEN, "reason": None}
    facts: dict[str, Any] = {
        "generation": 5,
        "accepted": True,
        "refusal": None,
        "changed": 0,
        "unexplained": (),
        "foreign": (),
        "targets": (TargetReport(target_id="t1", **is_open),),
        "volumes": (VolumeReport(volume_id="v1", **is_open),),
        "portals": (PortalReport(portal_id="p1", **is_open),),
    }
    return ConvergeReport(**(facts | changes))


GOOD = ChainFacts(
    array=ARRAY,
    volume_id="v1",
    volume="v",
    volume_state="ready",
    owners=("h",),
    guest=GUEST,
    portals=(PORTAL,),
    wanted=5,
    seen=MACHINE,
    report=report(),
    sessions=logged_in(SESSION),
)
CARRIERS = tuple(disk.model_copy(update={"array_uuid": "u1"}) for disk in MACHINE.disks)
BLOCKED: dict[str, Any] = {"state": ServingState.BLOCKED, "reason": "waiting for array tank"}


NVME_GUEST = MappedHost("h", frozenset({("nqn", "nqn.x")}), None, HostAccess(3, "t1", "nqn.t", None, Family.NVME))
NVME = replace(GOOD, guest=NVME_GUEST, report=report(targets=(), subsystems=report().targets))
"""The same volume over NVMe, which no portal speaks."""


def without_disks(state: ArrayState, *lost: str) -> ChainFacts:
    members = tuple(ObservedMember(disk_id=d, device=None, state="faulty" if d in lost else "in_sync") for d in DISKS)
    array = seen.array("u1", DISKS, state).model_copy(update={"members": members})
    return replace(GOOD, seen=MACHINE.model_copy(update={"arrays": (array,)}))


def dirty_degraded() -> ChainFacts:
    array = seen.array("u1", DISKS, ArrayState.MISSING).model_copy(update={"dirty_without": (0,)})
    return machine(arrays=(array,), disks=MACHINE.disks[1:])


def machine(**changes: Any) -> ChainFacts:
    return replace(GOOD, seen=MACHINE.model_copy(update=changes))


def test_nothing_is_broken_where_nothing_is() -> None:
    chain = why(GOOD)
    assert [link.part for link in chain.links] == list(Part)
    assert {link.state for link in chain.links} == {LinkState.OK}
    assert chain.sentence == (
        f"The host is connected and can access LUN 3 of {TARGET}. If it does not see the volume, rescan its disks."
    )


@pytest.mark.parametrize(
    ("facts", "part", "words"),
    [
        (
            without_disks(ArrayState.FAILED, "nvme-D1", "nvme-D2"),
            Part.DISK,
            "2 of 3 disks of array tank are missing or faulty",
        ),
        (machine(arrays=(), disks=CARRIERS[2:]), Part.DISK, "(nvme-D1, nvme-D2); check their cables"),
        (machine(arrays=(), disks=CARRIERS), Part.ARRAY, "array tank is not running"),
        (
            machine(arrays=(), disks=(seen.disk(1), *CARRIERS[2:])),
            Part.DISK,
            "array tank: disk nvme-D1 is present but blank; 1 of its disks is not detected",
        ),
        (dirty_degraded(), Part.ARRAY, "array tank stays stopped: it stopped during writes"),
        (without_disks(ArrayState.FAILED), Part.ARRAY, "array tank has failed"),
        (machine(groups=()), Part.ARRAY, "g1, which holds its volumes, was not found"),
        (replace(GOOD, array=replace(ARRAY, state="deleting")), Part.ARRAY, "array tank is deleting"),
        (replace(GOOD, volume_state="stuck"), Part.VOLUME, "volume v is stuck"),
        (machine(volumes=()), Part.VOLUME, "volume v was not found on its array"),
        (machine(volumes=(MACHINE.volumes[0].model_copy(update={"active": False}),)), Part.VOLUME, "not active"),
        (replace(GOOD, guest=None, owners=()), Part.EXPORT, "volume v is not mapped"),
        (replace(GOOD, guest=None, owners=("g",)), Part.EXPORT, "volume v is mapped to g, which has no hosts"),
        (
            replace(GOOD, guest=replace(GUEST, way=None, group="g"), owners=("h2",)),
            Part.EXPORT,
            "not mapped to host h nor to its host group g; it is mapped to h2",
        ),
        (replace(GOOD, report=report(accepted=False, refusal="an older database")), Part.EXPORT, "an older database"),
        (
            replace(GOOD, report=report(volumes=(VolumeReport(volume_id="v1", **BLOCKED),))),
            Part.EXPORT,
            "it waits: waiting for array tank",
        ),
        (replace(GOOD, report=report(targets=(TargetReport(target_id="t1", **BLOCKED),))), Part.EXPORT, "it waits"),
        (replace(GOOD, report=report(targets=())), Part.EXPORT, "has not applied the last change yet"),
        (replace(GOOD, wanted=6), Part.EXPORT, "has not applied the last change yet"),
        (replace(GOOD, guest=replace(GUEST, initiators=frozenset())), Part.PORTAL, "host h has no initiator"),
        (replace(GOOD, portals=()), Part.PORTAL, "available: none"),
        (
            replace(GOOD, guest=replace(GUEST, initiators=frozenset({("nqn", "nqn.x")}))),
            Part.PORTAL,
            "enter its IQN or WWPN",
        ),
        (NVME, Part.PORTAL, "available: iscsi"),
        (replace(NVME, guest=replace(NVME_GUEST, initiators=GUEST.initiators)), Part.PORTAL, "enter its NQN"),
        (replace(NVME, report=report()), Part.EXPORT, "has not applied the last change yet"),
        (
            replace(GOOD, report=report(portals=(PortalReport(portal_id="p1", **BLOCKED),))),
            Part.PORTAL,
            "no portal is listening (front: waiting for array tank)",
        ),
        (
            replace(GOOD, sessions=logged_in()),
            Part.SESSION,
            f"host h is not logged in to {TARGET}; connect it to 10.0.2.15:3260",
        ),
        (
            replace(GOOD, sessions=logged_in(SESSION.model_copy(update={"target": "iqn.other"}))),
            Part.SESSION,
            "it is logged in to another target",
        ),
    ],
)
def test_the_first_broken_link_is_named(facts: ChainFacts, part: Part, words: str) -> None:
    chain = why(facts)
    first = next(link for link in chain.links if link.state is LinkState.BROKEN)
    assert (first.part, words in first.words) == (part, True), first
    assert chain.sentence == f"The path is broken at the {part.value}: {first.words}."


def test_over_nvme_it_is_a_namespace_of_a_subsystem() -> None:
    portal = replace(PORTAL, protocol="nvme-tcp")
    session = SESSION.model_copy(update={"target": "nqn.t", "initiator": "nqn.x", "protocol": Protocol.NVME_TCP})
    assert (
        "can access namespace 3 of nqn.t" in why(replace(NVME, portals=(portal,), sessions=logged_in(session))).sentence
    )


def test_sessions_the_kernel_does_not_list_are_unknown_and_not_missing() -> None:
    portal = replace(PORTAL, protocol="nvme-tcp")
    unseen = (UnseenSessions(family=Family.NVME, reason="the kernel has no debugfs for them"),)
    chain = why(replace(NVME, portals=(portal,), sessions=logged_in(unseen=unseen)))
    assert (chain.links[-1].part, chain.links[-1].state) == (Part.SESSION, LinkState.UNKNOWN)
    assert "is unknown: the kernel has no debugfs for them" in chain.sentence
    over_scsi = why(replace(GOOD, sessions=logged_in(unseen=unseen)))
    assert over_scsi.links[-1].state is LinkState.BROKEN


def test_a_disk_the_array_survives_degrades_the_path_and_does_not_break_it() -> None:
    chain = why(without_disks(ArrayState.DEGRADED, "nvme-D2"))
    assert (
        "1 of 3 disks of array tank are missing or faulty (nvme-D2), and the array is running without them"
        in chain.links[0].words
    )
    assert [link.state for link in chain.links[:3]] == [LinkState.DEGRADED, LinkState.DEGRADED, LinkState.OK]
    assert chain.sentence == (
        f"The host is connected and can access LUN 3 of {TARGET}, but redundancy is reduced: {chain.links[0].words}."
    )


def test_a_rebuild_is_reduced_redundancy_and_what_nobody_knows_is_said_beside_it() -> None:
    chain = why(replace(without_disks(ArrayState.REBUILDING), sessions=None))
    assert (chain.links[1].part, chain.links[1].state) == (Part.ARRAY, LinkState.DEGRADED)
    assert chain.sentence.startswith("Redundancy is reduced: array tank is rebuilding")
    assert "The state of the session is unknown: the agent does not respond" in chain.sentence


def test_a_host_in_a_group_is_served_through_it() -> None:
    chain = why(replace(GOOD, guest=replace(GUEST, group="g", way=HostAccess(1, "t1", TARGET, "g"))))
    assert "LUN 1 of" in chain.links[3].words
    assert "through host group g" in chain.links[3].words


@pytest.mark.parametrize(("group", "owner"), [(None, "host h"), ("g", "host group g")])
def test_a_host_admitted_without_it_sees_who_requested_that(group: str | None, owner: str) -> None:
    target = TargetReport(
        target_id="t1", state=ServingState.OPEN, reason="r", missing=("v1",), opened_without_after_s=300
    )
    volumes = (VolumeReport(volume_id="v1", **BLOCKED),)
    guest = replace(GUEST, group=group, way=HostAccess(3, "t1", TARGET, group))
    chain = why(replace(GOOD, guest=guest, report=report(targets=(target,), volumes=volumes)))
    without = f"; the host's paths opened without it after 300 s, as {owner} specifies"
    assert chain.links[3].words == f"it waits: waiting for array tank{without}"


WWPN, OUR_PORT = "21:00:00:24:ff:00:00:01", "50:00:00:00:00:00:00:01"
FC_GUEST = replace(GUEST, initiators=frozenset({("wwpn", WWPN)}))
FC_SESSION = SESSION.model_copy(update={"target": OUR_PORT, "initiator": WWPN, "protocol": Protocol.FC})


def over_fc(*ports: ObservedFcPort, session: bool = False) -> ChainFacts:
    """A host that has a WWPN and no IQN, and an appliance without portals."""
    machine = MACHINE.model_copy(update={"fc_ports": ports})
    sessions = logged_in(*([FC_SESSION] if session else []))
    return replace(GOOD, guest=FC_GUEST, portals=(), seen=machine, sessions=sessions)


def test_fibre_channel_needs_a_port_in_target_mode_and_no_portal() -> None:
    chain = why(over_fc(seen.fc_port(OUR_PORT, FcMode.TARGET, WWPN), session=True))
    assert [link.state for link in chain.links] == [LinkState.OK] * 6
    nothing = why(over_fc(seen.fc_port(OUR_PORT, FcMode.INITIATOR))).sentence
    assert "no Fibre Channel port is in target mode" in nothing
    assert OUR_PORT in nothing
    unplugged = seen.fc_port(OUR_PORT, FcMode.TARGET).model_copy(update={"state": "Linkdown"})
    assert "has no link (Linkdown)" in why(over_fc(unplugged)).sentence


def test_a_host_that_is_on_the_fabric_without_a_session_must_log_in_again() -> None:
    there = why(over_fc(seen.fc_port(OUR_PORT, FcMode.DUAL, WWPN))).sentence
    assert "issue_lip" in there
    away = why(over_fc(seen.fc_port(OUR_PORT, FcMode.DUAL))).sentence
    assert "is not on the fabric" in away
    assert "switch zoning" in away


def test_while_the_agent_is_away_only_what_is_stored_is_judged() -> None:
    away = replace(GOOD, seen=None, sessions=None)
    chain = why(away)
    assert {link.state for link in chain.links} == {LinkState.UNKNOWN}
    assert "is unknown: the agent does not respond" in chain.sentence
    assert "The path is broken at the export" in why(replace(away, guest=replace(GUEST, way=None))).sentence


def test_a_portal_over_rdma_says_what_it_waits_for_and_that_the_host_needs_rdma() -> None:
    iser = replace(PORTAL, protocol="iser", port=3261)
    waits = "no RDMA device found: install an RDMA network card"
    shut = PortalReport(portal_id="p1", state=ServingState.BLOCKED, reason=waits)
    chain = why(replace(GOOD, portals=(iser,), report=report(portals=(shut,))))
    assert f"no portal is listening (front: {waits}" in chain.sentence
    chain = why(replace(GOOD, portals=(iser,), sessions=logged_in()))
    assert "connect it to 10.0.2.15:3261 over RDMA" in chain.sentence
