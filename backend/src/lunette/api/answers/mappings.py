"""Mappings: access of one host or host group to one volume, under one number."""

from datetime import datetime

from lunette.api.answers.base import Answer, ExportState
from lunette.domain.mappings import Family


class Mapping(Answer):
    """Access of one host or one host group to one volume, under one LUN or namespace ID."""

    id: str
    """Unique ID of the mapping."""
    volume: str
    """Name of the mapped volume."""
    volume_id: str
    """ID of the mapped volume."""
    host: str | None
    """Name of the host that owns the mapping, or null if a host group owns the mapping."""
    host_id: str | None
    """ID of the host that owns the mapping, or null if a host group owns the mapping."""
    host_group: str | None
    """Name of the host group that owns the mapping, or null if a host owns the mapping."""
    host_group_id: str | None
    """ID of the host group that owns the mapping, or null if a host owns the mapping."""
    family: Family
    """Protocol family of the mapping."""
    lun: int
    """LUN under which hosts see the volume; over NVMe, the namespace ID."""
    shared: bool
    """Whether the mapping was created with permission for the volume to have several owners."""
    target_iqn: str | None
    """IQN of the target that serves the volume to the owner, or null over NVMe."""
    subsystem_nqn: str | None
    """NQN of the NVMe subsystem that serves the volume to the owner, or null over SCSI."""
    state: ExportState
    """Whether the appliance serves the volume to the owner now."""
    reason: str | None
    """Reason why the volume is not served to the owner, or null if no reason is known."""
    created_at: datetime
    """When the mapping was created, in UTC."""
    updated_at: datetime
    """When the mapping was last changed, in UTC."""


class MappingList(Answer):
    """Mappings that a batch created."""

    items: tuple[Mapping, ...]
    """Created mappings, in the order of the request."""
