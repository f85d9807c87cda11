"""Which volume groups and logical volumes there are, as LVM's devices file lets it see them."""

import re

from lunette.domain.errors import ToolFailed
from lunette.providers.volumes.lvm import parse
from lunette.system.system_port import CommandResult, System

_REPORT = ("--reportformat", "json_std", "--units", "b", "--nosuffix")
REPORT_TIMEOUT_S = 120.0


SKIPPED = 5
"""ECMD_FAILED: something was omitted from the report; what is in it is correct (tools/errors.h)."""
_NAMED = re.compile(r'\b(?:volume group|VG) "?([A-Za-z0-9+_.][\w+.-]*)"?', re.IGNORECASE)


def observe_groups(system: System, unread: dict[str, str]) -> tuple[parse.Group, ...]:
    """Every group with its volumes: two reports, whatever their number.

    What cannot be read goes into `unread`: the reason by the name of the group, or by "" if LVM names none.
    """
    groups = system.run(["vgs", *_REPORT, "-o", parse.GROUP_FIELDS], timeout_s=REPORT_TIMEOUT_S, ok=(0, SKIPPED))
    volumes = system.run(["lvs", *_REPORT, "-o", parse.VOLUME_FIELDS], timeout_s=REPORT_TIMEOUT_S, ok=(0, SKIPPED))
    unread |= skipped(groups) | skipped(volumes)
    return parse.groups(groups.stdout, volumes.stdout, unread)


def skipped(reported: CommandResult) -> dict[str, str]:
    """Omissions of a report: LVM's messages by the group they name, or by "" if one of them names none."""
    lines = [line.strip() for line in reported.stderr.splitlines() if line.strip()]
    words = [line for line in lines if not line.startswith("WARNING:")]
    if reported.returncode != SKIPPED:
        return {}
    named = [(found[1], line) for line in words if (found := _NAMED.search(line))]
    return dict(named) if words and len(named) == len(words) else {"": " ".join(words)[:300] or "LVM reports no reason"}


def find_group(system: System, name: str) -> parse.Group | None:
    """The group of this name, None if there is none. One command, or two if it is empty: commands are the cost.

    Raises ToolFailed if LVM cannot tell.
    """
    fields = f"{parse.GROUP_FIELDS},{parse.VOLUME_FIELDS}"
    # Exit code 5: there is no such group.
    found = system.run(["vgs", *_REPORT, "-o", fields, "--", name], timeout_s=REPORT_TIMEOUT_S, ok=(0, SKIPPED))
    joined = parse.group_of_volumes(found.stdout) if found.returncode == 0 else None
    if joined is not None:
        return joined
    unread: dict[str, str] = {}
    group = next((group for group in observe_groups(system, unread) if group.name == name), None)
    if reason := unread.get(name) or (group is None and unread.get("")):
        raise ToolFailed(f"volume group {name} cannot be read: {reason}")
    return group


def group_on(system: System, device: str) -> parse.Group | None:
    """The group on this device, whether or not the devices file lists it. Of a group on several devices, only this one
    is seen.

    Nothing is written. Groups of another system ID, and shared groups, are included.
    """
    only = ("--devices", device, "--foreign", "--shared", *_REPORT)
    groups = system.run(["vgs", *only, "-o", parse.WHOLE_FIELDS], timeout_s=REPORT_TIMEOUT_S)
    volumes = system.run(["lvs", *only, "-o", parse.VOLUME_FIELDS], timeout_s=REPORT_TIMEOUT_S)
    return next(iter(parse.groups(groups.stdout, volumes.stdout)), None)


def physical_volume(system: System, device: str) -> parse.PhysicalVolume | None:
    """LVM's records on this device, whether or not the devices file lists it; None if there are none."""
    command = ["pvs", "--devices", device, *_REPORT, "-o", "pv_name,vg_name,vg_tags"]
    found = parse.physical_volumes(system.run(command, timeout_s=REPORT_TIMEOUT_S).stdout)
    return found[0] if found else None
