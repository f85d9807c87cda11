"""A change of an existing md array."""

from collections.abc import Mapping
from typing import ClassVar, TypedDict

from lunette.domain.disks import ObservedDisk
from lunette.domain.observations import Observation
from lunette.domain.steps import MdAdd, MemberDisk
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.request import ArrayChangeRequest


class _Which(TypedDict):
    array_id: str
    uuid: str
    md_name: str


class MdRequest(ArrayChangeRequest):
    """`which` are the fields by which every step of md identifies the array."""

    takes_unidentified_disks: ClassVar[bool] = True

    def __init__(
        self, array: KnownArray, seen: Observation, what: str, owners: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(array, seen, what, owners)
        self.which = _Which(array_id=array.id, uuid=array.uuid, md_name=array.engine_name)

    def adding(self, disk: ObservedDisk) -> MdAdd:
        """The step that adds a disk: as a spare, or in the place of a lost one."""
        return MdAdd(**self.which, member=member_of(disk), disk_bytes=self.disk_bytes)


def member_of(disk: ObservedDisk) -> MemberDisk:
    """The disk in the form that steps use."""
    return MemberDisk(disk_id=disk.id, serial=disk.serial)
