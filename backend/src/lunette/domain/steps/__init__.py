"""Steps are data (DESIGN R3, R4): each contains every choice, so a repeated step recognizes its own work."""

from typing import Annotated

from pydantic import Field

from lunette.domain.steps.base import Step
from lunette.domain.steps.disks import DiskErase, DiskLocate, DiskWipe
from lunette.domain.steps.interfaces import InterfaceKeep, InterfaceRevert, InterfaceStep, InterfaceTry
from lunette.domain.steps.luks import LuksCreate, LuksDestroy
from lunette.domain.steps.lvmraid import (
    LvmRaidCreate,
    LvmRaidDestroy,
    LvmRaidReplace,
    LvmRaidScrub,
    LvmRaidStep,
)
from lunette.domain.steps.md import (
    MdAdd,
    MdCreate,
    MdDestroy,
    MdFail,
    MdForceStart,
    MdOpen,
    MdRelease,
    MdRelevel,
    MdRemove,
    MdReplace,
    MdReshape,
    MdScrub,
    MdSpareOut,
    MdStart,
    MdStep,
    MdWriteHole,
    MemberDisk,
)
from lunette.domain.steps.paths import HostLink, PathsAsk, PathTry
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
from lunette.domain.steps.power import MachineStop
from lunette.domain.steps.sessions import SessionEnd
from lunette.domain.steps.snapshots import (
    SnapshotAside,
    SnapshotBringBack,
    SnapshotDelete,
    SnapshotSetAside,
    SnapshotsTake,
    SnapshotTake,
    VolumeRollBack,
    VolumeSwap,
)
from lunette.domain.steps.updates import SlotStart, SlotWrite
from lunette.domain.steps.volumes import (
    AdoptedVolume,
    ExportsGone,
    GroupAdopt,
    GroupCreate,
    GroupErase,
    GroupGrow,
    GroupRelease,
    GroupRemove,
    KeptSnapshot,
    KeptVolume,
    SealedVolume,
    ThinPoolCreate,
    ThinPoolGrow,
    ThinPoolRemove,
    VolumeAside,
    VolumeBringBack,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeSetAside,
    VolumesSeal,
)

AnyStep = Annotated[
    DiskWipe
    | DiskErase
    | DiskLocate
    | LvmRaidCreate
    | LvmRaidDestroy
    | LvmRaidReplace
    | LvmRaidScrub
    | MdCreate
    | MdDestroy
    | MdStart
    | MdOpen
    | MdRelease
    | MdAdd
    | MdReplace
    | MdFail
    | MdForceStart
    | MdRemove
    | MdSpareOut
    | MdScrub
    | MdWriteHole
    | MdReshape
    | MdRelevel
    | LuksCreate
    | LuksDestroy
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
    | GroupRelease
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
    | SnapshotSetAside
    | SnapshotBringBack
    | VolumeRollBack
    | VolumeSwap
    | InterfaceTry
    | InterfaceKeep
    | InterfaceRevert
    | SessionEnd
    | PathsAsk
    | PathTry
    | SlotWrite
    | SlotStart
    | MachineStop,
    Field(discriminator="kind"),
]
"""The closed set of steps the agent runs."""
MAKES_ARRAYS = (MdCreate, PoolCreate, LvmRaidCreate, LuksCreate, GroupCreate)
"""Steps that create an array or a layer of one: their names are new, and they are not undone once it is in service."""
AnyManyStep = Annotated[
    VolumeCut | VolumeDelete | VolumeSetAside | SnapshotTake | SnapshotDelete | SnapshotSetAside,
    Field(discriminator="kind"),
]
"""Steps of which a job may have hundreds: an engine may run several of one kind, in one group, at once."""
MANY = (VolumeCut, VolumeDelete, VolumeSetAside, SnapshotTake, SnapshotDelete, SnapshotSetAside)

__all__ = [
    "MAKES_ARRAYS",
    "MANY",
    "AdoptedVolume",
    "AnyManyStep",
    "AnyStep",
    "DiskErase",
    "DiskLocate",
    "DiskWipe",
    "ExportsGone",
    "GroupAdopt",
    "GroupCreate",
    "GroupErase",
    "GroupGrow",
    "GroupRelease",
    "GroupRemove",
    "HostLink",
    "InterfaceKeep",
    "InterfaceRevert",
    "InterfaceStep",
    "InterfaceTry",
    "KeptSnapshot",
    "KeptVolume",
    "LuksCreate",
    "LuksDestroy",
    "LvmRaidCreate",
    "LvmRaidDestroy",
    "LvmRaidReplace",
    "LvmRaidScrub",
    "LvmRaidStep",
    "MachineStop",
    "MdAdd",
    "MdCreate",
    "MdDestroy",
    "MdFail",
    "MdForceStart",
    "MdOpen",
    "MdRelease",
    "MdRelevel",
    "MdRemove",
    "MdReplace",
    "MdReshape",
    "MdScrub",
    "MdSpareOut",
    "MdStart",
    "MdStep",
    "MdWriteHole",
    "MemberDisk",
    "PathTry",
    "PathsAsk",
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
    "SessionEnd",
    "SlotStart",
    "SlotWrite",
    "SnapshotAside",
    "SnapshotBringBack",
    "SnapshotDelete",
    "SnapshotSetAside",
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
    "VolumeSwap",
    "VolumesSeal",
]
