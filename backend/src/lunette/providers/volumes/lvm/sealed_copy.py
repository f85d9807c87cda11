"""The logical volume with an array's sealed copy. It is not a volume and is never exported."""

import base64

from lunette.domain.arrays import ObservedArray
from lunette.domain.errors import Conflict, LunetteError, NotFound
from lunette.domain.sealed_copies import (
    PREFIX_BYTES,
    SLOT_BYTES,
    SLOTS,
    SPACE_BYTES,
    FoundCopy,
    SealOrder,
    length,
    newest,
    pack,
)
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.disks.inventory import settle
from lunette.providers.volumes.lvm import observe, parse
from lunette.providers.volumes.lvm.listing import list_device
from lunette.providers.volumes.lvm.own import TIMEOUT_S, check_own, check_space, own_group
from lunette.providers.volumes.lvm.plan import COPY_NAME, COPY_TAG, TAG, array_tag, device_path
from lunette.system.system_port import System


def read(system: System, array: ObservedArray, *, degraded: bool) -> FoundCopy:
    """The sealed copies of an array with Lunette's mark. A stopped array is started if its disks are present, as at
    every boot.
    """
    found = FoundCopy(array_uuid=array.uuid, array=array.name)
    try:
        group = _group(system, array, degraded=degraded)
        known = group.volume(COPY_NAME) if group is not None else None
        if group is None or known is None or COPY_TAG not in known.tags:
            return found
        copy = newest(_slots(system, group, known), array.uuid)
    except (LunetteError, OSError) as error:
        return found.model_copy(update={"problem": str(error) or type(error).__name__})
    if copy is None:
        return found.model_copy(update={"problem": "both slots of its sealed copy are damaged"})
    _, header, content = copy
    return found.model_copy(update={"header": header, "content": base64.b64encode(content).decode()})


def write(system: System, order: SealOrder) -> int:
    """Write the copy to the slot without the newest one. Returns its generation.

    Raises NotFound while the array is down, Conflict if it is not Lunette's, NoSpace if there is no space for the
    first.
    """
    uuid = order.header.array_uuid
    group = own_group(system, order.group)
    if array_tag(uuid) not in group.tags:
        raise Conflict(f"volume group {order.group} is not that of array {uuid}, so no copy was written to it")
    known = group.volume(COPY_NAME)
    if known is None:
        check_space(group, "the sealed copy of the array", SPACE_BYTES)
        tags = ["--addtag", TAG, "--addtag", COPY_TAG]
        shape = ["--wipesignatures", "n", "--zero", "n", "--name", COPY_NAME, "--size", f"{SPACE_BYTES}b"]
        system.run(["lvcreate", "-y", *tags, *shape, "--", order.group], timeout_s=TIMEOUT_S)
        known = own_group(system, order.group).volume(COPY_NAME)
    if known is None:
        raise NotFound(f"{order.group}/{COPY_NAME} was created but has disappeared")
    check_own(known, COPY_TAG, order.group)
    before = newest(_slots(system, group, known), uuid)
    slot, generation = 0, order.header.generation
    if before is not None:
        slot, generation = 1 - before[0], max(generation, before[1].generation + 1)
    header = order.header.model_copy(update={"generation": generation})
    try:
        data = pack(header, base64.b64decode(order.content))
    except ValueError as error:
        raise Conflict(f"the sealed copy of {order.group} was not written: {error}") from error
    system.write_range(device_path(order.group, COPY_NAME), slot * SLOT_BYTES, data)
    return generation


def _group(system: System, array: ObservedArray, *, degraded: bool) -> parse.Group | None:
    """The array's volume group, running. None if it has none of Lunette."""
    device = ARRAY_MACHINES[array.engine].group_device(system, array, degraded=degraded)
    if device is None:
        return None
    known = observe.physical_volume(system, device)
    if known is None or TAG not in known.tags or array_tag(array.uuid) not in known.tags:
        return None
    list_device(system, device)
    return observe.find_group(system, known.group)


def _slots(system: System, group: parse.Group, volume: parse.Volume) -> list[bytes]:
    path = device_path(group.name, volume.name)
    if not volume.active:
        system.run(["lvchange", "-ay", "--", f"{group.name}/{volume.name}"], timeout_s=TIMEOUT_S)
    if not system.exists(path):
        settle(system)
    slots = []
    for start in range(0, SLOTS * SLOT_BYTES, SLOT_BYTES):
        whole = length(system.read_range(path, start, PREFIX_BYTES))
        slots.append(system.read_range(path, start, whole) if whole else b"")
    return slots
