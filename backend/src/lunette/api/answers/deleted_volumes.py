"""Deleted volumes, which can be recovered until they are erased."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.jobs import ResourceState
from lunette.domain.uptime import Uptime
from lunette.domain.volumes import Provisioning
from lunette.store.resources import DeletedVolume as DeletedVolumeRow


class DeletedVolume(Answer):
    """A deleted volume. A recovery restores the volume with its data, ID and identity."""

    id: str
    """Unique ID of the volume, which the volume retains when it is recovered."""
    name: str
    """Name of the volume when it was deleted. Several deleted volumes can have the same name."""
    description: str
    """Description of the volume."""
    array: str
    """Name of the array."""
    array_id: str
    """Unique ID of the array."""
    size_bytes: int
    """Size of the volume in bytes."""
    held_bytes: int
    """Space that the deleted volume uses on the array, in bytes."""
    provisioning: Provisioning
    """Whether the volume is `thick` or `thin`."""
    state: ResourceState
    """State of the deleted volume: `ready`, `changing` (being recovered), `deleting` (being erased) or `stuck`."""
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
    deleted_at: datetime
    """When the volume was deleted, in UTC."""
    erase_at: datetime
    """When the volume is erased, in UTC. Time while the appliance does not run does not count, so the volume may be
    erased later."""
    created_at: datetime
    """When the volume was created, in UTC."""
    updated_at: datetime
    """When the record of the deleted volume was last changed, in UTC."""


def deleted_volume_answer(row: DeletedVolumeRow, array: str, uptime: Uptime) -> DeletedVolume:
    """`array` is the name of its array."""
    return DeletedVolume(
        id=row.id,
        name=row.name,
        description=row.description,
        array=array,
        array_id=row.array_id,
        size_bytes=row.size_bytes,
        held_bytes=row.held_bytes,
        provisioning=Provisioning(row.provisioning),
        state=ResourceState(row.state),
        uuid=row.uuid,
        serial=row.serial,
        naa=row.naa,
        nguid=row.shown_nguid(),
        eui64=row.eui64,
        deleted_at=row.deleted_at,
        erase_at=uptime.when(row.due_s),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
