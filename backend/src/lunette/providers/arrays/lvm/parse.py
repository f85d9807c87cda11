"""Parses the output of LVM and the device mapper about RAID volumes. Pure.

The kernel's side is `dmsetup status` (Documentation/admin-guide/device-mapper/dm-raid.rst and dm-integrity.rst). For a
RAID volume: type, number of images, one letter for each (A alive and in sync, a alive and not in sync, D dead), done
and total sectors, running operation, mismatches. For an image with checksums: mismatches, sectors, and how many were
computed.
"""

import re
from collections.abc import Mapping, Sequence

from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray, ObservedMember, SyncProgress, WriteHole
from lunette.domain.base import Model
from lunette.domain.disks import ObservedDisk
from lunette.providers.arrays.lvm.plan import TAG, VOLUME, array_of_pv, carried_pv, mapped_name, survives, survives_more
from lunette.providers.reading import ODD, document, reader, rows, text_of, texts, why, word

PV_FIELDS = "pv_name,pv_uuid,vg_name,vg_tags"
VOLUME_FIELDS = "vg_name,lv_name,lv_tags,lv_size,lv_active,segtype,stripe_size,devices"
_IMAGE = re.compile(rf"\[?{VOLUME}_rimage_(\d+)(_iorig|_imeta)?\]?")
_DEVICE = re.compile(r"([^\s,\[\]()]+|\[unknown\])\(\d+\)")
NOWHERE = "[unknown]"
"""LVM's name for a missing device."""


class RaidStatus(Model):
    """Kernel status of a RAID volume."""

    letters: str
    done: int
    total: int
    action: str
    mismatches: int


class RaidGroup(Model):
    """A group over disks. `images`: by slot the UUID of each image's physical volume; () without the volume."""

    name: str
    uuid: str
    """The array's, from its physical volumes."""
    tags: frozenset[str]
    pvs: Mapping[str, str]
    """Device by UUID of each physical volume, NOWHERE for a missing one."""
    images: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """Volumes in it that belong to no complete RAID volume: a creation was interrupted."""
    tags_of_volume: frozenset[str] = frozenset()
    size_bytes: int = 0
    level: str = ""
    chunk_bytes: int | None = None
    is_active: bool = False
    integrity: bool = False

    @property
    def is_whole(self) -> bool:
        """True once its creation was completed, which marks the volume."""
        return f"lunette.array={self.uuid}" in self.tags_of_volume

    def missing(self) -> tuple[str, ...]:
        """UUIDs of missing physical volumes."""
        return tuple(uuid for uuid, device in self.pvs.items() if device == NOWHERE)


@reader("pvs or lvs")
def groups(pv_report: str, volume_report: str, unread: dict[str, str] | None = None) -> tuple[RaidGroup, ...]:
    """Lunette's groups over disks, from a `pvs` and an `lvs --all` report in `json_std`.

    One that cannot be read goes into `unread`, by name with the reason; without it that is an error.
    """
    pvs: dict[str, list[Mapping[str, object]]] = {}
    for row in rows(document(pv_report)["report"][0]["pv"]):
        if row["vg_name"] and TAG in texts(row["vg_tags"]):
            pvs.setdefault(word(row["vg_name"]), []).append(row)
    volumes: dict[str, list[Mapping[str, object]]] = {}
    for row in rows(document(volume_report)["report"][0]["lv"]):
        volumes.setdefault(word(row["vg_name"]), []).append(row)
    found = []
    for name in sorted(pvs):
        try:
            found.append(_group(name, pvs[name], volumes.get(name, [])))
        except ODD as error:
            if unread is None:
                raise
            unread[name] = f"pvs or lvs reports data about it that Lunette cannot read ({why(error)})"
    return tuple(found)


