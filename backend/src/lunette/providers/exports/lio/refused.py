"""Initiators that LIO rejected because no host has their name, from the kernel's log.

    iSCSI Initiator Node: <name> is not authorized to access iSCSI target portal group: <tag>.

Only the log has the name: iscsi_target_locate_portal writes it, in lower case, before anything is negotiated, and the
target's own fabric_statistics/iscsi_tgt_attr/fail_intr_name says "Unknown" for such a login (iscsi_target_nego.c and
iscsit_collect_login_stats, Linux 6.12; tests/initiators/tests/test_kernel_initiator.py). The address is not logged.
"""

import json
import re

from lunette.domain.errors import Unavailable
from lunette.domain.names import check_iqn
from lunette.domain.observations import RefusedLogin
from lunette.providers.reading import ODD, reader
from lunette.system.system_port import System

KEPT_DAYS = 1
"""Older rejections are of no use for creating a host now."""
LINES = 2000
"""Only the newest of these lines are read: a rejected host may retry forever."""
JOURNAL = (
    "journalctl",
    "--no-pager",
    "--quiet",
    "--dmesg",
    "--output=json",
    "--output-fields=MESSAGE",
    f"--since=-{KEPT_DAYS}day",
    "--grep=^iSCSI Initiator Node: ",
    f"--lines={LINES}",
)
_NOTHING_FOUND = 1
_LINE = re.compile(r"iSCSI Initiator Node: (\S+) is not authorized to access iSCSI target portal group: \d+\.")
_TIMEOUT_S = 15.0


def observe(system: System) -> tuple[RefusedLogin, ...]:
    """Each name once, with its last attempt since the boot; none if there is no journal. Raises ToolFailed."""
    try:
        reported = system.run(JOURNAL, timeout_s=_TIMEOUT_S, ok=(0, _NOTHING_FOUND))
    except Unavailable:
        return ()
    found: dict[str, RefusedLogin] = {}
    for one in parse(reported.stdout):
        known = found.get(one.initiator)
        if known is None or known.at < one.at:
            found[one.initiator] = one
    return tuple(found[name] for name in sorted(found))


@reader("journalctl")
def parse(text: str) -> tuple[RefusedLogin, ...]:
    """The attempts in a journal's lines of JSON. What is not a valid initiator name is omitted: it comes from a
    stranger.
    """
    return tuple(login for line in text.splitlines() if (login := _login(line)) is not None)


def _login(line: str) -> RefusedLogin | None:
    try:
        entry = json.loads(line)
        match = _LINE.fullmatch(entry["MESSAGE"])
        at = int(entry["__REALTIME_TIMESTAMP"]) / 1e6
        return RefusedLogin(initiator=check_iqn(match[1]), at=at) if match else None
    except ODD:  # the journal stores what is not text as a list of bytes
        return None
