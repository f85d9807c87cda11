"""Sessions: initiators that are logged in now."""

from datetime import UTC, datetime

from lunette.api.answers.base import Answer, Page
from lunette.domain.counters import SessionCounters
from lunette.domain.exports import ObservedSession
from lunette.domain.mappings import Family, Protocol
from lunette.domain.sessions import session_id, stays_because


class Unseen(Answer):
    """Sessions over one family that may be there and cannot be listed, with the reason."""

    family: Family
    reason: str


class Session(Answer):
    """An initiator logged in now.

    The counters are those of its volumes since they were mapped to it, bytes in whole MiB for each volume; null where
    the kernel counts nothing per host.
    """

    id: str
    host: str | None
    host_id: str | None
    initiator: str
    protocol: Protocol
    target_iqn: str | None
    """Of an iSCSI session."""
    target_wwpn: str | None
    """Our port, of a Fibre Channel session."""
    subsystem_nqn: str | None
    """Of an NVMe session."""
    portal: str | None
    peer: str | None
    state: str
    since: datetime | None
    read_bytes: int | None
    write_bytes: int | None
    commands: int | None
    queue_depth: int | None
    """Commands the initiator may have under way at a time; null where the kernel does not tell."""
    can_disconnect: bool
    stays_because: str | None
    """Why it cannot be disconnected; null if it can."""
    age_s: float


class SessionPage(Page[Session]):
    """`unseen` tells what the list leaves out: it is never to be taken for no sessions."""

    unseen: tuple[Unseen, ...]


def session_answer(
    session: ObservedSession, host: tuple[str, str] | None, counted: SessionCounters | None, age_s: float
) -> Session:
    """`host` is the id and name of the host that owns the initiator name."""
    luns = counted.volumes.values() if counted else None
    over_fc = session.protocol is Protocol.FC
    is_scsi = session.protocol.family is Family.SCSI and not over_fc
    stays = stays_because(session)
    return Session(
        id=session_id(session),
        host=host[1] if host else None,
        host_id=host[0] if host else None,
        initiator=session.initiator,
        protocol=session.protocol,
        target_iqn=session.target if is_scsi else None,
        target_wwpn=session.target if over_fc else None,
        subsystem_nqn=session.target if session.protocol.family is Family.NVME else None,
        portal=session.portal,
        peer=session.peer,
        state=session.state,
        since=datetime.fromtimestamp(session.since, UTC) if session.since is not None else None,
        read_bytes=None if luns is None else sum(lun.read_bytes for lun in luns),
        write_bytes=None if luns is None else sum(lun.write_bytes for lun in luns),
        commands=None if luns is None else sum(lun.commands for lun in luns),
        queue_depth=session.queue_depth,
        can_disconnect=stays is None,
        stays_because=stays,
        age_s=age_s,
    )
