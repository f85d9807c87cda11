"""Parses LVM's `json_std` reports into groups and volumes. Pure, tested with recorded output."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lunette.domain.base import Model
from lunette.domain.sealed_copies import SPACE_BYTES
from lunette.domain.volumes import ObservedGroup, ObservedThinPool, ObservedVolume
from lunette.providers.arrays.lvm.plan import TAG as RAID_TAG
from lunette.providers.reading import ODD, document, reader, rows, text_of, texts, why, word
from lunette.providers.volumes.lvm.plan import COPY_TAG, FRESH_TAG, POOL_NAME, TAG, device_path

GROUP_FIELDS = "vg_name,vg_uuid,vg_tags,vg_size,vg_free,vg_extent_size,lv_count"
WHOLE_FIELDS = f"{GROUP_FIELDS},pv_count,vg_exported,vg_systemid,vg_lock_type"
"""Fields that decide whether a foreign group can be adopted."""
VOLUME_FIELDS = (
    "vg_uuid,lv_name,lv_tags,lv_size,lv_active,lv_device_open,lv_layout,lv_role,pool_lv,data_percent,metadata_percent,"
    "lv_metadata_size"
)
"""No field of segments (segtype, thin_count) is among them: a volume that was grown would have a row for each."""


class Volume(Model):
    name: str
    tags: frozenset[str]
    size_bytes: int
    active: bool
    open: bool
    is_pool: bool
    is_plain: bool
    """True if it depends on its group only, linear or striped: no thin volume, snapshot, cache or LVM RAID, and no
    snapshot depends on it.
    """
    pool: str | None
    """The pool of a thin volume or snapshot; None: it is thick, or a pool itself."""
    used_percent: float | None
    """Of its size, or of a pool's data; None if not applicable, or if it is not active."""
    metadata_bytes: int
    metadata_percent: float | None

    @property
    def is_copy(self) -> bool:
        """True for the array's sealed copy."""
        return {TAG, COPY_TAG} <= self.tags

    def used_bytes(self) -> int | None:
        return None if self.used_percent is None else int(self.size_bytes * self.used_percent / 100)


class Group(Model):
    """One volume group with its logical volumes."""

    name: str
    uuid: str
    tags: frozenset[str]
    size_bytes: int
    free_bytes: int
    extent_bytes: int
    count: int
    devices: int = 1
    """The number of its devices, if requested."""
    closed: str | None = None
    """Why only its owner may change it, if requested."""
    volumes: tuple[Volume, ...] = ()

    def volume(self, name: str) -> Volume | None:
        return next((volume for volume in self.volumes if volume.name == name), None)

    def in_pool(self, pool: str) -> tuple[Volume, ...]:
        """The thin volumes and snapshots of a pool."""
        return tuple(volume for volume in self.volumes if volume.pool == pool)


UNKNOWN_GROUP = "[unknown]"
"""LVM's name for the group of a device that is marked as used while no metadata names its group."""


class PhysicalVolume(Model):
    device: str
    group: str
    tags: frozenset[str]
    """Tags of its group."""


@reader("vgs or lvs")
def groups(group_report: str, volume_report: str, unread: dict[str, str] | None = None) -> tuple[Group, ...]:
    """Groups with their volumes from a `vgs` and an `lvs` report.

    Groups of RAID volumes that are arrays are omitted: volumes are not allocated from those. There are two reports
    because one `vgs` report with fields of volumes omits groups that have none (LVM 2.03.31). A group that cannot be
    read, or a volume of it, goes into `unread`, by name with the reason; without it that is an error.
    """
    by_group: dict[str, list[Mapping[str, object]]] = {}
    for row in _rows(volume_report, "lv"):
        by_group.setdefault(word(row["vg_uuid"]), []).append(row)
    found = []
    for row in _rows(group_report, "vg"):
        name = word(row["vg_name"])
        try:
            if RAID_TAG not in texts(row["vg_tags"]):
                found.append(_group(row, tuple(_volume(one) for one in by_group.get(word(row["vg_uuid"]), ()))))
        except ODD as error:
            if unread is None:
                raise
            unread[name] = f"vgs or lvs reports data about it that Lunette cannot read ({why(error)})"
    return tuple(found)


@reader("vgs")
def group_of_volumes(report: str) -> Group | None:
    """One group from a `vgs` report with both kinds of fields: no row, and so None, if it is empty."""
    found = [row for row in _rows(report, "vg") if row["lv_name"]]
    return _group(found[0], tuple(_volume(row) for row in found)) if found else None


@reader("pvs")
def physical_volumes(text: str) -> tuple[PhysicalVolume, ...]:
    """From a `pvs` report."""
    return tuple(
        PhysicalVolume(
            device=word(row["pv_name"]), group=text_of(row["vg_name"] or ""), tags=frozenset(texts(row["vg_tags"]))
        )
        for row in _rows(text, "pv")
    )


def _rows(report: str, kind: str) -> list[dict[str, Any]]:
    return rows(document(report)["report"][0][kind])


