"""Arrays that run here, or could, and are not Lunette's."""

from lunette.api.answers.base import Answer
from lunette.domain.arrays import ArrayEngine
from lunette.domain.foreign_arrays import Judged, NextStep


class ForeignMember(Answer):
    """A disk of it. `disk_id` is null for what is no whole disk, and for one that is missing."""

    disk_id: str | None
    device: str | None
    state: str


class ForeignVolume(Answer):
    """A logical volume in its group, or a zvol of the pool."""

    name: str
    size_bytes: int
    open: bool
    """Somebody uses it now."""
    reason: str | None
    """Why it cannot become a volume; null: it can."""


class ForeignArray(Answer):
    """An array that others made, or one of Lunette with logical volumes that others made. Nothing of that is written
    before it is adopted."""

    id: str
    """Its UUID; of a ZFS pool its guid."""
    name: str
    home_host: str | None
    """The machine it was made on, as its superblock says."""
    engine: ArrayEngine
    level: str
    health: str
    """As the kernel reports it; missing: it does not run, and only its superblocks were read."""
    size_bytes: int | None
    """Null while it does not run."""
    read_only: bool
    """It runs, and nothing can be written to it."""
    members: tuple[ForeignMember, ...]
    carries: tuple[str, ...]
    """What lies on it beside a volume group."""
    group: str | None
    """The volume group on it, or the pool itself; null also while it does not run."""
    free_bytes: int | None
    """Room in the group."""
    volumes: tuple[ForeignVolume, ...]
    array: str | None
    """The array of Lunette that it is, listed for logical volumes in it that are not Lunette's; null: it is none."""
    next: NextStep
    """What can be done with it."""
    reason: str | None
    """Why nothing can be, or why it is rebuilt instead of adopted."""


def foreign_array_answer(judged: Judged) -> ForeignArray:
    """An array with its verdict."""
    found, group = judged.found, judged.found.group
    home, _, name = found.md_name.rpartition(":") if found.seen.engine is ArrayEngine.MD else ("", "", found.md_name)
    return ForeignArray(
        id=found.seen.uuid,
        name=name or found.seen.uuid,
        home_host=home or None,
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
