"""Why a host does not see a volume: the first broken link from the disks to the session, in plain words.

Pure: the input is the facts of the database, the last observation, the last converge report and the sessions; None
stands for what is unknown because the agent does not answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lunette.domain.arrays import ArrayState, ObservedArray
from lunette.domain.exports import (
    ConvergeReport,
    ServingState,
    TargetReport,
    VolumeReport,
)
from lunette.domain.fc import FcMode
from lunette.domain.jobs import ResourceState
from lunette.domain.mappings import Family, Protocol
from lunette.domain.observations import Observation, SessionsObservation
from lunette.domain.why import LinkState, Part, WhyChain, WhyLink
from lunette.planner.access.portals import KnownPortal, shown
from lunette.planner.arrays.absent import describe, strangers
from lunette.planner.checks.findings import shorten
from lunette.planner.engines.array_engines import hides_array
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.volume_engines import hides_volumes

KINDS = {Family.SCSI: frozenset({"iqn", "wwpn"}), Family.NVME: frozenset({"nqn"})}
"""The kinds of initiator that see a volume over each family."""
KIND_OF = {
    Protocol.ISCSI: "iqn",
    Protocol.ISER: "iqn",
    Protocol.NVME_TCP: "nqn",
    Protocol.NVME_RDMA: "nqn",
    Protocol.NVME_FC: "nqn",
    Protocol.FC: "wwpn",
}
"""The kind of initiator that uses each protocol."""
AWAY = "the agent does not respond; check lunette-agent on the appliance"

UNREAD = "it cannot be read now; see the alerts"


@dataclass(frozen=True)
class HostAccess:
    """How a volume is mapped to a host: LUN, target, and the group if there is one.

    `target_name` is the target's IQN, or over NVMe the subsystem's NQN.
    """

    lun: int
    target_id: str
    target_name: str
    group: str | None
    family: Family = Family.SCSI

    @property
    def place(self) -> str:
        """The LUN or namespace and its target, in the words of the family."""
        return f"{'LUN' if self.family is Family.SCSI else 'namespace'} {self.lun} of {self.target_name}"


@dataclass(frozen=True)
class MappedHost:
    """The host that should see the volume. `initiators` are (kind, name)."""

    name: str
    initiators: frozenset[tuple[str, str]]
    group: str | None
    way: HostAccess | None


@dataclass(frozen=True)
class ChainFacts:
    """`owners` are the names of all hosts and groups it is mapped to; `wanted` is the generation of the exports."""

    array: KnownArray
    volume_id: str
    volume: str
    volume_state: str
    owners: Sequence[str]
    guest: MappedHost | None
    portals: Sequence[KnownPortal]
    wanted: int
    seen: Observation | None
    report: ConvergeReport | None
    sessions: SessionsObservation | None


def why(facts: ChainFacts) -> WhyChain:
    """The chain with every checked link, and the first broken one as a sentence."""
    observed = next((a for a in facts.seen.arrays if a.uuid == facts.array.uuid), None) if facts.seen else None
    links = (
        _disks(facts, observed),
        _array(facts, observed),
        _volume(facts),
        _export(facts),
        _portal(facts),
        _session(facts),
    )
    return WhyChain(host=facts.guest.name if facts.guest else None, sentence=_sentence(facts, links), links=links)


def _sentence(facts: ChainFacts, links: Sequence[WhyLink]) -> str:
    broken = next((link for link in links if link.state is LinkState.BROKEN), None)
    if broken:
        return f"The path is broken at the {broken.part}: {broken.words}."
    degraded = next((link for link in links if link.state is LinkState.DEGRADED), None)
    unknown = next((link for link in links if link.state is LinkState.UNKNOWN), None)
    if degraded and unknown:
        return f"Redundancy is reduced: {degraded.words}. The state of the {unknown.part} is unknown: {unknown.words}."
    if unknown:
        return f"No fault was found, but the state of the {unknown.part} is unknown: {unknown.words}."
    where = facts.guest.way.place if facts.guest and facts.guest.way else ""
    if degraded:
        return f"The host is connected and can access {where}, but redundancy is reduced: {degraded.words}."
    return f"The host is connected and can access {where}. If it does not see the volume, rescan its disks."


def _ok(part: Part, words: str) -> WhyLink:
    return WhyLink(part=part, state=LinkState.OK, words=words)


def _broken(part: Part, words: str) -> WhyLink:
    return WhyLink(part=part, state=LinkState.BROKEN, words=words)


def _degraded(part: Part, words: str) -> WhyLink:
    return WhyLink(part=part, state=LinkState.DEGRADED, words=words)


def _unknown(part: Part, words: str = AWAY) -> WhyLink:
    return WhyLink(part=part, state=LinkState.UNKNOWN, words=words)


def _disks(facts: ChainFacts, observed: ObservedArray | None) -> WhyLink:
    """Broken only if too few disks are left for the array to run, and degraded if any is lost."""
    if facts.seen is None:
        return _unknown(Part.DISK)
    if facts.seen.hides_disks():
        return _unknown(Part.DISK, UNREAD)
    ids = [member.disk_id for member in facts.array.members]
    if observed is None or observed.state is ArrayState.MISSING:
        others = strangers(facts.array.engine, facts.array.uuid, ids, facts.seen)
        if others:
            away = sum(facts.seen.disk(disk_id) is None for disk_id in ids)
            return _broken(
                Part.DISK, f"array {facts.array.name}: {describe(others, away)}; find out what happened to them"
            )
    gone = [disk_id for disk_id in ids if facts.seen.disk(disk_id) is None]
    faulty = [m.disk_id for m in observed.members if m.state == "faulty" and m.disk_id] if observed else []
    lost = [*gone, *(disk_id for disk_id in faulty if disk_id not in gone)]
    if not lost:
        return _ok(Part.DISK, f"all {len(ids)} disks of array {facts.array.name} are present")
    words = f"{len(lost)} of {len(ids)} disks of array {facts.array.name} are missing or faulty ({shorten(lost)})"
    if observed is not None and observed.dirty_without:
        return _degraded(Part.DISK, f"{words}, which the array tolerates")
    if observed is None or observed.state in (ArrayState.FAILED, ArrayState.MISSING):
        return _broken(Part.DISK, f"{words}; check their cables and power, or reinsert them")
    return _degraded(Part.DISK, f"{words}, and the array is running without them; replace them")


def _array(facts: ChainFacts, observed: ObservedArray | None) -> WhyLink:
    name = f"array {facts.array.name}"
    if facts.array.state != ResourceState.READY:
        return _broken(Part.ARRAY, f"{name} is {facts.array.state}; check its job")
    if facts.seen is None:
        return _unknown(Part.ARRAY)
    if observed is not None and observed.dirty_without:
        words = "it stopped during writes, and lacks a disk; reattach this disk, or force-start the array"
        return _broken(Part.ARRAY, f"{name} stays stopped: {words}")
    if observed is None and hides_array(facts.seen, facts.array.engine, facts.array.uuid, facts.array.group):
        return _unknown(Part.ARRAY, UNREAD)
    if observed is None or observed.state is ArrayState.MISSING:
        return _broken(Part.ARRAY, f"{name} is not running; it starts automatically as soon as its disks are attached")
    if observed.locked:
        way = f"unlock it with `lunette array unlock {facts.array.name}`"
        return _broken(Part.ARRAY, f"{name} waits for its key: {way}; its exports then return automatically")
    if observed.state is ArrayState.FAILED:
        return _broken(Part.ARRAY, f"{name} has failed: it lost more disks than its level tolerates")
    is_hidden = hides_volumes(facts.seen, facts.array.engine, facts.array.group)
    if not is_hidden and not any(pool.group == facts.array.group for pool in facts.seen.groups):
        return _broken(
            Part.ARRAY, f"{name} is running, but {facts.array.group}, which holds its volumes, was not found"
        )
    if observed.state is ArrayState.DEGRADED:
        return _degraded(Part.ARRAY, f"{name} is degraded; replace what it lacks")
    if observed.state is ArrayState.REBUILDING:
        return _degraded(Part.ARRAY, f"{name} is rebuilding, and degraded until that is complete")
    return _ok(Part.ARRAY, f"{name} is {observed.state.value}")


def _volume(facts: ChainFacts) -> WhyLink:
    name = f"volume {facts.volume}"
    if facts.volume_state != ResourceState.READY:
        return _broken(Part.VOLUME, f"{name} is {facts.volume_state}; check its job")
    if facts.seen is None:
        return _unknown(Part.VOLUME)
    found = next((volume for volume in facts.seen.volumes if volume.volume_id == facts.volume_id), None)
    if found is None and hides_volumes(facts.seen, facts.array.engine, facts.array.group):
        return _unknown(Part.VOLUME, UNREAD)
    if found is None:
        return _broken(
            Part.VOLUME, f"{name} was not found on its array; check the content of {facts.array.group} on the appliance"
        )
    if not found.active:
        return _broken(
            Part.VOLUME,
            f"{name} is present but not active; the agent activates it within seconds, or reports why it cannot",
        )
    return _ok(Part.VOLUME, f"{name} is present as {found.device}")


def _export(facts: ChainFacts) -> WhyLink:
    """Checks the mapping, and whether its target is open."""
    guest, name = facts.guest, f"volume {facts.volume}"
    if guest is None and facts.owners:
        return _broken(Part.EXPORT, f"{name} is mapped to {shorten(list(facts.owners))}, which has no hosts; add some")
    if guest is None:
        return _broken(Part.EXPORT, f"{name} is not mapped; map it to a host or a host group")
    if guest.way is None:
        others = f"; it is mapped to {shorten(list(facts.owners))}" if facts.owners else ""
        through = f" nor to its host group {guest.group}" if guest.group else ""
        return _broken(Part.EXPORT, f"{name} is not mapped to host {guest.name}{through}{others}")
    if facts.report is None or facts.seen is None:
        return _unknown(Part.EXPORT)
    if not facts.report.accepted:
        return _broken(
            Part.EXPORT,
            "the agent rejected the current configuration and continues to serve the previous one: "
            f"{facts.report.refusal}",
        )
    targets: Sequence[TargetReport] = (
        facts.report.targets if guest.way.family is Family.SCSI else facts.report.subsystems
    )
    reports: list[VolumeReport | TargetReport] = [
        *(one for one in facts.report.volumes if one.volume_id == facts.volume_id),
        *(one for one in targets if one.target_id == guest.way.target_id),
    ]
    blocked = next((one for one in reports if one.state is ServingState.BLOCKED), None)
    if blocked is not None:
        return _broken(
            Part.EXPORT, f"it waits: {blocked.reason or 'the agent gave no reason'}{_without(facts, targets)}"
        )
    if len(reports) < 2 or facts.report.generation < facts.wanted:
        return _broken(Part.EXPORT, "the agent has not applied the last change yet; ask again in a few seconds")
    via = f" through host group {guest.way.group}" if guest.way.group else ""
    return _ok(Part.EXPORT, f"{guest.way.place}{via} is open")


def _without(facts: ChainFacts, targets: Sequence[TargetReport]) -> str:
    """A note that the host's paths opened without the volume, if they did."""
    guest = facts.guest
    target = next((one for one in targets if guest and guest.way and one.target_id == guest.way.target_id), None)
    if guest is None or guest.way is None or target is None or facts.volume_id not in target.missing:
        return ""
    if target.opened_without_after_s is None:
        return ""
    owner = f"host group {guest.way.group}" if guest.way.group else f"host {guest.name}"
    return f"; the host's paths opened without it after {target.opened_without_after_s} s, as {owner} specifies"


