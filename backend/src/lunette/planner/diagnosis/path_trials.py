"""Plans the test of a host's paths: each is taken down in turn, if the host has another one.

Pure. The test is refused if paths cannot be distinguished, are missing, or depend on an array that is not healthy; the
refusal says what to fix first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from lunette.domain.errors import Conflict, FieldProblem, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import Family, Protocol
from lunette.domain.paths import HostPaths, HostVerifyPaths, PathState
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import HostLink, PathsAsk, PathTry
from lunette.planner.diagnosis.paths import PathFacts
from lunette.planner.diagnosis.why import AWAY
from lunette.planner.kits.facts import REPLACEMENT_S, KitPortal, KitTarget

NOT_TRIED = {
    Protocol.ISER: "they bypass the network stack, so no kernel rule can interrupt them",
    Protocol.FC: "LIO cannot block one port for another temporarily",
    Protocol.NVME_TCP: "the kernel's NVMe target does not report the connected hosts, so they cannot be identified",
    Protocol.NVME_RDMA: "the kernel's NVMe target does not report the connected hosts, so they cannot be identified",
    Protocol.NVME_FC: "the kernel's NVMe target does not report the connected hosts, so they cannot be identified",
}
"""Why paths of these protocols are not tested."""
OVER_SPDK = "SPDK does not count the I/O of hosts, so it is unknown whether it continues over the other paths"


@dataclass(frozen=True)
class TrialFacts:
    """`found` is the verdict on `paths`; `unfit` are unhealthy arrays of the host's volumes, in words."""

    paths: PathFacts
    found: HostPaths
    unfit: Sequence[str]


def plan_trial(facts: TrialFacts, spec: HostVerifyPaths, identities: IdentitySource) -> Plan:
    """Raises Invalid if the host was not named, Conflict if its paths cannot be tested now."""
    host = facts.paths.host.host
    if spec.confirm != host:
        problem = FieldProblem(field="confirm", value=spec.confirm, message=f"it must be the host's name, {host}")
        raise Invalid(f"No path was interrupted: confirm: {problem.message}.", errors=(problem,))
    _check(facts)
    links = tuple(_links(facts.paths))
    if len(links) < 2:
        _refuse(host, f"it has one path over iSCSI ({links[0].shown}), and would lose its volumes: add a second path")
    iqns = tuple(facts.paths.host.iqns)
    tries = [
        PathTry(
            trial_id=identities.id(),
            host=host,
            initiators=iqns,
            link=link,
            others=tuple(other for other in links if other != link),
            sessions=_own_sessions(facts.paths),
            away_s=spec.away_s,
        )
        for link in links
    ]
    changes = tuple(
        PlannedChange(
            action=Action.INTERRUPT, noun="host", name=host, detail=f"{link.shown} is interrupted for {spec.away_s} s"
        )
        for link in links
    )
    return Plan(
        title=f"Test every path of host {host}",
        changes=changes,
        hosts_interrupted=(host,),
        steps=(PathsAsk(host=host, initiators=iqns, links=links), *tries),
        warnings=tuple(_warnings(facts, spec)),
    )


def _check(facts: TrialFacts) -> None:
    host, paths = facts.paths.host, facts.found.paths
    if facts.paths.sessions is None:
        _refuse(host.host, AWAY)
    if not facts.found.volumes:
        _refuse(host.host, "nothing is mapped to it")
    over_iscsi = [path for path in paths if path.protocol is Protocol.ISCSI]
    if not over_iscsi:
        others = sorted({path.protocol for path in paths})
        reason = f"{others[0]}: {_why_not(facts.paths, others[0])}" if others else "no portal exists for it"
        _refuse(host.host, f"only paths over iSCSI can be tested, and it has none. {reason}")
    if facts.unfit:
        _refuse(
            host.host,
            f"{'; '.join(facts.unfit)}: wait until this is resolved, because only one fault at a time is tested",
        )
    if wrong := next((path for path in over_iscsi if path.state is not PathState.UP), None):
        _refuse(host.host, f"{wrong.words}: all its paths must be connected first")


def _why_not(facts: PathFacts, protocol: Protocol) -> str:
    """Only SPDK reports sessions over NVMe: the kernel's target does not."""
    is_known = protocol.family is Family.NVME and facts.unseen(Family.NVME) is None
    return OVER_SPDK if is_known else NOT_TRIED[protocol]


def _refuse(host: str, reason: str) -> NoReturn:
    raise Conflict(f"The paths of host {host} cannot be tested: {reason}.")


def _links(facts: PathFacts) -> Iterator[HostLink]:
    """The host's addresses by portal, if each is known to be its own."""
    assert facts.sessions is not None  # noqa: S101 checked before
    own = {one.peer for one in facts.own if one.peer}
    strangers = [one for one in facts.sessions.sessions if one.initiator.lower() not in facts.names]
    claimed = {one.peer for one in strangers if one.peer}
    for portal in facts.host.portals_of(Protocol.ISCSI):
        peers = dict.fromkeys(
            one.peer for one in facts.sessions.connections if (one.address, one.port) == (portal.address, portal.port)
        )
        found = [peer for peer in peers if peer in own] or [peer for peer in peers if peer not in claimed]
        if shared := next((peer for peer in found if peer in claimed), None):
            _refuse(
                facts.host.host,
                f"its address {shared} is also an address of another host, whose paths would be interrupted with it",
            )
        if not found or (len(found) > 1 and not own.issuperset(found)):
            _refuse(facts.host.host, f"it is not known which connection on portal {portal.name} is its own")
        yield from (_link(portal, peer) for peer in found)


def _link(portal: KitPortal, peer: str) -> HostLink:
    return HostLink(portal=portal.name, address=portal.address, port=portal.port, peer=peer)


def _own_sessions(facts: PathFacts) -> dict[str, int]:
    """Sessions on targets that are not shared: other hosts may log in and out at any time."""
    assert facts.sessions is not None  # noqa: S101 checked before
    counts = {one.target: one.sessions for one in facts.sessions.counts}
    return {
        target.name: counts[target.name]
        for target in facts.host.targets_of(Family.SCSI)
        if target.name in counts and not _is_shared(facts, target)
    }


def _is_shared(facts: PathFacts, target: KitTarget) -> bool:
    seen = facts.sessions.sessions if facts.sessions else ()
    return any(one.target == target.name and one.initiator.lower() not in facts.names for one in seen)


def _warnings(facts: TrialFacts, spec: HostVerifyPaths) -> Iterator[str]:
    yield (
        "The host must perform I/O continuously: a path is interrupted only while it does, and the test passes only "
        "if the I/O continues."
    )
    yield (
        f"Outstanding I/O on an interrupted path waits up to {REPLACEMENT_S} s on a host configured with its setup "
        f"kit, longer on others. Each path is restored after {spec.away_s} s at the latest, even if the appliance's "
        "agent fails; if the host performs no I/O for 30 s, its path is restored immediately."
    )
    for protocol in sorted({path.protocol for path in facts.found.paths if path.protocol in NOT_TRIED}):
        yield f"Paths over {protocol.value} are not tested: {_why_not(facts.paths, protocol)}."
