"""Which of a host's paths are up. Pure: the input is the host, its expected paths, and the observation.

LIO shows one session of each initiator, with the peer's address and without the portal; it counts the sessions of a
target, and its TCP connections are known by portal and peer. So a connection is a host's if its peer is one of the
addresses the host is seen with. A host may use another address on another network: if the target's count shows more
sessions than connections from known addresses, and only one portal has unclaimed connections, the sessions are there;
if several have, it is unknown. What is unknown is never reported as missing.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lunette.domain.exports import ObservedSession
from lunette.domain.fc import FcMode, ObservedFcPort
from lunette.domain.hosts import HostConnection
from lunette.domain.mappings import NVME_PROTOCOLS, Family, Protocol
from lunette.domain.observations import SessionsObservation
from lunette.domain.paths import HostPath, HostPaths, PathState, VolumePaths
from lunette.planner.diagnosis.why import AWAY
from lunette.planner.kits.facts import KitFacts, KitPortal, KitTarget

NOT_LOGGED_IN = (
    "it is not known over which portals: the host has more sessions than connections from addresses known to be its own"
)


class Logins:
    """The sessions of one observation by initiator (in lower case), by peer and by portal, for many hosts."""

    def __init__(self, found: SessionsObservation) -> None:
        self.of: dict[str, list[ObservedSession]] = defaultdict(list)
        self.initiators: dict[str, set[str]] = defaultdict(set)
        self.peers: dict[tuple[str, int], list[str]] = defaultdict(list)
        for session in found.sessions:
            self.of[session.initiator.lower()].append(session)
            if session.peer:
                self.initiators[session.peer].add(session.initiator.lower())
        for one in found.connections:
            self.peers[one.address, one.port].append(one.peer)
        self.counts = {one.target: one.sessions for one in reversed(found.counts)}


@dataclass(frozen=True)
class PathFacts:
    """`blocked` gives the reason for portals that do not listen, by name; `owners` the host of each initiator name.

    `others` are the initiators that share a target with the host, such as members of its group. `sessions` None: the
    agent does not answer.
    """

    host: KitFacts
    blocked: Mapping[str, str]
    others: frozenset[str]
    sessions: SessionsObservation | None
    fc_ports: Sequence[ObservedFcPort] = ()
    shared: Logins | None = None
    """Of `sessions`, if the paths of several hosts are judged."""

    @cached_property
    def names(self) -> frozenset[str]:
        """The host's initiators, in lower case."""
        return frozenset(name.lower() for name in (*self.host.iqns, *self.host.wwpns, *self.host.nqns))

    @cached_property
    def logins(self) -> Logins | None:
        return self.shared or (Logins(self.sessions) if self.sessions else None)

    @cached_property
    def own(self) -> tuple[ObservedSession, ...]:
        found = self.logins.of if self.logins else {}
        return tuple(session for name in sorted(self.names) for session in found.get(name, ()))

    def unseen(self, family: Family) -> str | None:
        """Why sessions over a family cannot be listed; None if they can."""
        if self.sessions is None:
            return AWAY
        return next((one.reason for one in self.sessions.unseen if one.family is family), None)


def verify(facts: PathFacts) -> HostPaths:
    """Every path of the host, and of each of its volumes."""
    found = {target: tuple(_paths(facts, target)) for target in facts.host.targets}
    volumes = tuple(one for target, paths in found.items() for one in _volumes(target, paths))
    paths = tuple(path for of_target in found.values() for path in of_target)
    state = _worst([one.state for one in volumes])
    return HostPaths(
        host=facts.host.host,
        state=state,
        sentence=_sentence(facts.host, paths, volumes),
        paths=paths,
        volumes=volumes,
        verification=None,
    )


def connection(facts: PathFacts, sessions: int | None, *, was_seen: bool) -> HostConnection:
    """The state of a host with this number of sessions; None is unknown. Paths in an unknown state are not missing."""
    if sessions is None:
        return HostConnection.UNKNOWN
    if not sessions:
        return HostConnection.OFFLINE if was_seen else HostConnection.NEVER
    states = [_state(tuple(_paths(facts, target))) for target in facts.host.targets]
    return HostConnection.DEGRADED if PathState.DOWN in states else HostConnection.ONLINE


def _worst(states: Sequence[PathState]) -> PathState:
    """Missing takes precedence over unknown; no path at all is unknown."""
    for state in (PathState.DOWN, PathState.UNKNOWN):
        if state in states:
            return state
    return PathState.UP if states else PathState.UNKNOWN


