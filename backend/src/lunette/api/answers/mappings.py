"""Mappings: a volume under one number for one host or one host group."""

from datetime import datetime

from lunette.api.answers.base import Answer, ExportState
from lunette.domain.mappings import Family


class Mapping(Answer):
    """`state` tells whether the owner is served it now, `reason` why not."""

    id: str
    volume: str
    volume_id: str
    host: str | None
    host_id: str | None
    host_group: str | None
    host_group_id: str | None
    family: Family
    lun: int
    """Over NVMe the namespace id."""
    shared: bool
    target_iqn: str | None
    """The target it is served by over SCSI."""
    subsystem_nqn: str | None
    """The subsystem it is served by over NVMe."""
    state: ExportState
    reason: str | None
    created_at: datetime
    updated_at: datetime


class MappingList(Answer):
    """The mappings a batch made, in the order asked for."""

    items: tuple[Mapping, ...]
