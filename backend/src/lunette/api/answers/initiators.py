"""Observed initiators that belong to no host, from which a new host can be created."""

from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime

from lunette.api.answers.base import Answer
from lunette.domain.hosts import InitiatorKind
from lunette.domain.mappings import NVME_PROTOCOLS, Protocol
from lunette.domain.observations import Observation, RefusedLogin, SessionsObservation

_TARGET = "FCP Target"


class Initiator(Answer):
    """An initiator that belongs to no host and is on the fabric, is logged in, or was refused at an iSCSI login."""

    name: str
    """Name of the initiator: an IQN, WWPN or NQN."""
    kind: InitiatorKind
    """Kind of name."""
    peer: str | None
    """Network address of the initiator, or null if unknown."""
    words: str
    """Where the appliance observed the initiator, in words."""
    refused_at: datetime | None
    """When an iSCSI login of the initiator was last refused, in UTC. Null for initiators on the fabric or logged in."""


def unknown_initiators(
    seen: Observation | None,
    sessions: SessionsObservation | None,
    known: Collection[str],
    refused: Iterable[RefusedLogin] = (),
) -> tuple[Initiator, ...]:
    """Each initiator once, by name. `known` are the names that belong to hosts, in lower case."""
    found: dict[str, Initiator] = {}
    for one in (*_on_the_fabric(seen), *_logged_in(sessions), *_turned_away(refused)):
        if one.name.lower() not in known:
            found.setdefault(one.name, one)
    return tuple(found[name] for name in sorted(found))


def _on_the_fabric(seen: Observation | None) -> Iterator[Initiator]:
    """Ports that are not targets themselves: neither other arrays nor FC ports of this appliance are hosts."""
    ours = {port.wwpn for port in seen.fc_ports} if seen else set()
    for port in seen.fc_ports if seen else ():
        for remote in port.remotes:
            if _TARGET not in remote.roles and remote.wwpn not in ours:
                words = f"on the fabric of port {port.wwpn}"
                yield Initiator(name=remote.wwpn, kind=InitiatorKind.WWPN, peer=None, words=words, refused_at=None)


def _logged_in(sessions: SessionsObservation | None) -> Iterator[Initiator]:
    for one in sessions.sessions if sessions else ():
        kind = InitiatorKind.WWPN if one.protocol is Protocol.FC else InitiatorKind.IQN
        kind = InitiatorKind.NQN if one.protocol in NVME_PROTOCOLS else kind
        words = f"logged in to {one.target}"
        yield Initiator(name=one.initiator, kind=kind, peer=one.peer, words=words, refused_at=None)


def _turned_away(refused: Iterable[RefusedLogin]) -> Iterator[Initiator]:
    for one in refused:
        at = datetime.fromtimestamp(one.at, UTC)
        yield Initiator(name=one.initiator, kind=InitiatorKind.IQN, peer=None, words="login refused", refused_at=at)