def _state(paths: Sequence[HostPath]) -> PathState:
    """The state of a target's volumes: without a path they cannot be reached."""
    return _worst([path.state for path in paths] or [PathState.DOWN])


def _paths(facts: PathFacts, target: KitTarget) -> Iterator[HostPath]:
    if target.family is Family.NVME:
        if facts.host.nqns:
            yield from _over_nvme(facts, target)
        return
    if facts.host.iqns:
        yield from _over_iscsi(facts, target)
    if facts.host.wwpns:
        yield from _over_fc(facts)


def _portal_path(target: KitTarget, portal: KitPortal, state: PathState, words: str) -> HostPath:
    return HostPath(
        target=target.name,
        protocol=portal.protocol,
        portal=portal.name,
        address=portal.shown,
        initiator=None,
        state=state,
        words=words,
    )


def _over_iscsi(facts: PathFacts, target: KitTarget) -> Iterator[HostPath]:
    portals = facts.host.portals_of(Protocol.ISCSI, Protocol.ISER)
    states = _Attribution(facts, target, portals).states() if facts.sessions else {}
    for portal in portals:
        state = states.get(portal, PathState.UNKNOWN)
        where = f"portal {portal.name} ({portal.shown})"
        if portal.name in facts.blocked and state is not PathState.UP:
            yield _portal_path(
                target, portal, PathState.DOWN, f"{where} is not listening: {facts.blocked[portal.name]}"
            )
        elif state is PathState.UP:
            yield _portal_path(target, portal, state, f"logged in on {where}")
        elif state is PathState.DOWN:
            yield _portal_path(target, portal, state, f"no connection to {where}")
        else:
            yield _portal_path(target, portal, state, f"{where}: {NOT_LOGGED_IN if facts.sessions else AWAY}")


class _Attribution:
    """Which connections to iSCSI portals are one host's sessions on one target."""

    def __init__(self, facts: PathFacts, target: KitTarget, portals: Sequence[KitPortal]) -> None:
        if facts.logins is None:
            raise ValueError("without the agent, connections cannot be attributed to hosts")
        self._facts, self._target, self._portals, self._logins = facts, target, portals, facts.logins
        self._here = [one for one in facts.own if one.target == target.name]
        self._peers = {one.peer for one in facts.own if one.peer}
        self._targets = len({one.target for one in facts.own if one.protocol is not Protocol.FC})

    def _is_claimed(self, peer: str) -> bool:
        """Another host is seen with this address."""
        return not self._logins.initiators.get(peer, set()) <= self._facts.names

    def states(self) -> dict[KitPortal, PathState]:
        """The state of each portal."""
        if not self._here:
            return dict.fromkeys(self._portals, PathState.DOWN)
        states = {portal: self._by_address(portal) for portal in self._portals}
        left = self._left(states)
        open_ones = [portal for portal, state in states.items() if state is PathState.UNKNOWN]
        if left == 0:
            states |= dict.fromkeys(open_ones, PathState.DOWN)
        elif left is not None and len(open_ones) == left:
            states |= dict.fromkeys(open_ones, PathState.UP)
        return states

    def _by_address(self, portal: KitPortal) -> PathState:
        """The result from connections only. An iSER portal has none, so only its newest session is known."""
        if portal.protocol is Protocol.ISER:
            is_there = any(one.protocol is Protocol.ISER for one in self._here)
            alone = len([one for one in self._portals if one.protocol is Protocol.ISER]) == 1
            return PathState.UP if is_there and alone else PathState.UNKNOWN
        peers = self._logins.peers.get((portal.address, portal.port), [])
        known = [peer for peer in peers if peer in self._peers]
        if known and not any(map(self._is_claimed, known)) and len(known) >= self._targets:
            return PathState.UP
        is_open = bool(known) or not all(map(self._is_claimed, peers))
        return PathState.UNKNOWN if is_open else PathState.DOWN

    def _left(self, states: Mapping[KitPortal, PathState]) -> int | None:
        """Sessions on the target without a known portal; None if other hosts may have them."""
        others = (one for name in self._facts.others for one in self._logins.of.get(name.lower(), ()))
        shares = any(one.target == self._target.name for one in others)
        count = self._logins.counts.get(self._target.name)
        if shares or count is None:
            return None
        return max(0, count - sum(state is PathState.UP for state in states.values()))


