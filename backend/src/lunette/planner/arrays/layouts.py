"""Every array that is possible with given disks, with its figures: pure, for live display by a page or a script."""

from collections.abc import Mapping, Sequence

from lunette.domain.arrays import ArrayCreate, ArrayEngine, Level, LevelCapability, Raid10Layout, WriteHole
from lunette.domain.disks import ObservedDisk, cached
from lunette.domain.errors import Invalid
from lunette.domain.layouts import Layout, LayoutDisk, Layouts
from lunette.domain.observations import Observation
from lunette.domain.sizes import KIB, MIB
from lunette.planner.arrays import proportions
from lunette.planner.arrays.creation import engine_reason
from lunette.planner.checks.findings import Findings
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.providers.arrays.md import raid10

MAX_BLOCK_BYTES = 128 * KIB
_HDD, _SSD, _NVME = 200 * MIB, 500 * MIB, 2000 * MIB
"""Sustained sequential write speed of these kinds of drives, in bytes per second: today's drives are hardly faster."""
_LOSSES = {
    Level.RAID4: 1,
    Level.RAID5: 1,
    Level.RAID6: 2,
    Level.RAIDZ1: 1,
    Level.RAIDZ2: 2,
    Level.RAIDZ3: 3,
    Level.DRAID1: 1,
    Level.DRAID2: 2,
    Level.DRAID3: 3,
}


def plan_layouts(
    references: Sequence[str], block_bytes: int, seen: Observation, disk_owners: Mapping[str, str]
) -> Layouts:
    """All levels of all engines with these disks. `disk_owners` gives, by disk ID, the array that has it.

    Raises Invalid for a disk that does not exist or is listed twice, and for a block size that no zvol can have.
    """
    disks = _find(references, block_bytes, seen)
    total = sum(disk.size_bytes for disk in disks)
    return Layouts(
        disks=tuple(_disk(disk, disk_owners.get(disk.id)) for disk in disks),
        total_bytes=total,
        block_bytes=block_bytes,
        layouts=tuple(
            _layout(engine, facts, layout, disks, block_bytes, seen)
            for engine, planning in ARRAY_ENGINES.items()
            for facts in planning.capability().levels
            for layout in facts.layouts or (None,)
        ),
    )


def _find(references: Sequence[str], block_bytes: int, seen: Observation) -> list[ObservedDisk]:
    findings, found = Findings(), dict[str, ObservedDisk]()
    for index, reference in enumerate(references):
        disk = seen.disk(reference)
        if disk is None:
            message = f"disk {reference} was not found; use an ID from the list of disks"
            findings.add(Invalid, f"disks[{index}]", reference, message)
        elif disk.id in found:
            findings.add(
                Invalid, f"disks[{index}]", reference, f"disk {reference} is listed twice; list each disk once"
            )
        else:
            found[disk.id] = disk
    if block_bytes & (block_bytes - 1) or not 4 * KIB <= block_bytes <= MAX_BLOCK_BYTES:
        message = "the block size of a volume must be a power of two from 4 KiB to 128 KiB"
        findings.add(Invalid, "block_bytes", block_bytes, message)
    findings.refuse("No layouts can be calculated for these disks")
    return list(found.values())


def _disk(disk: ObservedDisk, owner: str | None) -> LayoutDisk:
    content = "; ".join(disk.occupations())
    if owner is not None:
        problem: str | None = f"it belongs to array {owner}"
    elif disk.fabric:
        problem = "it is attached over a fabric: an array is never built on another appliance's volume"
    elif disk.used_by_system:
        problem = "it carries the running system"
    else:
        problem = content or disk.blocker()
    wipes = bool(content) and owner is None and not disk.is_busy() and disk.is_known
    return LayoutDisk(id=disk.id, size_bytes=disk.size_bytes, problem=problem, needs_wipe=wipes)


def _layout(
    engine: ArrayEngine,
    facts: LevelCapability,
    layout: Raid10Layout | None,
    disks: Sequence[ObservedDisk],
    block_bytes: int,
    seen: Observation,
) -> Layout:
    spec = ArrayCreate(
        name="layout", engine=engine, level=facts.level, layout=layout, disks=tuple(disk.id for disk in disks)
    )
    problem = engine_reason(engine, seen) or _problem(spec, disks)
    survives = raid10.survives_words(layout) if layout else facts.survives_failures
    if problem:
        return Layout(
            engine=engine,
            level=facts.level,
            layout=layout,
            groups=None,
            possible=False,
            problem=problem,
            usable_bytes=None,
            usable_percent=None,
            survives=survives,
            survives_disks=None,
            small_write_ios=None,
            write_hole=facts.write_hole,
            min_rebuild_s=None,
            integrity_usable_bytes=None,
            warnings=(),
        )
    planning = ARRAY_ENGINES[engine]
    usable = planning.usable_bytes(spec, disks, block_bytes)
    checked = spec.model_copy(update={"integrity": True}) if "integrity" in facts.options else None
    made = planning.blueprint("0", "0", spec, disks)
    losses = None if spec.level is Level.EXTERNAL else _losses(spec)
    return Layout(
        engine=engine,
        level=facts.level,
        layout=layout,
        possible=True,
        groups=made.draid,
        problem=None,
        usable_bytes=usable,
        usable_percent=round(100 * usable / sum(disk.size_bytes for disk in disks), 2),
        survives=survives,
        survives_disks=losses,
        small_write_ios=planning.small_write_ios(spec, block_bytes),
        write_hole=_default_first(_offered(facts.write_hole, disks), made.write_hole),
        min_rebuild_s=_rebuild_s(disks) if losses else None,
        integrity_usable_bytes=planning.usable_bytes(checked, disks, block_bytes) if checked else None,
        warnings=proportions.warnings(spec.level, disks),
    )


def _losses(spec: ArrayCreate) -> int:
    """The number of arbitrary disks that may be lost."""
    if spec.level in (Level.RAID1, Level.MIRROR):
        return len(spec.disks) - 1
    if spec.level is Level.RAID10:
        return raid10.copies_of(spec.layout).count - 1
    return _LOSSES.get(spec.level, 0)


def _problem(spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> str | None:
    sectors = sorted({disk.logical_block_bytes for disk in disks})
    if len(sectors) > 1:
        return f"the disks have different sector sizes: {' and '.join(str(size) for size in sectors)} bytes"
    return next((problem.message for problem in ARRAY_ENGINES[spec.engine].problems(spec, disks)), None)


def _offered(policies: Sequence[WriteHole], disks: Sequence[ObservedDisk]) -> list[WriteHole]:
    return [policy for policy in policies if policy is not WriteHole.PPL or not cached(disks)]


def _default_first(policies: Sequence[WriteHole], default: WriteHole) -> tuple[WriteHole, ...]:
    return (default, *(policy for policy in policies if policy is not default))


def _rebuild_s(disks: Sequence[ObservedDisk]) -> float:
    """A rebuild writes the capacity of the smallest disk, at the speed of the slowest."""
    slowest = min(_HDD if disk.rotational else _NVME if disk.transport == "nvme" else _SSD for disk in disks)
    return round(min(disk.size_bytes for disk in disks) / slowest, 1)