def _group(name: str, pvs: Sequence[Mapping[str, object]], volumes: Sequence[Mapping[str, object]]) -> RaidGroup:
    places = {word(row["pv_uuid"]): word(row["pv_name"]) for row in pvs}
    found = RaidGroup(
        name=name,
        uuid=next((a for a in map(array_of_pv, places) if a), ""),
        pvs=places,
        tags=frozenset(map(str, _list(pvs[0]["vg_tags"]))),
        others=tuple(str(v["lv_name"]) for v in volumes if v["lv_name"] != VOLUME and not _is_below(v)),
    )
    top = next((v for v in volumes if v["lv_name"] == VOLUME), None)
    if top is None:
        return found
    return found.model_copy(
        update={
            "images": _images(volumes, places),
            "tags_of_volume": frozenset(map(str, _list(top["lv_tags"]))),
            "size_bytes": int(text_of(top["lv_size"])),
            "level": Level(re.sub(r"_.*", "", str(top["segtype"]))).value,
            "chunk_bytes": int(str(top["stripe_size"] or 0)) or None,
            "is_active": top["lv_active"] in (1, "1", "active"),
            "integrity": any("_iorig" in str(v["lv_name"]) for v in volumes),
        }
    )


def _is_below(volume: Mapping[str, object]) -> bool:
    """True for volumes that LVM created below the RAID volume. It shows such names in brackets."""
    return str(volume["lv_name"]).strip("[]").startswith(f"{VOLUME}_r")


def _images(volumes: Sequence[Mapping[str, object]], places: Mapping[str, str]) -> tuple[str, ...]:
    """By slot the physical volume of each image, "" if LVM has put an error in its place.

    With checksums the image itself is on its `_iorig`. All missing devices have one name: they are distinguished by
    elimination, which is correct for one and does not matter for more.
    """
    names: dict[int, str] = {}
    for volume in volumes:
        found = _IMAGE.fullmatch(str(volume["lv_name"]))
        device = _DEVICE.search(", ".join(map(str, _list(volume["devices"]))))
        if found and found[2] != "_imeta" and device and "_rimage_" not in device[1]:
            names[int(found[1])] = device[1]
        elif found:
            names.setdefault(int(found[1]), "")
    by_device = {device: uuid for uuid, device in places.items() if device != NOWHERE}
    lost = [uuid for uuid, device in places.items() if device == NOWHERE]
    return tuple(
        (lost.pop(0) if lost else "") if device == NOWHERE else by_device.get(device, "")
        for _, device in sorted(names.items())
    )


def _list(value: object) -> list[object]:
    """json_std prints some lists as text."""
    return value if isinstance(value, list) else [value] if value else []


@reader("dmsetup status")
def statuses(text: str) -> dict[str, RaidStatus]:
    """The RAID volumes in `dmsetup status`, by device-mapper's name."""
    found = {}
    for line in text.splitlines():
        name, _, rest = line.partition(": ")
        words = rest.split()
        if len(words) > 8 and words[2] == "raid":
            done, _, total = words[6].partition("/")
            found[name] = RaidStatus(
                letters=words[5], done=int(done), total=int(total), action=words[7], mismatches=int(words[8])
            )
    return found


@reader("dmsetup status")
def integrity(text: str) -> dict[str, tuple[int, float]]:
    """The images with checksums in `dmsetup status`, by name: number of mismatches, and the percentage computed."""
    found = {}
    for line in text.splitlines():
        name, _, rest = line.partition(": ")
        words = rest.split()
        if len(words) > 5 and words[2] == "integrity":
            share = 100.0 if not words[5].isdigit() else round(100 * int(words[5]) / max(1, int(words[4])), 1)
            found[name] = int(words[3]), share
    return found