def is_bare(headers: str) -> bool:
    """True if `pvck --dump headers` shows no committed metadata: a group was never finished here, or was removed."""
    offsets = re.findall(r"raw_locn\[0\]\.offset (\d+)", headers)
    return bool(offsets) and all(offset == "0" for offset in offsets)


def tagged(tags: frozenset[str], prefix: str) -> str | None:
    """The value of a tag `prefix=value`, None without it."""
    return next((tag.removeprefix(f"{prefix}=") for tag in sorted(tags) if tag.startswith(f"{prefix}=")), None)


def observed(found: Sequence[Group]) -> tuple[tuple[ObservedGroup, ...], tuple[ObservedVolume, ...]]:
    """Groups as pools and volumes of the product; foreign ones have no IDs of Lunette.

    The sealed copy in a group of Lunette is no space for volumes, whether or not it has been created.
    """
    pools = tuple(
        ObservedGroup(
            array_uuid=tagged(group.tags, "lunette.array"),
            group=group.name,
            ours=TAG in group.tags,
            size_bytes=max(0, group.size_bytes - (SPACE_BYTES if TAG in group.tags else 0)),
            free_bytes=_free(group),
            extent_bytes=group.extent_bytes,
            thin=_thin_pool(group),
        )
        for group in found
    )
    volumes = tuple(
        ObservedVolume(
            volume_id=tagged(volume.tags, "lunette.volume") if TAG in volume.tags else None,
            snapshot_id=tagged(volume.tags, "lunette.snapshot") if TAG in volume.tags else None,
            group=group.name,
            name=volume.name,
            device=device_path(group.name, volume.name),
            size_bytes=volume.size_bytes,
            active=volume.active,
            open=volume.open,
            sealed=FRESH_TAG not in volume.tags,
            used_bytes=volume.used_bytes(),
        )
        for group in found
        for volume in group.volumes
        if not volume.is_pool and not volume.is_copy
    )
    return pools, volumes


def _free(group: Group) -> int:
    """Space for volumes: a group of Lunette reserves the place of its sealed copy until that is created."""
    kept = SPACE_BYTES if TAG in group.tags and not any(volume.is_copy for volume in group.volumes) else 0
    return max(0, group.free_bytes - kept)


def _thin_pool(group: Group) -> ObservedThinPool | None:
    """Lunette's thin pool in the group."""
    pool = group.volume(POOL_NAME)
    if pool is None or not pool.is_pool or TAG not in pool.tags:
        return None
    used = pool.metadata_percent
    return ObservedThinPool(
        name=pool.name,
        size_bytes=pool.size_bytes,
        used_bytes=pool.used_bytes(),
        metadata_bytes=pool.metadata_bytes,
        metadata_used_bytes=None if used is None else int(pool.metadata_bytes * used / 100),
        volumes=len(group.in_pool(pool.name)),
    )


def _group(row: Mapping[str, object], volumes: tuple[Volume, ...]) -> Group:
    return Group(
        name=word(row["vg_name"]),
        uuid=word(row["vg_uuid"]),
        tags=frozenset(texts(row["vg_tags"])),
        size_bytes=_number(row["vg_size"]),
        free_bytes=_number(row["vg_free"]),
        extent_bytes=_number(row["vg_extent_size"]),
        count=_number(row["lv_count"]),
        volumes=volumes,
        devices=_number(row.get("pv_count", 1)),
        closed=_closed(row),
    )


def _closed(row: Mapping[str, object]) -> str | None:
    if row.get("vg_exported") in (1, "1", "exported"):
        return "it is exported: import it with vgimport first"
    if row.get("vg_systemid"):
        return f"it belongs to the system {row['vg_systemid']}: release it there with vgchange --systemid"
    if row.get("vg_lock_type") not in (None, "", "none"):
        return f"systems share it with locks ({row['vg_lock_type']}): stop sharing it first"
    return None


def _volume(row: Mapping[str, object]) -> Volume:
    layout, role = frozenset(texts(row["lv_layout"])), frozenset(texts(row.get("lv_role") or []))
    return Volume(
        name=word(row["lv_name"]),
        tags=frozenset(texts(row["lv_tags"])),
        size_bytes=_number(row["lv_size"]),
        active=row["lv_active"] in (1, "1", "active"),
        open=row["lv_device_open"] in (1, "1", "open"),
        is_pool={"thin", "pool"} <= layout,
        is_plain=layout <= {"linear", "striped"} and role <= {"public"} and not row["pool_lv"],
        pool=str(row["pool_lv"]) if row["pool_lv"] else None,
        used_percent=_percent(row["data_percent"]),
        metadata_bytes=_number(row["lv_metadata_size"]),
        metadata_percent=_percent(row["metadata_percent"]),
    )


def _number(value: object) -> int:
    """json_std prints sizes as text: they would not fit a double."""
    return int(value) if isinstance(value, int | str) and value != "" else 0


def _percent(value: object) -> float | None:
    return float(value) if isinstance(value, int | float | str) and value != "" else None
