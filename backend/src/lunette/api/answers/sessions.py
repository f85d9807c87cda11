"""Sessions: initiators that are logged in now."""

from datetime import UTC, datetime

from lunette.api.answers.base import Answer, Page
from lunette.domain.counters import SessionCounters
from lunette.domain.exports import ObservedSession
from lunette.domain.mappings import Family, Protocol
from lunette.domain.sessions import session_id, stays_because


class Unseen(Answer):
    """Family whose sessions may exist and cannot be listed or measured."""

    family: Family
    """Family of the sessions."""
    reason: str
    """Reason why the sessions cannot be listed or measured."""


class Session(Answer):
    """Initiator that is logged in on a portal or an FC port.

    Over iSCSI and iSER, only the newest session of an initiator with a target is listed.
    """

    id: str
    """Unique ID of the session. Over iSCSI and iSER, each login has a new ID."""
    host: str | None
    """Name of the host of the initiator. `null` if no host has the initiator."""
    host_id: str | None
    """Unique ID of the host of the initiator. `null` if no host has the initiator."""
    initiator: str
    """Name of the initiator: an IQN, a WWPN or an NQN."""
    protocol: Protocol
    """Protocol of the session."""
    target_iqn: str | None
    """IQN of the target. `null` unless the protocol is `iscsi` or `iser`."""
    target_wwpn: str | None
    """WWPN of the FC port of the appliance. `null` unless the protocol is `fc`."""
    subsystem_nqn: str | None
    """NQN of the NVMe subsystem. `null` unless the session uses NVMe."""
    portal: str | None
    """Address and port of the portal. `null` if the export engine does not report them, as over iSCSI."""
    peer: str | None
    """Address of the host. `null` if the export engine does not report the address."""
    state: str
    """State of the session as the export engine reports it, such as `logged in`."""
    since: datetime | None
    """When the initiator logged in, in UTC. `null` if the export engine does not report the time."""
    read_bytes: int | None
    """Bytes read since the volumes were mapped to the initiator, in whole MiB per volume.

    `null` if the export engine does not count per initiator.
    """
    write_bytes: int | None
    """Bytes written since the volumes were mapped to the initiator, in whole MiB per volume.

    `null` if the export engine does not count per initiator.
    """
    commands: int | None
    """Number of commands of any kind since the volumes were mapped to the initiator.

    `null` if the export engine does not count per initiator.
    """
    queue_depth: int | None
    """Maximum number of commands in progress for the initiator. `null` if not reported."""
    can_disconnect: bool
    """Whether the appliance can disconnect the session."""
    stays_because: str | None
    """Reason why the session cannot be disconnected. `null` if it can be disconnected."""
    age_s: float
    """Age of the data in seconds."""


class SessionPage(Page[Session]):
    """One page of sessions."""

    unseen: tuple[Unseen, ...]
    """Families whose sessions cannot be listed, with the reason. Sessions of these families may exist."""


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
