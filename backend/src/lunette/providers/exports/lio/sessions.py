"""Present sessions, from the `info` files of Lunette's ACLs. The parser is pure, tested with recorded output."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from lunette.domain.exports import ObservedSession
from lunette.domain.identity import TARGET_AUTHORITY
from lunette.domain.mappings import Protocol
from lunette.providers.exports.lio import fc, stale
from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.reading import reader
from lunette.system.system_port import System

_STATE = re.compile(r"Session State: (?:TARG_SESS_STATE_|TARG_SESS_)?(\w+)")
_NUMBER = re.compile(r"^LIO Session ID: (\d+)", re.MULTILINE)
_ISID = re.compile(r"\bISID: 0x((?:[0-9a-fA-F]{2} ?){6})")
_PEER = re.compile(r"^\s*Address (\S+) (\w+)", re.MULTILINE)


class AclInfo(NamedTuple):
    """What an ACL's `info` says of a session."""

    state: str
    peer: str | None
    protocol: Protocol
    number: int | None
    isid: str | None


@reader("LIO")
def parse_info(text: str) -> AclInfo | None:
    """The session in an ACL's `info`; None if there is none.

    Every transport other than TCP is called SCTP there (lio_target_nacl_info_show, Linux 6.12): Lunette's is iSER.
    """
    state = _STATE.search(text)
    if state is None or "No active iSCSI Session" in text:
        return None
    peer = _PEER.search(text)
    protocol = Protocol.ISER if peer and peer[2] != "TCP" else Protocol.ISCSI
    number = _NUMBER.search(text)
    isid = _ISID.search(text)
    words = state[1].lower().replace("_", " ")
    return AclInfo(
        state=words,
        peer=peer[1] if peer else None,
        protocol=protocol,
        number=int(number[1]) if number else None,
        isid=isid[1].replace(" ", "").lower() if isid else None,
    )


def observe_sessions(system: System, adopted: Collection[str] = ()) -> tuple[ObservedSession, ...]:
    """Sessions on Lunette's targets, including adopted ones. LIO shows the newest session per initiator and target."""
    files = LioConfigfs(system)
    found = []
    for iqn in stale.own_targets(files, f"{TARGET_AUTHORITY}:", adopted):
        for group in (name for name in files.names(f"iscsi/{iqn}") if name.startswith("tpgt_")):
            for initiator in files.names(f"iscsi/{iqn}/{group}/acls"):
                session = _session(files, iqn, group, initiator)
                if session is not None:
                    found.append(session)
    return (*found, *_over_fc(files))


def _over_fc(files: LioConfigfs) -> Iterator[ObservedSession]:
    """Who is logged in to our Fibre Channel ports."""
    for port in fc.own_ports(files):
        acls = f"{port}/tpgt_1/acls"
        for wwpn in files.names(acls):
            if fc.is_logged_in(files, f"{acls}/{wwpn}"):
                yield ObservedSession(
                    target=port.rpartition("/")[2],
                    initiator=wwpn,
                    protocol=Protocol.FC,
                    portal=None,
                    peer=None,
                    state="logged in",
                    since=None,
                )


def _session(files: LioConfigfs, iqn: str, group: str, initiator: str) -> ObservedSession | None:
    path = f"iscsi/{iqn}/{group}/acls/{initiator}"
    reported = parse_info(files.read(f"{path}/info"))
    if reported is None:
        return None
    depth = files.read(f"{path}/cmdsn_depth")
    return ObservedSession(
        target=iqn,
        initiator=initiator,
        protocol=reported.protocol,
        portal=None,
        peer=reported.peer,
        state=reported.state,
        since=None,
        tag=int(group.removeprefix("tpgt_")),
        number=reported.number,
        isid=reported.isid,
        queue_depth=int(depth) if depth.isdigit() else None,
    )
