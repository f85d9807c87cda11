"""LUNs of mappings, and those under which a host may still have the device of another volume (decision 0055)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lunette.domain.mappings import Family
from lunette.domain.units import counted
from lunette.planner.checks.findings import shorten

FIRST_LUN = 1
"""0 only on request: some hosts probe LUN 0 as a controller (DESIGN R12)."""
LAST_LUN = 255


@dataclass(frozen=True)
class Former:
    """A volume that had a LUN until it was unmapped."""

    volume_id: str
    volume: str
    family: Family
    hours: int
    """After this many hours, other volumes can get the LUN again."""


HeldNumbers = Mapping[int, Sequence[Former]]
"""By LUN, the volumes whose devices a host may still have under it."""


def number_name(family: Family, lun: int) -> str:
    """A number in words: LUN 3, or namespace 3."""
    return f"{'LUN' if family is Family.SCSI else 'namespace'} {lun}"


def others(held: HeldNumbers, lun: int, volume_id: str, family: Family) -> list[Former]:
    """The volumes whose devices would turn into this one. Its own old device is the same device."""
    return [one for one in held.get(lun, ()) if one.family is family and one.volume_id != volume_id]


def lowest_free(taken: Mapping[int, str], held: HeldNumbers) -> int | None:
    """The lowest LUN that is not in use and was not recently."""
    return next((lun for lun in range(FIRST_LUN, LAST_LUN + 1) if lun not in taken and lun not in held), None)


def choose(taken: Mapping[int, str], held: HeldNumbers, volume_id: str, family: Family) -> int | None:
    """The LUN of a mapping without a requested one: the one that the volume had, or the lowest that is free."""
    had = {lun: [one.family for one in held[lun] if one.volume_id == volume_id] for lun in held}
    own = [lun for lun in sorted(had) if family in had[lun]]
    numbers: list[int] = [*own, *range(FIRST_LUN, LAST_LUN + 1)]
    for lun in numbers:
        if lun not in taken and not others(held, lun, volume_id, family):
            return lun
    return None


def left_out_warning(owner: str, family: Family, left_out: Mapping[int, Sequence[Former]]) -> str:
    """Why a mapping did not get the lowest LUN, and until when."""
    named = [f"{number_name(family, lun)} ({', '.join(one.volume for one in left_out[lun])})" for lun in left_out]
    hours = max(one.hours for formers in left_out.values() for one in formers)
    return (
        f"Hosts of {owner} can still have devices of unmapped volumes, so these numbers are not assigned: "
        f"{shorten(named)}. They become available to other volumes after a new login of its hosts, after "
        f"{counted(hours, 'hour')} at the latest."
    )
