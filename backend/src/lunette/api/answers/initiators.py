"""Initiators that were seen and belong to no host: what a new host can be made of."""

from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime

from lunette.api.answers.base import Answer
from lunette.domain.hosts import InitiatorKind
from lunette.domain.mappings import NVME_PROTOCOLS, Protocol
from lunette.domain.observations import Observation, RefusedLogin, SessionsObservation

_TARGET = "FCP Target"


class Initiator(Answer):
    """One that is on the fabric, logged in, or was turned away at a login over iSCSI. `words` say where it was seen."""

    name: str
    kind: InitiatorKind
    peer: str | None
    """The address it came from, over iSCSI."""
    words: str
    refused_at: datetime | None
    """When it was last turned away over iSCSI; null of one that was not."""


def unknown_initiators(
    seen: Observation | None,
    sessions: SessionsObservation | None,
    known: Collection[str],
    refused: Iterable[RefusedLogin] = (),
) -> tuple[Initiator, ...]:
    """Each once, by name; `known` are the names that belong to hosts, in small letters."""
    found: dict[str, Initiator] = {}
    for one in (*_on_the_fabric(seen), *_logged_in(sessions), *_turned_away(refused)):
        if one.name.lower() not in known:
            found.setdefault(one.name, one)
    return tuple(found[name] for name in sorted(found))


def _on_the_fabric(seen: Observation | None) -> Iterator[Initiator]:
    """Ports that are no targets themselves: another array is no host, nor is a port of our own."""
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
        yield Initiator(name=one.initiator, kind=InitiatorKind.IQN, peer=None, words="turned away", refused_at=at)