def _portal(facts: ChainFacts) -> WhyLink:
    """Checks for an open portal of a protocol for which the host has an initiator. A host with only Fibre Channel needs
    none.
    """
    kinds = {kind for kind, _ in facts.guest.initiators} if facts.guest else {"iqn", "nqn"}
    if facts.guest and facts.guest.way:
        kinds &= KINDS[facts.guest.way.family]
        names = "IQN or WWPN" if facts.guest.way.family is Family.SCSI else "NQN"
        if not kinds:
            return _broken(Part.PORTAL, f"host {facts.guest.name} has no initiator for this mapping; enter its {names}")
    elif facts.guest and not kinds:
        return _broken(Part.PORTAL, f"host {facts.guest.name} has no initiator; enter its IQN, WWPN or NQN")
    if kinds == {"wwpn"}:
        return _fc_port(facts)
    fitting = [portal for portal in facts.portals if KIND_OF[Protocol(portal.protocol)] in kinds]
    if not fitting:
        there = ", ".join(sorted({portal.protocol for portal in facts.portals})) or "none"
        return _broken(Part.PORTAL, f"no portal serves a protocol of the host's initiators; available: {there}")
    if facts.report is None or facts.seen is None:
        return _unknown(Part.PORTAL)
    reports = {one.portal_id: one for one in facts.report.portals}
    states = [(portal, reports.get(portal.id)) for portal in fitting]
    listening = [portal for portal, one in states if one is not None and one.state is ServingState.OPEN]
    if listening:
        places = [_place(portal) for portal in listening]
        return _ok(Part.PORTAL, f"{shorten(places)} is listening")
    reasons = [f"{portal.name}: {(one.reason if one else None) or 'not applied yet'}" for portal, one in states]
    return _broken(Part.PORTAL, f"no portal is listening ({'; '.join(reasons)})")