def _over_nvme(facts: PathFacts, target: KitTarget) -> Iterator[HostPath]:
    unseen = facts.unseen(Family.NVME)
    for portal in facts.host.portals_of(*NVME_PROTOCOLS):
        where = f"portal {portal.name} ({portal.shown})"
        is_there = any(
            one.target == target.name and one.protocol is portal.protocol and _is_through(one.portal or "", portal)
            for one in facts.own
        )
        if portal.name in facts.blocked and not is_there:
            yield _portal_path(
                target, portal, PathState.DOWN, f"{where} is not listening: {facts.blocked[portal.name]}"
            )
        elif is_there:
            yield _portal_path(target, portal, PathState.UP, f"connected on {where}")
        elif unseen is not None:
            yield _portal_path(target, portal, PathState.UNKNOWN, f"{where}: {unseen}")
        else:
            yield _portal_path(target, portal, PathState.DOWN, f"no connection to {where}")


def _is_through(where: str, portal: KitPortal) -> bool:
    """True if a connection may belong to this portal. Only the port decides: the kernel shows a wildcard as
    configured.
    """
    is_over_fc = portal.protocol is Protocol.NVME_FC
    return where == portal.address if is_over_fc else where.rpartition(":")[2] == str(portal.port)


def _over_fc(facts: PathFacts) -> Iterator[HostPath]:
    """Zones decide which ports see each other: a path is expected between those, and at least one for each port."""
    ours = {port.wwpn: port for port in facts.fc_ports if port.mode in (FcMode.TARGET, FcMode.DUAL)}
    there = {(one.target, one.initiator) for one in facts.own if one.protocol is Protocol.FC}
    visible = {
        (wwpn, remote.wwpn)
        for wwpn in facts.host.fc_ports
        for remote in (ours[wwpn].remotes if wwpn in ours else ())
        if remote.wwpn in facts.host.wwpns
    }
    for port, initiator in sorted(there | visible):
        is_up = (port, initiator) in there
        words = f"{initiator} is {'' if is_up else 'on the fabric but not '}logged in on port {port}"
        yield _fc_path(port, initiator, PathState.UP if is_up else PathState.DOWN, words)
    state = PathState.DOWN if facts.sessions else PathState.UNKNOWN
    for initiator in facts.host.wwpns:
        if initiator not in {one for _, one in there | visible}:
            words = f"{initiator} is not on the fabric of any port: check its link and the switch zoning"
            yield _fc_path("", initiator, state, words if facts.sessions else AWAY)
    for port in facts.host.fc_ports:
        if port not in {one for one, _ in there | visible}:
            words = f"no connection to port {port}: no port of the host is on its fabric"
            yield _fc_path(port, None, state, words if facts.sessions else AWAY)


def _fc_path(port: str, initiator: str | None, state: PathState, words: str) -> HostPath:
    return HostPath(
        target=port, protocol=Protocol.FC, portal=port, address=None, initiator=initiator, state=state, words=words
    )


def _volumes(target: KitTarget, paths: Sequence[HostPath]) -> Iterator[VolumePaths]:
    unknown = any(path.state is PathState.UNKNOWN for path in paths)
    up = sum(path.state is PathState.UP for path in paths)
    state = _state(paths)
    for volume in target.volumes:
        yield VolumePaths(
            volume=volume.name,
            lun=volume.lun,
            family=target.family,
            expected=len(paths),
            seen=None if unknown else up,
            state=state,
            words=_counted(paths, up),
        )


def _counted(paths: Sequence[HostPath], up: int) -> str:
    """For example: expected 4 paths, seen 3: no connection to portal b (10.0.0.2:3260)."""
    if not paths:
        return "no path exists: the host has no initiator, or the appliance no portal, for this volume"
    plural = "path" if len(paths) == 1 else "paths"
    missing = "; ".join(path.words for path in paths if path.state is PathState.DOWN)
    unknown = [path for path in paths if path.state is PathState.UNKNOWN]
    words = f"expected {len(paths)} {plural}, seen {up}"
    if unknown:
        words = f"expected {len(paths)} {plural}, {f'at least {up} seen' if up else 'number seen unknown'}"
    reasons = list(dict.fromkeys(path.words for path in unknown))[:1]
    return ": ".join([words, *([missing] if missing else reasons)])


def _sentence(host: KitFacts, paths: Sequence[HostPath], volumes: Sequence[VolumePaths]) -> str:
    if not volumes:
        return f"No volume is mapped to host {host.host}, so it needs no path."
    worst = next((one for one in volumes if one.state is _worst([each.state for each in volumes])), volumes[0])
    if worst.state is PathState.UP:
        several = "its only path" if len(paths) == 1 else f"all {len(paths)} paths"
        return f"Host {host.host} is connected over {several}." + (" Add a second path." if len(paths) == 1 else "")
    return f"Host {host.host}: {worst.words}."
