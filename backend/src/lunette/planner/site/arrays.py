"""Disks that an array has in a site document and lacks on the appliance, as the changes that add them. Pure."""

from collections.abc import Collection, Iterator

from lunette.domain.array_changes import ArrayAddDisks, ArrayAddSpares, ArrayGrow
from lunette.domain.arrays import ArrayCreate, MemberRole
from lunette.planner.engines.array_engines import ARRAY_ENGINES

Joining = ArrayAddSpares | ArrayAddDisks | ArrayGrow
_AUXILIARY = (MemberRole.LOG, MemberRole.CACHE, MemberRole.SPECIAL)


def joining(
    wanted: ArrayCreate, present: ArrayCreate, wipe: Collection[str], places: int
) -> Iterator[tuple[str, Joining | None]]:
    """The fields that name more disks than exist, or the same ones, each with what adds them; None for nothing.

    A field that lacks an existing disk is omitted: no document removes a disk. `wipe` has the IDs of disks whose
    content may be destroyed. `places` is the number of members of the array, used only if the engine fills lost places.
    The specs are not validated.
    """
    fills = ARRAY_ENGINES[present.engine].fills_lost_places
    if fills:
        yield from _filling(wanted, present, wipe, places)
    for role in _AUXILIARY if fills else (MemberRole.SPARE, *_AUXILIARY, MemberRole.DATA):
        asked, there = getattr(wanted, role.field), getattr(present, role.field)
        if role.field in wanted.model_fields_set and set(there) <= set(asked) and (disks := _new(asked, there)):
            yield role.field, _spec(role, disks, wipe)


def _filling(
    wanted: ArrayCreate, present: ArrayCreate, wipe: Collection[str], places: int
) -> Iterator[tuple[str, Joining | None]]:
    """A spare automatically replaces a lost disk, so the present set of spares is no difference. The array grows only
    to the number of members that the document lists: a lost disk that returns, or its replacement, becomes a spare.
    """
    held = {*present.disks, *present.spares}
    spares = wanted.spares if "spares" in wanted.model_fields_set else present.spares
    if not held <= {*wanted.disks, *spares}:
        return
    yield "spares", None
    yield "disks", None
    members, more = _new(wanted.disks, held), max(0, len({*wanted.disks}) - places)
    for field, role, disks in (
        ("spares", MemberRole.SPARE, _new(spares, held)),
        ("disks", MemberRole.SPARE, members[more:]),
        ("disks", MemberRole.DATA, members[:more]),
    ):
        if disks:
            yield field, _spec(role, disks, wipe)


def _spec(role: MemberRole, disks: tuple[str, ...], wipe: Collection[str]) -> Joining:
    named = tuple(disk for disk in disks if disk in wipe)
    if role is MemberRole.DATA:
        return ArrayGrow.model_construct(disks=disks, wipe=named)
    if role is MemberRole.SPARE:
        return ArrayAddSpares.model_construct(disks=disks, wipe=named)
    return ArrayAddDisks.model_construct(role=role, disks=disks, wipe=named)


def _new(asked: tuple[str, ...], held: Collection[str]) -> tuple[str, ...]:
    return tuple(disk for disk in asked if disk not in held)
