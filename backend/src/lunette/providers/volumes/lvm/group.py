"""Creates and removes the volume group of an array, and brings it up and down.

A power failure or a killed tool can leave: a physical volume without a group, perhaps not in LVM's devices file, on an
array that is down; and one that is marked as used though its group's metadata was not written yet, or is removed
already. Both directions recognize all of it.
"""

from lunette.domain.errors import Conflict, InUse, NotFound, ToolFailed
from lunette.domain.steps import GroupCreate, GroupErase, GroupGrow, GroupRemove
from lunette.providers.arrays.external import device as external
from lunette.providers.arrays.external.plan import pv_uuid
from lunette.providers.arrays.lvm import assemble as raid
from lunette.providers.arrays.lvm.plan import device_path as raid_path
from lunette.providers.arrays.md.assemble import ensure_running
from lunette.providers.arrays.md.plan import device_path
from lunette.providers.disks.inventory import read_signatures, settle
from lunette.providers.encryption import device as luks
from lunette.providers.encryption import keys
from lunette.providers.encryption.plan import HEADER_BYTES
from lunette.providers.encryption.unlock import Locked, opened
from lunette.providers.volumes.lvm import observe, own, parse, pool
from lunette.providers.volumes.lvm.listing import list_device
from lunette.providers.volumes.lvm.plan import (
    METADATA_BYTES,
    TAG,
    array_tag,
    group_bytes,
    is_marked,
    snapshot_tag,
    volume_tag,
)
from lunette.system.system_port import System

TIMEOUT_S = 180.0


def create(system: System, step: GroupCreate | GroupRemove) -> str | None:
    """Create the group; None if it exists. Refuses an array that carries anything else.

    On an encrypted array it is the last step that needs the lent passphrase, which is dropped here.
    """
    device = _array_device(system, step)
    carried = [s.type for found in read_signatures(system, [system.realpath(device)]).values() for s in found]
    if carried not in ([], ["LVM2_member"]):
        raise InUse(f"{device} already carries {', '.join(carried)}, so no volume group was created on it")
    known = _physical_volume(system, device) if carried else None
    if known is not None and known.group:
        if known.group == step.group and array_tag(step.array_uuid) in known.tags:
            list_device(system, device)
            keys.forget(system, keys.lent_path(step.array_id))
            return None
        raise Conflict(f"{device} belongs to volume group {known.group} already, so no other group was created on it")
    if known is None:
        size = f"--metadatasize={METADATA_BYTES // 1024}k"
        named = ["--uuid", pv_uuid(step.array_uuid), "--norestorefile"] if step.disk else []
        system.run(["pvcreate", "-y", size, *named, "--", device], timeout_s=TIMEOUT_S)
    else:
        list_device(system, device)
    tags = ["--addtag", TAG, "--addtag", array_tag(step.array_uuid)]
    extent = f"--physicalextentsize={step.extent_bytes // 1024}k"
    system.run(["vgcreate", "-y", *tags, extent, "--", step.group, device], timeout_s=TIMEOUT_S)
    keys.forget(system, keys.lent_path(step.array_id))
    return f"volume group {step.group} was created on {device}"


def remove(system: System, step: GroupCreate | GroupRemove | GroupErase) -> str | None:
    """Remove the group if it is Lunette's and empty except for what is to be erased with it; None if it, or its array,
    is gone.
    """
    settle(system)
    device = _standing_device(system, step)
    if device is None or observe.physical_volume(system, device) is None:
        return None
    known = _physical_volume(system, device)
    if known is None:
        return f"the remains of volume group {step.group} were removed from {device}"
    list_device(system, device)
    if known.group:
        _remove_group(system, step, known)
    system.run(["pvremove", "-y", "--", device], timeout_s=TIMEOUT_S)
    return f"volume group {step.group} was removed from {device}"


def grow(system: System, step: GroupGrow) -> str | None:
    """Let the group use all of its array; None if it does. Refused before the kernel shows the array's new size."""
    device = _array_device(system, step)
    below = system.realpath(device_path(step.array_uuid)).rpartition("/")[2]
    size = int(system.read(f"/sys/class/block/{below}/size")) * 512
    if size < step.size_bytes:
        raise Conflict(f"the array of {step.group} still has {size} bytes, not {step.size_bytes}: wait for the reshape")
    known = observe.physical_volume(system, device)
    if known is None or known.group != step.group or array_tag(step.array_uuid) not in known.tags:
        raise Conflict(f"{device} does not contain volume group {step.group} of this appliance and was not changed")
    group = observe.find_group(system, step.group)
    if group is not None and group.size_bytes >= group_bytes(step.size_bytes - (HEADER_BYTES if step.mapping else 0)):
        return None
    if step.mapping:
        luks.grow(system, step.mapping)
    system.run(["pvresize", "--", device], timeout_s=TIMEOUT_S)
    return f"volume group {step.group} uses all {size} bytes of its array"


