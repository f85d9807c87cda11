"""Persistent reservations that survive a restart, if the host requested it (APTPL, SPC-4 section 5.13.5).

LIO writes them to DB_ROOT/pr/aptpl_SERIAL before it answers the host, and never reads them again
(`core_scsi3_update_aptpl_buf` in drivers/target/target_core_pr.c). They are restored before the backstore is enabled:
`target_pr_res_aptpl_metadata_store` accepts one registration at a time, which becomes active with its initiator's LUN.
systemd-tmpfiles makes the directory synchronous, so that a power failure loses nothing from it.
"""

from collections.abc import Collection, Iterator

from lunette.providers.exports.configfs import KernelRefused
from lunette.providers.exports.lio.configfs import DB_ROOT, LioConfigfs
from lunette.providers.exports.lio.stale import own_backstores
from lunette.system.system_port import System

_START, _END = "PR_REG_START:", "PR_REG_END:"
_HEX = ("res_type", "res_scope")
"""Written as two hex digits and read as a C number: `08` would be a wrong octal one."""


def file_of(serial: str) -> str:
    """Where LIO keeps the reservations of a backstore."""
    return f"{DB_ROOT}/pr/aptpl_{serial}"


def serials(system: System) -> frozenset[str]:
    """Serials of the backstores with stored reservations. Raises KernelRefused if they cannot be listed."""
    folder, _, start = file_of("").rpartition("/")
    try:
        names = system.listdir(folder)
    except OSError as error:
        raise KernelRefused(
            f"the persistent reservations from before the restart cannot be listed ({error}), and without them a "
            f"fenced host could write: repair the file system of {folder}"
        ) from error
    return frozenset(name.removeprefix(start) for name in names if name.startswith(start))


def stored(system: System, serial: str) -> list[str]:
    """Each previous registration, in the form that the kernel accepts. Raises ValueError for what the kernel never
    wrote.

    One whose end is missing was being written during the power failure: the host never got an answer.
    """
    text = (system.read_file(file_of(serial)) or b"").rstrip(b"\0").decode(errors="replace")
    return [",".join(found) for found in _registrations(text)]


def restore(files: LioConfigfs, path: str, serial: str) -> None:
    """Sets them on a backstore that is not enabled yet. Raises KernelRefused if one cannot be read or is not accepted.

    Without it, a fenced host could write again.
    """
    try:
        for registration in stored(files.system, serial):
            files.write(f"{path}/pr/res_aptpl_metadata", registration)
    except (KernelRefused, OSError, ValueError) as error:
        raise KernelRefused(
            f"a persistent reservation from before the restart cannot be restored ({error}), and without it a fenced "
            f"host could write: make sure that no fenced host writes, then remove {file_of(serial)}"
        ) from error


def ending(files: LioConfigfs, wanted: Collection[str]) -> dict[str, str]:
    """Serials, by path, of Lunette's backstores that are no longer mapped: their reservations end."""
    going = [f"{adapter}/{name}" for adapter, name in own_backstores(files) if f"{adapter}/{name}" not in wanted]
    return {path: files.read(f"{path}/wwn/vpd_unit_serial").rpartition(": ")[2] for path in going}


def forget(system: System, serial: str) -> None:
    """A volume that is mapped again has no previous reservations."""
    if serial and system.exists(file_of(serial)):
        system.unlink(file_of(serial))


def _registrations(text: str) -> Iterator[list[str]]:
    found: list[str] | None = None
    for line in text.splitlines():
        if line.startswith(_START):
            found = []
        elif line.startswith(_END):
            if found is not None:
                yield found
            found = None
        elif found is not None:
            found.append(_readable(line))


def _readable(line: str) -> str:
    name, _, value = line.partition("=")
    return f"{name}={int(value, 16)}" if name in _HEX else line
