"""Whether the content of a disk is in use, under any name: the last check before it is destroyed.

The kernel knows the users of a block device, not of a drive: a member of a running array shows no user on its second
path, on a partition under another name, or if a bridge made its identity up. So contents are compared: the UUID of an
array and of the member, of a physical volume, a pool and its member, a file system, a LUKS header.
"""

from collections.abc import Iterable, Iterator, Mapping

from lunette.domain.base import Model
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import ToolFailed
from lunette.providers.arrays.md.observe import kernel_arrays
from lunette.providers.arrays.zfs import observe as zfs
from lunette.providers.disks import parse
from lunette.providers.disks.inventory import MOUNTS, read_signatures
from lunette.providers.reading import document, reader, rows, text_of, word
from lunette.system.system_port import System

MD, LVM, ZFS = "linux_raid_member", "LVM2_member", "zfs_member"
_CLASS = "/sys/class/block"
_BTRFS = "/sys/fs/btrfs"
_TIMEOUT_S = 120.0


class _Content(Model):
    """One signature on a device. `member`: which part of a larger structure it is, None if unknown."""

    type: str
    uuid: str
    member: str | None


def user_of(system: System, disk: ObservedDisk) -> str | None:
    """What uses the content of a disk or of a partition of it, in words; None if nothing that runs does.

    If it is unknown which member of a running array or pool the disk is, the member counts as needed. Raises ToolFailed
    if the machine does not show what runs.
    """
    own = _own_devices(system, disk)
    carried = [one for device in own for one in _contents(system, device)]
    asked = {MD: _md_member, ZFS: _pool_member, LVM: _physical_volume}
    for content in carried:
        if (user := asked.get(content.type, _no_user)(system, content)) is not None:
            return user
    return _held_copy(system, own, carried)


def _own_devices(system: System, disk: ObservedDisk) -> list[str]:
    parts = [name for name in system.listdir(f"/sys/block/{disk.kernel_name}") if name.startswith(disk.kernel_name)]
    return [disk.device, *(f"/dev/{name}" for name in parts)]


def _contents(system: System, device: str) -> Iterator[_Content]:
    """Every signature with a UUID; none for a device that cannot be read."""
    found = [one for signatures in read_signatures(system, [device]).values() for one in signatures if one.uuid]
    if found:
        # Code 2: nothing is found, 8: more than one thing, and none of them is shown (libblkid, low-level probing).
        said = system.run(["blkid", "-p", "-o", "export", "--", device], timeout_s=_TIMEOUT_S, ok=(0, 2, 8)).stdout
        facts = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
    for one in found:
        known = facts.get("TYPE") == one.type and facts.get("UUID") == one.uuid
        yield _Content(type=one.type, uuid=one.uuid or "", member=facts.get("UUID_SUB") if known else None)


def _no_user(_system: System, _content: _Content) -> None:
    """Content that is not a member of a larger structure is searched among the devices in use."""


def _md_member(system: System, content: _Content) -> str | None:
    array = next((one for one in kernel_arrays(system) if one.uuid == parse.plain(content.uuid)), None)
    if array is None:
        return None
    members: dict[str | None, str] = {}
    for member in array.members:
        found = [one for one in _contents(system, f"/dev/{member.device}") if one.type == MD]
        members |= {one.member: member.device for one in found} or {None: member.device}
    if content.member is not None and None not in members and content.member not in members:
        return None
    device = members.get(content.member) or "one of its disks"
    return f"it carries the superblock of {device}, a member of the running array {array.kernel_name}"


def _pool_member(system: System, content: _Content) -> str | None:
    unread: dict[str, str] = {}
    pool = next((one for one in zfs.pools(system, unread) if one.guid == content.uuid), None)
    if pool is None:
        return f"it carries a ZFS label, and the pool {', '.join(sorted(unread))} cannot be read" if unread else None
    guids = {leaf.guid for tops in pool.by_role().values() for top in tops for leaf in top.leaves()}
    if content.member is not None and content.member not in guids:
        return None
    return f"it carries the label of a disk of the imported pool {pool.name}"


def _physical_volume(system: System, content: _Content) -> str | None:
    """Any physical volume of a group with an active volume, including one without a volume, or that LVM misses."""
    devices = sorted({*_below_volumes(system)})
    if not devices:
        return None
    only = [option for device in devices for option in ("--devices", device)]
    command = ["pvs", *only, "--foreign", "--shared", "--reportformat", "json_std", "-o", "pv_uuid,vg_name"]
    said = system.run(command, timeout_s=_TIMEOUT_S, ok=(0, 5)).stdout  # code 5: a device of the group is missing
    try:
        found = groups(said)
    except ToolFailed as error:
        raise ToolFailed(
            "pvs does not report which volume groups are active, so nothing was wiped", log=said
        ) from error
    listed = sum(bool(group) for group in found.values())
    if listed < len(devices):
        message = (
            f"pvs lists {listed} physical volumes of active volume groups, but active volumes are on {len(devices)} "
            f"devices ({', '.join(devices)}), so nothing was wiped: check the output of `pvs` on the appliance, then "
            "try again"
        )
        raise ToolFailed(message, log=said)
    group = found.get(content.uuid)
    return f"it carries a physical volume of the volume group {group}, which is active" if group else None


@reader("pvs")
def groups(text: str) -> dict[str, str]:
    """The volume groups, by the UUID of each physical volume, from a `pvs` report; "" for none."""
    return {word(row["pv_uuid"]): text_of(row["vg_name"]) for row in rows(document(text)["report"][0]["pv"])}


def _below_volumes(system: System) -> Iterator[str]:
    """The devices that active logical volumes lie on."""
    for name in system.listdir("/sys/block"):
        if _is_volume(system, name):
            yield from (
                f"/dev/{one}" for one in system.listdir(f"/sys/block/{name}/slaves") if not _is_volume(system, one)
            )


def _is_volume(system: System, name: str) -> bool:
    return name.startswith("dm-") and _text(system, f"/sys/block/{name}/dm/uuid").startswith("LVM-")


def _held_copy(system: System, own: Iterable[str], carried: Iterable[_Content]) -> str | None:
    """The device in use that carries the same content: a mounted file system, or below another device."""
    wanted = {(one.type, one.uuid) for one in carried if one.type not in (MD, ZFS, LVM)}
    if not wanted:
        return None
    used = {device: user for device, user in _used(system).items() if device not in own}
    for name, signatures in read_signatures(system, sorted(used)).items():
        for one in signatures:
            if (one.type, one.uuid) in wanted:
                return f"it carries the {one.type} of {name}, {used.get(f'/dev/{name}', 'which is in use')}"
    return None


def _used(system: System) -> Mapping[str, str]:
    """Devices that are mounted or below another device, with that in words."""
    found = {}
    names = system.listdir(_CLASS)
    for name in names:
        if holders := system.listdir(f"{_CLASS}/{name}/holders"):
            found[f"/dev/{name}"] = f"which {holders[0]} is built on"
    numbers = {_text(system, f"{_CLASS}/{name}/dev"): name for name in names}
    for key, points in parse.mounts(_text(system, MOUNTS)).items():
        device = system.realpath(key) if key.startswith("/dev/") else f"/dev/{numbers.get(key)}"
        if device.rpartition("/")[2] in names:
            found[device] = f"which is mounted at {points[0]}"
    for folder in system.listdir(_BTRFS):
        for name in system.listdir(f"{_BTRFS}/{folder}/devices"):
            found.setdefault(f"/dev/{name}", "which is part of a mounted btrfs")
    return found


def _text(system: System, path: str) -> str:
    try:
        return system.read(path).strip()
    except OSError:
        return ""