def _place(portal: KnownPortal) -> str:
    """The portals, with a note on those that need an RDMA device on the host."""
    return f"{shown(portal.address, portal.port)}{' over RDMA' if Protocol(portal.protocol).is_rdma else ''}"


def _fc_port(facts: ChainFacts) -> WhyLink:
    """Checks for a Fibre Channel port in target mode with a link, for a host that uses nothing else."""
    if facts.report is None or facts.seen is None:
        return _unknown(Part.PORTAL)
    serving = [port for port in facts.seen.fc_ports if port.mode in (FcMode.TARGET, FcMode.DUAL)]
    if not serving:
        there = ", ".join(port.wwpn for port in facts.seen.fc_ports) or "none"
        return _broken(
            Part.PORTAL, f"no Fibre Channel port is in target mode (present: {there}); set one to target mode"
        )
    online = [port.wwpn for port in serving if port.state == "Online"]
    if not online:
        return _broken(Part.PORTAL, f"Fibre Channel port {serving[0].wwpn} has no link ({serving[0].state})")
    return _ok(Part.PORTAL, f"Fibre Channel port {shorten(online)} is online")


def _not_over_fc(facts: ChainFacts, guest: MappedHost) -> WhyLink:
    """The host has no session on any FC port: its presence on the fabric decides which side has the fault."""
    wwpns = {name for _, name in guest.initiators}
    ports = facts.seen.fc_ports if facts.seen else ()
    here = [(port.wwpn, one.wwpn) for port in ports for one in port.remotes if one.wwpn in wwpns]
    if here:
        words = f"{here[0][1]} of host {guest.name} is on the fabric of {here[0][0]} but not logged in as an initiator"
        return _broken(
            Part.SESSION, f"{words}; log it in again (`echo 1 > /sys/class/fc_host/hostN/issue_lip` on the host)"
        )
    words = f"host {guest.name} ({shorten(sorted(wwpns))}) is not on the fabric of any port"
    return _broken(Part.SESSION, f"{words}; check its link, the switch zoning and its WWPN")


