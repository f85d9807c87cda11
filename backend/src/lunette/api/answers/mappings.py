"""Mappings: a volume under one number for one host or one host group."""

from datetime import datetime

from lunette.api.answers.base import Answer, ExportState


class Mapping(Answer):
    """`state` tells whether the owner is served it now, `reason` why not."""

    id: str
    volume: str
    volume_id: str
    host: str | None
    host_id: str | None
    host_group: str | None
    host_group_id: str | None
    lun: int
    shared: bool
    target_iqn: str | None
    state: ExportState
    reason: str | None
    created_at: datetime
    updated_at: datetime


class MappingList(Answer):
    """The mappings a batch made, in the order asked for."""

    items: tuple[Mapping, ...]
