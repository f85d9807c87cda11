"""Sessions: initiators that are logged in now."""

import hashlib
from datetime import UTC, datetime

from lunette.api.answers.base import Answer, Page
from lunette.domain.exports import ObservedSession
from lunette.domain.mappings import Family, Protocol


class Unseen(Answer):
    """Sessions over one family that may be there and cannot be listed, with the reason."""

    family: Family
    reason: str


class Session(Answer):
    """An initiator logged in now. Counters since login; null where the kernel does not give them."""

    id: str
    host: str | None
    host_id: str | None
    initiator: str
    protocol: Protocol
    target_iqn: str | None
    """Of a SCSI session."""
    subsystem_nqn: str | None
    """Of an NVMe session."""
    portal: str | None
    peer: str | None
    state: str
    since: datetime | None
    read_bytes: int | None
    write_bytes: int | None
    commands: int | None
    age_s: float


class SessionPage(Page[Session]):
    """`unseen` tells what the list leaves out: it is never to be taken for no sessions."""

    unseen: tuple[Unseen, ...]


def session_answer(session: ObservedSession, host: tuple[str, str] | None, age_s: float) -> Session:
    """`host` is the id and name of the host that owns the initiator name."""
    is_scsi = session.protocol.family is Family.SCSI
    where = "\n".join((session.target, session.initiator, session.portal or "", session.peer or ""))
    return Session(
        id=hashlib.sha256(where.encode()).hexdigest()[:16],
        host=host[1] if host else None, host_id=host[0] if host else None,
        initiator=session.initiator, protocol=session.protocol, target_iqn=session.target if is_scsi else None,
        subsystem_nqn=None if is_scsi else session.target,
        portal=session.portal, peer=session.peer, state=session.state,
        since=datetime.fromtimestamp(session.since, UTC) if session.since is not None else None,
        read_bytes=session.read_bytes, write_bytes=session.write_bytes, commands=session.commands, age_s=age_s,
    )  # fmt: skip
