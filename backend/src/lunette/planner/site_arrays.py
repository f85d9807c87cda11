"""Disks that an array has in a site document and lacks on the appliance, as the changes that add them. Pure."""

from collections.abc import Collection, Iterator

from lunette.domain.array_changes import ArrayAddDisks, ArrayAddSpares, ArrayGrow
from lunette.domain.arrays import ArrayCreate, MemberRole

Joining = ArrayAddSpares | ArrayAddDisks | ArrayGrow
_MEMBERS = ("disks", "spares")


def joining(wanted: ArrayCreate, present: ArrayCreate, wipe: Collection[str]) -> Iterator[tuple[str, Joining | None]]:
    """The fields that name more disks than are there, or the same ones, each with what adds them; None for nothing.

    A field that lacks a disk which is there is left out: no document takes a disk away. `wipe` has the ids of disks
    whose content may be destroyed.
    """
    given = wanted.model_fields_set
    held = {*present.disks, *present.spares}
    if held <= {*wanted.disks, *(wanted.spares if "spares" in given else present.spares)}:
        # A spare takes the place of a lost disk by itself: which of them are spares now is no difference.
        new = {field: _new(getattr(wanted, field), held) for field in _MEMBERS if field in given}
        for field, wish in (("spares", ArrayAddSpares), ("disks", ArrayGrow)):
            disks = new.get(field, ())
            yield field, wish(disks=disks, wipe=_among(disks, wipe)) if disks else None
    for role in (MemberRole.LOG, MemberRole.CACHE, MemberRole.SPECIAL):
        asked, there = getattr(wanted, role.field), getattr(present, role.field)
        if role.field in given and set(there) <= set(asked) and (disks := _new(asked, there)):
            yield role.field, ArrayAddDisks(role=role, disks=disks, wipe=_among(disks, wipe))


def _new(asked: tuple[str, ...], held: Collection[str]) -> tuple[str, ...]:
    return tuple(disk for disk in asked if disk not in held)


def _among(disks: tuple[str, ...], wipe: Collection[str]) -> tuple[str, ...]:
    return tuple(disk for disk in disks if disk in wipe)
