"""Foreign arrays: arrays on this machine that other systems created."""

from lunette.api.answers.base import Answer
from lunette.domain.arrays import ArrayEngine
from lunette.domain.foreign_arrays import Judged, NextStep


class ForeignMember(Answer):
    """A disk of a foreign array."""

    disk_id: str | None
    """ID of the disk; `null` if the member is missing or is not a whole disk."""
    device: str | None
    """Device of the member; `null` if the member is missing."""
    state: str
    """State of the member: `in_sync`, `rebuilding`, `replacing`, `spare`, `faulty` or `missing`. While the array does
    not run, every member that is present has the state `spare`."""


class ForeignVolume(Answer):
    """A logical volume in the volume group of a foreign array, or a zvol in a foreign ZFS pool."""

    name: str
    """Name of the logical volume or zvol."""
    size_bytes: int
    """Size in bytes."""
    open: bool
    """Whether the logical volume or zvol is in use now."""
    reason: str | None
    """Why the logical volume or zvol cannot be adopted even if its array can; `null` otherwise."""


class ForeignArray(Answer):
    """An array that another system created, or an array of Lunette with logical volumes that another system created.

    Nothing is written to the array before it is adopted.
    """

    id: str
    """UUID of the array; for a ZFS pool, the GUID of the pool."""
    name: str
    """Name of the array in MD RAID, without the home host, or name of the ZFS pool."""
    home_host: str | None
    """Machine on which the array was created, according to its superblock; `null` if unknown."""
    engine: ArrayEngine
    """Array engine of the array."""
    level: str
    """Level of the array; `pool` for a ZFS pool that is not imported."""
    health: str
    """Health of the array as the kernel reports it, such as `clean` or `degraded`; `missing` if the array does not
    run."""
    size_bytes: int | None
    """Size of the array in bytes; `null` while the array does not run."""
    read_only: bool
    """Whether the array runs read-only."""
    members: tuple[ForeignMember, ...]
    """Disks of the array."""
    carries: tuple[str, ...]
    """Signatures on the array other than a volume group, such as `ext4`."""
    group: str | None
    """Name of the volume group on the array, or of the ZFS pool. `null` if there is none, and while the array does not
    run."""
    free_bytes: int | None
    """Free space in the volume group or pool, in bytes; `null` if `group` is `null`."""
    volumes: tuple[ForeignVolume, ...]
    """Logical volumes in the volume group, or zvols in the pool. For an array of Lunette, only those that Lunette does
    not know."""
    array: str | None
    """Name of the array in Lunette, if the array belongs to Lunette and has logical volumes that do not; `null`
    otherwise."""
    next: NextStep
    """Next possible step."""
    reason: str | None
    """Why no step is possible, or why the array must be rebuilt instead of adopted; `null` otherwise."""


def foreign_array_answer(judged: Judged) -> ForeignArray:
    """An array with its verdict."""
    found, group = judged.found, judged.found.group
    return ForeignArray(
        id=found.seen.uuid,
        name=judged.name or found.seen.uuid,
        home_host=judged.home_host or None,
        engine=found.seen.engine,
        level=found.seen.level,
        health=found.seen.state.value,
        size_bytes=found.seen.size_bytes or None,
        read_only=found.read_only,
        members=tuple(ForeignMember(**one.model_dump(include=_MEMBER)) for one in found.seen.members),
        carries=found.carries,
        group=group.name if group else None,
        free_bytes=group.free_bytes if group else None,
        volumes=tuple(
            ForeignVolume(name=one.name, size_bytes=one.size_bytes, open=one.is_open, reason=why)
            for one, why in judged.volumes
        ),
        array=judged.own,
        next=judged.next,
        reason=judged.reason,
    )


_MEMBER = {"disk_id", "device", "state"}
