"""Results of a scrub of a pool in words: ZFS verifies checksums, so it knows what was wrong."""

from lunette.domain.arrays import ScrubOutcome
from lunette.domain.sizes import format_size


def found(outcome: ScrubOutcome) -> str:
    """After "A scrub of array tank"."""
    words = [f"repaired {format_size(outcome.mismatches)}"] if outcome.mismatches else []
    words += [f"found {outcome.lost} errors that could not be repaired"] if outcome.lost else []
    return " and ".join(words)


def advice(array: str, outcome: ScrubOutcome) -> tuple[str, str]:
    """Cause and fix. `array` is the name."""
    cause = "A disk returned data that did not match its checksums, or no data"
    again = f"This alert resolves when another `lunette array scrub {array}` finds no errors."
    disks = f"`lunette array show {array}` shows the errors of each disk: replace a disk that has many."
    if outcome.lost:
        where = "`zpool status -v` as root lists the volumes with unreadable blocks: restore them from a backup."
        return cause, f"{where} {disks} {again}"
    return cause, f"No data was lost. {disks} {again}"
