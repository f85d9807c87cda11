"""Results of a scrub in words, for engines that compare copies and parity, without their own checksums.

The meaning of a mismatch in md is in md(4), "Scrubbing and mismatches".
"""

from lunette.domain.arrays import Level, ScrubOutcome

_MIRRORS = (Level.RAID1, Level.RAID10)


def found(level: Level, outcome: ScrubOutcome) -> str:
    """After "A scrub of array tank"."""
    what = "copies" if level in _MIRRORS else "parity"
    wrote = ", and overwrote them" if outcome.repaired else ""
    return f"found {outcome.mismatches} sectors with mismatched {what}{wrote}"


def advice(label: str, array: str, level: Level, outcome: ScrubOutcome) -> tuple[str, str]:
    """Cause and fix. `label` names the engine, `array` is the name."""
    check = f"`lunette array scrub {array}`"
    if level in _MIRRORS:
        cause = (
            "A disk returned or stored wrong data; or, on a mirror, memory changed while it was being written, for "
            f"example in swap: such blocks are not read, and no harm is done. {label} cannot distinguish the "
            "two cases"
        )
    else:
        cause = "A disk returned or stored wrong data: with parity, software alone does not cause this"
    look = "Check the health of its disks, and verify the data on the volumes with the applications that use it"
    if outcome.repaired:
        return cause, f"{look}. Then scrub again with {check}: this alert resolves when no mismatches are found."
    keeps = "the first copy" if level in _MIRRORS else "the data and rewrites the parity to match"
    return cause, (
        f"{look}. Then remove the mismatches with `lunette array scrub {array} --action repair`: "
        f"{label} keeps {keeps}, whether correct or not. This alert resolves when {check} then finds no "
        "mismatches."
    )
