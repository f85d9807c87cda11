"""Volumes: slices of an array with their identity for life, and to whom they are given."""

from collections.abc import Sequence
from datetime import datetime

from lunette.api.answers.base import Answer, Export
from lunette.api.answers.seen import Seen
from lunette.domain.jobs import ResourceState
from lunette.domain.mappings import Family
from lunette.domain.volumes import Provisioning
from lunette.engine.snapshots import can_snapshot
from lunette.store.resources import Array as ArrayRow
from lunette.store.resources import Volume as VolumeRow


class MappedTo(Answer):
    """One owner of a volume: a host or a host group, by name, and the number it sees the volume under.

    Over NVMe the number is the namespace id.
    """

    mapping_id: str
    host: str | None
    host_group: str | None
    family: Family
    lun: int


class VolumeObserved(Answer):
    """What the machine says about a volume, and how old that is."""

    age_s: float
    device: str
    size_bytes: int
    active: bool
    open: bool | None
    """Null where the engine does not tell."""
    sealed: bool
    used_bytes: int | None
    """What a thin volume holds of its pool, shared with its snapshots or not; null for a thick one."""
    block_bytes: int | None
    """The logical block that hosts address, as its array's drives have it: 512 or 4096. Null where it is not active."""


class Volume(Answer):
    """A slice of an array. `export` tells whether hosts are served from it now."""

    id: str
    name: str
    description: str
    array: str
    array_id: str
    size_bytes: int
    provisioning: Provisioning
    can_snapshot: bool
    """False for a thick volume on an engine that has snapshots of thin ones only."""
    state: ResourceState
    uuid: str
    serial: str
    naa: str
    nguid: str
    """All zero where hosts are shown none: it was adopted from a subsystem that showed none."""
    eui64: str
    mapped_to: tuple[MappedTo, ...]
    export: Export
    observed: VolumeObserved | None
    created_at: datetime
    updated_at: datetime


def volume_answer(row: VolumeRow, array: ArrayRow, mapped_to: Sequence[MappedTo], seen: Seen) -> Volume:
    """A stored volume joined with what is seen of it."""
    found = seen.volumes.get(row.id)
    observed = None
    if found:
        observed = VolumeObserved(
            age_s=seen.age_s,
            device=found.device,
            size_bytes=found.size_bytes,
            active=found.active,
            open=found.open,
            sealed=found.sealed,
            used_bytes=found.used_bytes,
            block_bytes=found.block_bytes,
        )
    return Volume(
        id=row.id,
        name=row.name,
        description=row.description,
        array=array.name,
        array_id=row.array_id,
        size_bytes=row.size_bytes,
        provisioning=Provisioning(row.provisioning),
        can_snapshot=can_snapshot(row, array),
        state=ResourceState(row.state),
        uuid=row.uuid,
        serial=row.serial,
        naa=row.naa,
        nguid=row.shown_nguid(),
        eui64=row.eui64,
        mapped_to=tuple(mapped_to),
        export=seen.volume_export(row.id, [one.mapping_id for one in mapped_to]),
        observed=observed,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
