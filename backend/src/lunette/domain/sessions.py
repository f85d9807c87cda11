"""What a session is called, and which of them can be ended."""

import hashlib

from lunette.domain.exports import ObservedSession
from lunette.domain.mappings import Family, Protocol

FC_STAYS = (
    "Lunette cannot end this session: LIO cannot log out a single Fibre Channel initiator. Unmap the host's volumes, "
    "or remove its port from the zone."
)
NVME_STAYS = (
    "Lunette can end iSCSI and iSER sessions only: the kernel's NVMe target cannot disconnect a single host. "
    "Disconnect on the host (nvme disconnect), or unmap its volumes."
)
UNKNOWN_STAYS = "Lunette cannot end this session: the kernel does not report which login of the initiator it is."


def session_id(session: ObservedSession) -> str:
    """The same as long as the session lives; where the kernel numbers logins, the next login has another."""
    parts = (session.target, session.initiator, session.portal or "", session.peer or "", str(session.number or ""))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def stays_because(session: ObservedSession) -> str | None:
    """Why it cannot be ended; None if it can."""
    if session.protocol.family is Family.NVME:
        return NVME_STAYS
    if session.protocol is Protocol.FC:
        return FC_STAYS
    return None if session.number is not None and session.queue_depth and session.tag is not None else UNKNOWN_STAYS
