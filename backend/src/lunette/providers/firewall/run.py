"""Loads the table into the kernel, checks it, and stores it for the next start (docs/decisions/0039).

`lunette-firewall.service` loads the stored table before the network comes up. The rollback of an interface change loads
it too (settle-network): so the stored table always matches the confirmed roles.
"""

import json
from typing import Any

from lunette.domain.errors import LunetteError, ToolFailed, Unavailable
from lunette.providers.firewall import rules
from lunette.providers.reading import document, reader, rows
from lunette.system.system_port import System
from lunette.system.tools import missing_tool

KEPT = "/var/lib/lunette/agent/firewall.nft"
NOW = "/run/lunette/firewall.nft"
BROKEN = "/run/lunette/firewall-broken"
"""nft's message about the stored rules at the start of the machine."""
BY_DEFAULT = "/usr/lib/lunette/firewall-managed"
"""Exists on a machine that belongs entirely to Lunette: one that the ISO started or installed."""
UNIT = "/usr/lib/systemd/system/lunette-firewall.service"
TIMEOUT_S = 10.0
_NO_NETLINK = "Protocol not supported"
"""nft's message, with exit code 3, if the kernel has no netlink for it (errno of the socket, in its src/mnl.c). Other
problems of its socket also exit with 3.
"""
_NOT_IN_THIS_KERNEL = ("Operation not supported", _NO_NETLINK, "cache initialization failed")
"""nft's message if the kernel has no nf_tables, or none for the family `inet`."""
Listing = list[dict[str, Any]]


def blocker(system: System) -> str | None:
    """Why this machine cannot have it, as far as that is known without trying."""
    if not system.exists(UNIT):
        return "lunette-firewall.service, which loads the rules at a start, is not installed here, as in a container"
    return missing_tool("nft") if system.find_tool("nft") is None else None


def listed(system: System, family: str, table: str) -> str | None:
    """A table as JSON; None if it does not exist, or the kernel has no nftables at all.

    Other errors are reported when rules are loaded. Raises ToolFailed.
    """
    try:
        said = system.run(["nft", "-j", "list", "table", family, table], timeout_s=TIMEOUT_S, ok=(0, 1))
    except ToolFailed as error:
        if _NO_NETLINK in error.log:
            return None
        raise
    return None if said.returncode else said.stdout


def look(system: System) -> Listing | None:
    """The objects of the table, in a fixed order and without their numbers; None if it does not exist."""
    text = listed(system, rules.FAMILY, rules.TABLE)
    return None if text is None else parse(text)


@reader("nft")
def parse(text: str) -> Listing:
    """The objects of `nft -j list table`."""
    return [_settled(entry) for entry in rows(document(text)["nftables"]) if "metainfo" not in entry]


def load(system: System, text: str, file: str | None = None) -> None:
    """Applies the text to nft's tables, all at once: Lunette's table replaces the present one.

    It is passed in the file, by default `NOW`. Raises Unavailable if the kernel has no nftables, ToolFailed if it
    refuses.
    """
    file = NOW if file is None else file
    system.write_durably(file, text.encode(), 0o600)
    try:
        system.run(["nft", "--file", file], timeout_s=TIMEOUT_S)
    except ToolFailed as error:
        if any(words in error.log for words in _NOT_IN_THIS_KERNEL):
            raise Unavailable("the kernel has no nftables (nf_tables, nf_tables_inet): boot one that has it") from error
        first = error.log.strip().partition("\n")[0]
        raise ToolFailed(f"nft rejected the rules: {first or error.detail}", log=error.log) from error


def keep(system: System, text: str) -> None:
    """Stores a table for the next start; after a power failure it is the old or the new one."""
    if system.read_file(KEPT) != text.encode():
        system.write_durably(KEPT, text.encode(), 0o600)


def drop(system: System) -> None:
    """Removes the table and the stored one. Without a stored file, no table was ever loaded, so there is nothing to
    do.
    """
    written = [path for path in (KEPT, NOW) if system.exists(path)]
    if written and system.find_tool("nft") is not None and look(system) is not None:
        load(system, rules.removal())
        written = [KEPT, NOW]
    for path in written:
        if system.exists(path):
            system.unlink(path)


def broken_at_start(system: System) -> str | None:
    """nft's message from the start of the machine, returned once."""
    said = system.read_file(BROKEN)
    if said is None:
        return None
    try:
        system.unlink(BROKEN)
    except (OSError, LunetteError):
        return None
    return " ".join(said.decode(errors="replace").split())[:300] or "nft reported no reason"


def _settled(value: Any) -> Any:
    """Without handles; what is a set has no order."""
    if isinstance(value, dict):
        held = {key: _settled(one) for key, one in value.items() if key != "handle"}
        return {
            key: sorted(one, key=json.dumps) if key in ("elem", "set") and isinstance(one, list) else one
            for key, one in held.items()
        }
    return [_settled(one) for one in value] if isinstance(value, list) else value