def array(
    group: RaidGroup, status_text: str, disks: Sequence[ObservedDisk], *, all_disks: bool = True
) -> ObservedArray:
    """The group as an array. A removed disk counts as missing even before the kernel has noticed.

    `all_disks` is False if `disks` may lack some that are present: then only LVM and the kernel decide.
    """
    status = statuses(status_text).get(mapped_name(group.name)) if group.is_active else None
    checksums = integrity(status_text)
    on_disk = {pv: disk for disk in disks if not disk.fabric and (pv := carried_pv(disk))}
    if all_disks:
        there = {pv: device if pv in on_disk else NOWHERE for pv, device in group.pvs.items()}
        group = group.model_copy(update={"pvs": there})
    members = tuple(
        _member(slot, pv, group, status, checksums, on_disk.get(pv)) for slot, pv in enumerate(group.images)
    )
    working = frozenset(m.slot for m in members if m.state == "in_sync" and m.slot is not None)
    state = _state(group, status, members, working)
    return ObservedArray(
        uuid=group.uuid,
        engine=ArrayEngine.LVM,
        name=group.name,
        ours=True,
        device=f"/dev/{group.name}/{VOLUME}" if status else None,
        level=group.level,
        state=state,
        survives_disks=_survives_disks(group, state, status, working),
        size_bytes=group.size_bytes,
        chunk_bytes=group.chunk_bytes,
        write_hole=WriteHole.BITMAP,
        raid_disks=len(group.images),
        members=members,
        progress=_progress(group, status, checksums),
        mismatch_count=_mismatches(group, status, members),
    )


def _survives_disks(
    group: RaidGroup, state: ArrayState, status: RaidStatus | None, working: frozenset[int]
) -> int | None:
    """The number of further disks it may lose; remaining redundancy counts only once the images agree everywhere."""
    if status is None or state is ArrayState.FAILED:
        return None
    left = survives_more(group.level, len(group.images), working)
    return None if left and (state is ArrayState.RESYNCING or status.action == "resync") else left


def _mismatches(group: RaidGroup, status: RaidStatus | None, members: Sequence[ObservedMember]) -> int | None:
    """With checksums, the mismatches that were repaired; otherwise the differences that the last check found."""
    if status is None:
        return None
    return sum(member.errors for member in members) if group.integrity else status.mismatches


def _member(
    slot: int,
    pv: str,
    group: RaidGroup,
    status: RaidStatus | None,
    checksums: Mapping[str, tuple[int, float]],
    disk: ObservedDisk | None,
) -> ObservedMember:
    letter = status.letters[slot] if status and slot < len(status.letters) else ""
    if group.pvs.get(pv, NOWHERE) == NOWHERE:
        state = "missing" if disk is None else "faulty"
    elif letter == "D":
        state = "faulty"
    elif letter == "a" and status and "A" in status.letters:  # at first no image is in sync, and all contain the same
        state = "rebuilding"
    else:
        state = "in_sync" if status else "spare"
    errors = checksums.get(mapped_name(group.name, f"{VOLUME}_rimage_{slot}"), (0, 100.0))[0]
    return ObservedMember(
        disk_id=disk.id if disk else None, device=disk.device if disk else None, state=state, slot=slot, errors=errors
    )


def _state(
    group: RaidGroup, status: RaidStatus | None, members: Sequence[ObservedMember], working: frozenset[int]
) -> ArrayState:
    if status is None:
        return ArrayState.MISSING
    if not survives(group.level, len(members), working):
        return ArrayState.FAILED
    states = {member.state for member in members}
    if states & {"missing", "faulty"}:
        return ArrayState.DEGRADED
    if "rebuilding" in states:
        return ArrayState.REBUILDING
    if status.action == "resync" or "a" in status.letters:
        return ArrayState.RESYNCING
    return ArrayState.CLEAN


def _progress(
    group: RaidGroup, status: RaidStatus | None, checksums: Mapping[str, tuple[int, float]]
) -> SyncProgress | None:
    """The running operation of the RAID; otherwise the progress of the checksums, which are not verified before
    that.
    """
    if status is None:
        return None
    if status.action not in ("idle", "frozen"):
        percent = round(100 * status.done / max(1, status.total), 1)
        return SyncProgress(action=status.action, percent=percent, rate_bytes_s=None, left_s=None)
    shares = [checksums.get(mapped_name(group.name, f"{VOLUME}_rimage_{slot}")) for slot in range(len(group.images))]
    least = min((share for one in shares if one for share in one[1:]), default=100.0)
    return None if least >= 100 else SyncProgress(action="integrity", percent=least, rate_bytes_s=None, left_s=None)