def check_carries(system: System, group: str, device: str, array_uuid: str) -> None:
    """Raises Conflict unless the device carries this group, with the marks of this array."""
    known = observe.physical_volume(system, device)
    if known is None or known.group != group or not is_marked(known.tags, array_uuid):
        raise Conflict(f"{device} does not contain volume group {group} of this appliance and was not changed")


def activate(system: System, group: str, device: str) -> None:
    """Bring up every volume of the group on this device; harmless if they are up.

    No other device is read for it (lvm(8), --devices): a device that hangs does not delay these.
    """
    system.run(["vgchange", "-ay", "--devices", device, "--", group], timeout_s=TIMEOUT_S)
    list_device(system, device)
    settle(system)


def deactivate(system: System, group: str) -> None:
    """Take every volume of the group down. Raises ToolFailed while one is open."""
    system.run(["vgchange", "-an", "--", group], timeout_s=TIMEOUT_S)


def _array_device(system: System, step: GroupCreate | GroupRemove | GroupGrow) -> str:
    device = device_path(step.array_uuid)
    settle(system)
    if not isinstance(step, GroupGrow) and step.disk:
        return external.take(system, step.disk, step.array_uuid)
    if not isinstance(step, GroupGrow) and step.raid_group:
        if raid.running(system, step.array_uuid) is None:
            raise NotFound(f"array {step.raid_group} is not on any disk: attach its disks, then try again")
        return raid_path(step.raid_group)
    if not ensure_running(system, step.array_uuid):
        raise NotFound(f"array {device} is not on any disk: attach its disks, then try again")
    return opened(system, step.array_uuid, step.array_id, step.group) if step.mapping else device


def _standing_device(system: System, step: GroupCreate | GroupRemove | GroupErase) -> str | None:
    """The device of an array with content of Lunette; None if it is gone, or locked: it cannot be read then, and its
    content is lost with its keys.
    """
    if step.disk:
        found = external.find(system, step.disk.disk_id, step.array_uuid)
        return external.path(system, found.id) if found else None
    if step.raid_group:
        return raid_path(step.raid_group) if raid.running(system, step.array_uuid) else None
    if not ensure_running(system, step.array_uuid):
        return None
    try:
        return (
            opened(system, step.array_uuid, step.array_id, step.group) if step.mapping else device_path(step.array_uuid)
        )
    except Locked:
        return None


def _physical_volume(system: System, device: str) -> parse.PhysicalVolume | None:
    """LVM's records on the array. Remains of an interrupted vgcreate or vgremove without metadata are cleared first."""
    known = observe.physical_volume(system, device)
    if known is None or known.group != parse.UNKNOWN_GROUP:
        return known
    headers = system.run(["pvck", "--dump", "headers", "--", device], timeout_s=TIMEOUT_S, ok=(0, 5)).stdout
    if not parse.is_bare(headers):
        raise Conflict(f"{device} carries damaged LVM metadata: restore it with vgcfgrestore, nothing was changed")
    # Forced twice, because LVM cannot distinguish this from damage; the headers could.
    system.run(["pvremove", "-y", "-ff", "--", device], timeout_s=TIMEOUT_S)
    return None


def _remove_group(system: System, step: GroupCreate | GroupRemove | GroupErase, known: parse.PhysicalVolume) -> None:
    if known.group != step.group or array_tag(step.array_uuid) not in known.tags:
        raise Conflict(
            f"the array of {step.group} carries volume group {known.group}, which does not belong to this appliance "
            "and was not changed"
        )
    group = observe.find_group(system, step.group)
    if group is None:
        raise ToolFailed(f"LVM does not show volume group {step.group}, though its array carries it")
    if isinstance(step, GroupErase):
        group = _erase(system, step, group)
    empty = [found for found in group.volumes if found.is_pool and TAG in found.tags and not group.in_pool(found.name)]
    copies = [found for found in group.volumes if found.is_copy]
    others = group.count - len(copies)
    if others > len(empty):
        raise InUse(f"volume group {step.group} still has {others} volumes: delete them first")
    for found in empty:
        pool.take_away(system, group, found)
    for found in copies:
        own.remove(system, group, found)
    # No -y and no --force: vgremove itself refuses a group with volumes.
    system.run(["vgremove", "--", step.group], timeout_s=TIMEOUT_S)


def _erase(system: System, step: GroupErase, group: parse.Group) -> parse.Group:
    """Remove the deleted volumes that are retained in the group, with their deleted snapshots, and nothing else.
    Returns what is left of it.
    """
    marks = {one.aside_name: snapshot_tag(one.snapshot_id) for kept in step.kept for one in kept.snapshots}
    marks |= {one.aside_name: volume_tag(one.volume_id) for one in step.kept}
    found = [(mark, volume) for name, mark in marks.items() if (volume := group.volume(name))]
    if len(group.volumes) > len(found) + sum(one.is_pool or one.is_copy for one in group.volumes):
        raise InUse(f"volume group {step.group} has volumes besides the deleted ones: delete them first")
    for mark, volume in found:
        own.check_own(volume, mark, step.group)
    for _, volume in found:
        own.remove(system, group, volume)
    return observe.find_group(system, step.group) or group
