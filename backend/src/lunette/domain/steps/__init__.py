"""Steps are data (DESIGN R3, R4): each carries every choice, so running it twice can only recognise its own work."""

from typing import Annotated

from pydantic import Field

from lunette.domain.steps.base import Step
from lunette.domain.steps.disks import DiskWipe
from lunette.domain.steps.interfaces import InterfaceKeep, InterfaceRevert, InterfaceStep, InterfaceTry
from lunette.domain.steps.md import (
    MdAdd,
    MdCreate,
    MdDestroy,
    MdFail,
    MdMember,
    MdRemove,
    MdReplace,
    MdReshape,
    MdScrub,
    MdStep,
    MdWriteHole,
)
from lunette.domain.steps.pool import (
    PoolAdd,
    PoolAddSpecial,
    PoolCreate,
    PoolDestroy,
    PoolRelease,
    PoolReplace,
    PoolScrub,
    PoolSpareBack,
    PoolSpareIn,
    PoolStep,
    PoolTakeOut,
)
from lunette.domain.steps.updates import SlotStart, SlotWrite
from lunette.domain.steps.volumes import (
    AdoptedVolume,
    ExportsGone,
    GroupAdopt,
    GroupCreate,
    GroupErase,
    GroupGrow,
    GroupRemove,
    KeptVolume,
    SealedVolume,
    SnapshotDelete,
    SnapshotsTake,
    SnapshotTake,
    ThinPoolCreate,
    ThinPoolGrow,
    ThinPoolRemove,
    VolumeAside,
    VolumeBringBack,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeRollBack,
    VolumeSetAside,
    VolumesSeal,
)

AnyStep = Annotated[
    DiskWipe
    | MdCreate
    | MdDestroy
    | MdAdd
    | MdReplace
    | MdFail
    | MdRemove
    | MdScrub
    | MdWriteHole
    | MdReshape
    | PoolCreate
    | PoolDestroy
    | PoolAdd
    | PoolAddSpecial
    | PoolTakeOut
    | PoolReplace
    | PoolRelease
    | PoolScrub
    | PoolSpareIn
    | PoolSpareBack
    | GroupAdopt
    | GroupCreate
    | GroupRemove
    | GroupErase
    | GroupGrow
    | VolumeCut
    | VolumesSeal
    | ExportsGone
    | VolumeDelete
    | VolumeSetAside
    | VolumeBringBack
    | VolumeGrow
    | ThinPoolCreate
    | ThinPoolGrow
    | ThinPoolRemove
    | SnapshotTake
    | SnapshotsTake
    | SnapshotDelete
    | VolumeRollBack
    | InterfaceTry
    | InterfaceKeep
    | InterfaceRevert
    | SlotWrite
    | SlotStart,
    Field(discriminator="kind"),
]
"""The closed set of steps the agent runs."""

__all__ = [
    "AdoptedVolume",
    "AnyStep",
    "DiskWipe",
    "ExportsGone",
    "GroupAdopt",
    "GroupCreate",
    "GroupErase",
    "GroupGrow",
    "GroupRemove",
    "InterfaceKeep",
    "InterfaceRevert",
    "InterfaceStep",
    "InterfaceTry",
    "KeptVolume",
    "MdAdd",
    "MdCreate",
    "MdDestroy",
    "MdFail",
    "MdMember",
    "MdRemove",
    "MdReplace",
    "MdReshape",
    "MdScrub",
    "MdStep",
    "MdWriteHole",
    "PoolAdd",
    "PoolAddSpecial",
    "PoolCreate",
    "PoolDestroy",
    "PoolRelease",
    "PoolReplace",
    "PoolScrub",
    "PoolSpareBack",
    "PoolSpareIn",
    "PoolStep",
    "PoolTakeOut",
    "SealedVolume",
    "SlotStart",
    "SlotWrite",
    "SnapshotDelete",
    "SnapshotTake",
    "SnapshotsTake",
    "Step",
    "ThinPoolCreate",
    "ThinPoolGrow",
    "ThinPoolRemove",
    "VolumeAside",
    "VolumeBringBack",
    "VolumeCut",
    "VolumeDelete",
    "VolumeGrow",
    "VolumeRollBack",
    "VolumeSetAside",
    "VolumesSeal",
]
