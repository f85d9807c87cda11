"""An array of the database, as far as plans need it."""

import dataclasses
from collections.abc import Mapping

from lunette.domain.arrays import ArrayEngine, MemberRole
from lunette.domain.encryption import Encryption
from lunette.domain.errors import Blocker
from lunette.domain.steps import MemberDisk


@dataclasses.dataclass(frozen=True)
class KnownArray:
    """An array of the database, as far as plans need it."""

    id: str
    name: str
    state: str
    engine: ArrayEngine
    uuid: str
    group: str
    size_bytes: int
    members: tuple[MemberDisk, ...]
    """All its disks, spares included."""
    volumes: tuple[Blocker, ...] = ()
    """Its volumes."""
    engine_name: str = ""
    level: str = ""
    encryption: Encryption | None = None
    member_bytes: int = 0
    """Bytes used on each disk, as planned."""
    roles: Mapping[str, MemberRole] = dataclasses.field(default_factory=dict)
    """Roles of its disks, by ID; a missing entry is a data disk, or one whose role the engine chooses automatically."""

    def role(self, disk_id: str) -> MemberRole:
        return self.roles.get(disk_id, MemberRole.DATA)
