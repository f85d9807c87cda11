"""Which volume groups and logical volumes there are, as LVM's devices file lets it see them."""

from lunette.providers.volumes.lvm import parse
from lunette.system.doorway import System

_REPORT = ("--reportformat", "json_std", "--units", "b", "--nosuffix")
REPORT_TIMEOUT_S = 120.0


def observe_groups(system: System) -> tuple[parse.Group, ...]:
    """Every group with its volumes: two reports, whatever their number."""
    groups = system.run(["vgs", *_REPORT, "-o", parse.GROUP_FIELDS], timeout_s=REPORT_TIMEOUT_S)
    volumes = system.run(["lvs", *_REPORT, "-o", parse.VOLUME_FIELDS], timeout_s=REPORT_TIMEOUT_S)
    return parse.groups(groups.stdout, volumes.stdout)


def find_group(system: System, name: str) -> parse.Group | None:
    """The group of this name, None if there is none. One command, or two while it is empty: commands are what costs."""
    fields = f"{parse.GROUP_FIELDS},{parse.VOLUME_FIELDS}"
    # Exit code 5: there is no such group.
    found = system.run(["vgs", *_REPORT, "-o", fields, "--", name], timeout_s=REPORT_TIMEOUT_S, ok=(0, 5))
    joined = parse.group_of_volumes(found.stdout) if found.returncode == 0 else None
    return joined or next((group for group in observe_groups(system) if group.name == name), None)


def group_on(system: System, device: str) -> parse.Group | None:
    """The group on this device, whether or not the devices file lists it. Of one on several devices only this is seen.

    Nothing is written. Groups of another system id, and those that machines share, are told too.
    """
    only = ("--devices", device, "--foreign", "--shared", *_REPORT)
    groups = system.run(["vgs", *only, "-o", parse.WHOLE_FIELDS], timeout_s=REPORT_TIMEOUT_S)
    volumes = system.run(["lvs", *only, "-o", parse.VOLUME_FIELDS], timeout_s=REPORT_TIMEOUT_S)
    return next(iter(parse.groups(groups.stdout, volumes.stdout)), None)


def physical_volume(system: System, device: str) -> parse.PhysicalVolume | None:
    """What LVM has written on this device, whether or not the devices file lists it; None if nothing."""
    command = ["pvs", "--devices", device, *_REPORT, "-o", "pv_name,vg_name,vg_tags"]
    found = parse.physical_volumes(system.run(command, timeout_s=REPORT_TIMEOUT_S).stdout)
    return found[0] if found else None
