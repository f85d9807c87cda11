"""Deleted volumes: what can be recovered, and until when."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.jobs import ResourceState
from lunette.domain.uptime import Uptime
from lunette.domain.volumes import Provisioning
from lunette.store.resources import DeletedVolume as DeletedVolumeRow


class DeletedVolume(Answer):
    """A volume that was deleted, with the id and identity that it gets back when it is recovered.

    `held_bytes`: what it takes of its array meanwhile. `erase_at`: when it is erased; time while the appliance does not
    run does not count, so it may become later. `state`: ready, changing (being recovered) or deleting (being erased).
    """

    id: str
    name: str
    description: str
    array: str
    array_id: str
    size_bytes: int
    held_bytes: int
    provisioning: Provisioning
    state: ResourceState
    uuid: str
    serial: str
    naa: str
    nguid: str
    """All zero where hosts are shown none: it was adopted from a subsystem that showed none."""
    eui64: str
    deleted_at: datetime
    erase_at: datetime
    created_at: datetime
    updated_at: datetime


def deleted_volume_answer(row: DeletedVolumeRow, array: str, uptime: Uptime) -> DeletedVolume:
    """`array` is the name of the array it is kept on."""
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
