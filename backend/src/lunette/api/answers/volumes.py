"""Volumes: slices of an array with a permanent identity, and their mappings."""

from collections.abc import Sequence
from datetime import datetime

from lunette.api.answers.base import Answer, Export, ExportState
from lunette.api.answers.seen import Observed
from lunette.domain.jobs import ResourceState
from lunette.domain.mappings import Family
from lunette.domain.volumes import Provisioning
from lunette.engine.changes.snapshots import can_snapshot
from lunette.store.resources import Array as ArrayRow
from lunette.store.resources import Volume as VolumeRow


class MappedTo(Answer):
    """A mapping of a volume to a host or a host group."""

    mapping_id: str
    """Unique ID of the mapping."""
    host: str | None
    """Name of the host; `null` if the volume is mapped to a host group."""
    host_group: str | None
    """Name of the host group; `null` if the volume is mapped to a host."""
    family: Family
    """Protocol family of the mapping."""
    lun: int
    """LUN, or namespace ID over NVMe."""
    state: ExportState
    """Whether the volume is served through this mapping now."""
    reason: str | None
    """Explanation of the state; `null` if no explanation is needed."""


class VolumeObserved(Answer):
    """A volume as observed on the machine, with the age of the observation."""

    age_s: float
    """Age of the observation in seconds."""
    device: str
    """Path of the block device of the volume."""
    size_bytes: int
    """Observed size of the volume in bytes."""
    active: bool
    """Whether the block device of the volume is active."""
    open: bool | None
    """Whether the block device is in use, for example by an export. `null` for a volume on a ZFS pool, which does not
    report the use."""
    sealed: bool
    """Whether the preparation of the volume is complete. `false` while a new volume can still contain old data that has
    not been wiped."""
    used_bytes: int | None
    """Data of a thin volume in bytes, including data that its snapshots share. `null` for a thick volume, and while the
    volume is not active."""
    block_bytes: int | None
    """Logical block size in bytes, as hosts see it: 512 or 4096, depending on the disks of the array. `null` while the
    volume is not active."""


class Volume(Answer):
    """A slice of an array that hosts use as a disk."""

    id: str
    """Unique ID of the volume."""
    name: str
    """Unique name of the volume."""
    description: str
    """Description of the volume."""
    array: str
    """Name of the array."""
    array_id: str
    """Unique ID of the array."""
    size_bytes: int
    """Size of the volume in bytes."""
    provisioning: Provisioning
    """Whether the space was allocated when the volume was created (`thick`) or is allocated when hosts write data
    (`thin`)."""
    can_snapshot: bool
    """Whether the volume can have snapshots. `false` for a thick volume, except on a ZFS pool."""
    state: ResourceState
    """State of the volume in Lunette."""
    uuid: str
    """UUID of the volume. NVMe hosts see the UUID."""
    serial: str
    """Unit serial number of the volume. SCSI hosts see the serial number."""
    naa: str
    """NAA identifier of the volume, derived from the serial number. SCSI hosts see the NAA."""
    nguid: str
    """NGUID of the volume. NVMe hosts see the NGUID. All zeros if hosts see none, because the volume was adopted from a
    subsystem that showed none."""
    eui64: str
    """EUI-64 of the volume. Hosts do not see the EUI-64."""
    mapped_to: tuple[MappedTo, ...]
    """Mappings of the volume to hosts and host groups; empty if the volume is not mapped."""
    export: Export
    """Whether the volume is served to hosts now, and the reason if it is not."""
    observed: VolumeObserved | None
    """Volume as observed on the machine; `null` if the machine does not report the volume."""
    created_at: datetime
    """When the volume was created or adopted, in UTC."""
    updated_at: datetime
    """When the record of the volume was last changed, in UTC."""


def volume_answer(row: VolumeRow, array: ArrayRow, mapped_to: Sequence[MappedTo], seen: Observed) -> Volume:
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
