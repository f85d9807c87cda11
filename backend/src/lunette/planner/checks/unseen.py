"""Refuses changes of what cannot be read at the moment: unobserved is never treated as nonexistent. Pure."""

from collections.abc import Iterator, Sequence

from lunette.domain.errors import Conflict
from lunette.domain.observations import Observation, Part, Unread
from lunette.domain.steps import MAKES_ARRAYS, AnyStep

STORAGE = (Part.MD, Part.LVM, Part.ZFS, Part.EXTERNAL)
"""Where arrays and volumes are read."""
_NAMES = ("group", "pool", "raid_group", "uuid", "array_uuid", "guid")


def check_seen(title: str, steps: Sequence[AnyStep], seen: Observation) -> None:
    """Raises Conflict if a step changes a pool, group or array that cannot be read."""
    if not seen.unread:
        return
    known = {array.uuid for array in seen.arrays} | {array.name for array in seen.arrays}
    known |= {pool.group for pool in seen.groups}
    for step in steps:
        for one in _hiding(step, seen, known):
            subject = one.name or f"the content of {one.part.value}"
            raise Conflict(
                f"{title}: {subject} cannot be read now ({one.reason}): see the alert for what to do. Nothing was "
                "changed."
            )


def _hiding(step: AnyStep, seen: Observation, known: set[str]) -> Iterator[Unread]:
    """Why the state of the step's subject is unknown."""
    names = {name for field in _NAMES if (name := getattr(step, field, None))}
    if not names or isinstance(step, MAKES_ARRAYS):
        return
    yield from (one for one in seen.unread if one.name in names)
    if known.isdisjoint(names):
        yield from (one for one in seen.unread if not one.name and one.part in STORAGE)
