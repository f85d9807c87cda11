"""Who is logged in now, from the `info` files of our ACLs. The parser is pure, tested with recorded output."""

import re

from lunette.domain.exports import ObservedSession
from lunette.domain.identity import TARGET_AUTHORITY
from lunette.domain.mappings import Protocol
from lunette.providers.exports.lio import strays
from lunette.providers.exports.lio.configfs import Configfs
from lunette.system.doorway import System

_STATE = re.compile(r"Session State: (?:TARG_SESS_STATE_|TARG_SESS_)?(\w+)")
_PEER = re.compile(r"^\s*Address (\S+) (\w+)", re.MULTILINE)


def parse_info(text: str) -> tuple[str, str | None] | None:
    """(state, peer address) of the session an ACL's `info` tells; None if nobody is logged in."""
    state = _STATE.search(text)
    if state is None or "No active iSCSI Session" in text:
        return None
    peer = _PEER.search(text)
    return state[1].lower().replace("_", " "), peer[1] if peer else None


def observe_sessions(system: System) -> tuple[ObservedSession, ...]:
    """Sessions on our targets. LIO shows the newest session per initiator and target, with counters since its login."""
    files = Configfs(system)
    found = []
    for iqn in strays.own_targets(files, f"{TARGET_AUTHORITY}:"):
        for group in (name for name in files.names(f"iscsi/{iqn}") if name.startswith("tpgt_")):
            for initiator in files.names(f"iscsi/{iqn}/{group}/acls"):
                session = _session(files, iqn, f"iscsi/{iqn}/{group}/acls/{initiator}")
                if session is not None:
                    found.append(session)
    return tuple(found)


def _session(files: Configfs, iqn: str, path: str) -> ObservedSession | None:
    told = parse_info(files.read(f"{path}/info"))
    if told is None:
        return None
    counters = [
        _number(files.read(f"{path}/fabric_statistics/iscsi_sess_stats/{name}"))
        for name in ("txdata_octs", "rxdata_octs", "cmd_pdus")
    ]
    return ObservedSession(
        target=iqn, initiator=path.rpartition("/")[2], protocol=Protocol.ISCSI, portal=None, peer=told[1],
        state=told[0], since=None, read_bytes=counters[0], write_bytes=counters[1], commands=counters[2],
    )  # fmt: skip


def _number(text: str) -> int | None:
    return int(text) if text.strip().isdigit() else None
