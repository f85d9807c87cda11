"""Judges the devices below a backstore or namespace.

A logical volume can be adopted if its group is on one md array of whole disks.
"""

from lunette.domain.adopting import Foreign, ForeignBackstore, ForeignGroup
from lunette.domain.arrays import ArrayState, Level, ObservedArray, Raid10Layout
from lunette.domain.identity import COMPANY_ID, naa_of
from lunette.domain.jobs import ResourceState
from lunette.domain.observations import Observation
from lunette.domain.targetcli import SavedStore
from lunette.planner.adopting.facts import Facts
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.providers.arrays.md.plan import LEVELS

SERIAL_MAX = 64
"""The maximum length of a serial number in Lunette's records."""
_MEMBER_STATES = ("in_sync", "rebuilding", "spare")
_LEVELS = {facts.level.value for facts in LEVELS}


class Beneath:
    """Judges backstores and namespaces by their devices."""

    def __init__(self, foreign: Foreign, seen: Observation, facts: Facts) -> None:
        self._foreign, self._facts, self._seen = foreign, facts, seen
        self._arrays = {array.uuid: array for array in seen.arrays if ARRAY_ENGINES[array.engine].can_adopt}
        self._groups = {group.name: self._group_refusal(group) for group in foreign.groups}

    def refusal(self, store: SavedStore) -> str | None:
        """Why a backstore that fits otherwise cannot be adopted unchanged."""
        found = self._foreign.backstore(store.reference)
        if found is None:
            return "LIO has not opened its device."
        return self._identity_refusal(store, found) or self.device_refusal(store.dev, found.group, found.lv_name)

    def array(self, group: ForeignGroup) -> ObservedArray:
        """The array of a volume group that was not refused."""
        return self._arrays[group.arrays[0]]

    def _identity_refusal(self, store: SavedStore, found: ForeignBackstore) -> str | None:
        serial = store.wwn or ""
        if found.company_id.lower().zfill(6) != COMPANY_ID:
            return f"Its NAA has the company ID {found.company_id}, and those of Lunette have {COMPANY_ID}."
        if len(serial) > SERIAL_MAX:
            return f"Its serial has {len(serial)} characters, and Lunette supports at most {SERIAL_MAX}."
        if serial in self._facts.serials or naa_of(serial) in self._facts.naas:
            return f"A volume of Lunette already has the NAA {naa_of(serial)}: hosts would treat the two as one disk."
        return None

    def device_refusal(self, device: str | None, group_name: str | None, lv_name: str | None) -> str | None:
        """Why the content of a device cannot be adopted: it must be a logical volume of the group."""
        group = self._foreign.group(group_name)
        if group is None or lv_name is None:
            return (
                f"{device} is not a logical volume known to LVM, and only logical volumes on md arrays can be "
                "adopted: disconnect the hosts and copy its content into a volume."
            )
        volume = group.volume(lv_name)
        where = f"{group.name}/{lv_name}"
        if volume is None or volume.is_ours:
            return f"{where} is a volume of Lunette with another serial: map it with Lunette instead."
        if not volume.is_plain:
            return (
                f"{where} is thin, or a snapshot, a cache or a RAID of LVM, and depends on other logical volumes: "
                "convert it to a plain logical volume first."
            )
        refusal = self._groups[group.name]
        return f"{where}: {refusal}" if refusal else None

    def _group_refusal(self, group: ForeignGroup) -> str | None:
        if len(group.arrays) != 1 or group.devices != 1:
            return (
                f"volume group {group.name} uses {group.devices} devices, {len(group.arrays)} of them md arrays, and "
                "Lunette only serves volume groups on exactly one md array."
            )
        if group.closed:
            return f"volume group {group.name} is not free: {group.closed}."
        uuid = group.arrays[0]
        known = self._facts.arrays.get(uuid)
        if known is not None:
            return (
                None
                if known.state == ResourceState.READY and known.group == group.name
                else (
                    f"array {known.name} is {known.state}, or its volume group does not match the records: wait for "
                    "its job."
                )
            )
        if group.marked_for is not None:
            return (
                f"volume group {group.name} carries the mark of another appliance: rebuild from the data disks instead."
            )
        array = self._arrays.get(uuid)
        if array is None:
            return "its array is not observed."
        return array_refusal(array, group.engine_name, self._seen, self._facts)


def array_refusal(array: ObservedArray, md_name: str, seen: Observation, facts: Facts) -> str | None:
    """Why Lunette cannot manage a foreign array as it is now."""
    name = md_name or array.device or array.uuid
    if array.unusual:
        return f"array {name} {array.unusual[0]}."
    if ":" not in md_name:
        return (
            f"array {name} has no name with a home host in its superblock, so it cannot be distinguished from "
            "other arrays."
        )
    if md_name in facts.engine_names:
        return f"another array of Lunette has the name {md_name} in md."
    if array.level not in _LEVELS or array.level not in {one.value for one in Level}:
        return f"array {name} has the level {array.level}, which Lunette does not support."
    if array.level == Level.RAID10 and array.layout not in {one.value for one in Raid10Layout}:
        return f"array {name} has the layout {array.layout}, which Lunette does not support."
    if array.state in (ArrayState.FAILED, ArrayState.MISSING) or array.is_reshaping:
        state = "being reshaped" if array.is_reshaping else array.state.value
        return f"array {name} is {state}: wait, or repair it first."
    return member_refusal(array, name, seen, facts)


def member_refusal(array: ObservedArray, name: str, seen: Observation, facts: Facts) -> str | None:
    """Why Lunette cannot use the disks of an array, or must not start the array."""
    if array.unusual:
        return f"array {name} {array.unusual[0]}."
    for member in array.members:
        if member.device is None:
            return f"array {name} has lost a disk: replace it first."
        if member.disk_id is None:
            return f"array {name} has the member {member.device}, which is not a whole disk."
        if array.device is not None and member.state not in _MEMBER_STATES:
            return f"disk {member.disk_id} of array {name} is {member.state}: remove it, or wait until it is done."
        if owner := facts.disks.get(member.disk_id):
            return f"disk {member.disk_id} of array {name} is recorded as a disk of array {owner}."
        disk = seen.disk(member.disk_id)
        if disk is not None and disk.fabric:
            return (
                f"disk {member.disk_id} of array {name} is reached over a fabric, so it is a volume of another machine."
            )
        if disk is not None and (disk.used_by_system or disk.mounts or disk.is_swap):
            return f"disk {member.disk_id} of array {name} is used by the running system."
    return None