def _session(facts: ChainFacts) -> WhyLink:
    guest = facts.guest
    if guest is None or guest.way is None:
        return _broken(Part.SESSION, "no host with access to the volume can be logged in")
    if facts.sessions is None:
        return _unknown(Part.SESSION)
    names = {name.lower() for _, name in guest.initiators}
    own = [session for session in facts.sessions.sessions if session.initiator.lower() in names]
    here = [session for session in own if session.target == guest.way.target_name or session.protocol is Protocol.FC]
    if here:
        return _ok(Part.SESSION, f"host {guest.name} is logged in{f' from {here[0].peer}' if here[0].peer else ''}")
    unseen = next((one for one in facts.sessions.unseen if one.family is guest.way.family), None)
    if unseen is not None:
        return _unknown(Part.SESSION, unseen.reason)
    if {kind for kind, _ in guest.initiators} & KINDS[guest.way.family] == {"wwpn"}:
        return _not_over_fc(facts, guest)
    elsewhere = " (it is logged in to another target)" if own else ""
    fitting = [one for one in facts.portals if Protocol(one.protocol).family is guest.way.family]
    places = [_place(portal) for portal in fitting]
    words = f"host {guest.name} is not logged in to {guest.way.target_name}{elsewhere}; connect it to {shorten(places)}"
    return _broken(Part.SESSION, f"{words}, and check its initiator name and CHAP secret")
