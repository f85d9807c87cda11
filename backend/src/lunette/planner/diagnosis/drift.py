"""Finds differences between the machine and the database. Exports are compared only by the agent, see its report."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from lunette.domain.drift import Drift, DriftKind
from lunette.domain.exports import ConvergeReport, ServingState
from lunette.domain.firewall import FirewallState
from lunette.domain.jobs import ResourceState
from lunette.domain.observations import Observation

LEFT_ALONE = "Lunette never changes it. If it is not needed, delete it with the tools that created it."
AGAIN = "Lunette retries automatically until it succeeds; correct the cause that the reason names."
OLDER = "Nothing is removed because of it. If an older database was restored, restore the newest one."
ELSEWHERE = (
    "Lunette never changes it. If the database was restored from a backup, restore a newer one. If this appliance "
    "was reinstalled, or the disks belong to another appliance, `lunette rebuild` shows their content; do not wipe "
    "them before."
)
UNKNOWN = (
    "It is not changed. If the database was restored from a backup, restore a newer one; do not wipe its disks before."
)


@dataclass(frozen=True)
class Known:
    """An array or a volume of the database. `key` identifies it on the machine: a UUID, or its own ID. An array has the
    IDs of its `disks`.
    """

    key: str
    name: str
    state: str
    is_hidden: bool = False
    """True if it may exist although it is not observed: the part that would show it cannot be read."""
    disks: tuple[str, ...] = ()


@dataclass(frozen=True)
class DriftFacts:
    """The records of the database; `names` are those of everything that a report can mention, by ID."""

    arrays: Iterable[Known]
    volumes: Iterable[Known]
    snapshot_ids: frozenset[str]
    names: Mapping[str, str]


def find(facts: DriftFacts, seen: Observation | None, report: ConvergeReport | None) -> tuple[Drift, ...]:
    """Every difference, in the order of DriftKind: what needs attention first."""
    found = [*(_exports(facts, report) if report else ())]
    found += [*_storage(facts, seen), *_firewall(seen)] if seen else []
    order = list(DriftKind)
    return tuple(sorted(found, key=lambda one: (order.index(one.kind), one.noun, one.name)))


def _exports(facts: DriftFacts, report: ConvergeReport) -> Iterator[Drift]:
    if not report.accepted:
        words = report.refusal or "the agent rejects the exports of this database"
        yield Drift(kind=DriftKind.REFUSED, noun="export", name="all", words=words, fix=OLDER, is_repaired=False)
    for line in report.unexplained:
        noun, _, rest = line.partition(" ")
        ref, _, words = rest.partition(" ")
        name = facts.names.get(ref, ref)
        yield Drift(kind=DriftKind.UNEXPLAINED, noun=noun, name=name, words=words, fix=OLDER, is_repaired=False)
    targets = (
        *(("target", one.target_id, one.state, one.reason) for one in report.targets),
        *(("subsystem", one.target_id, one.state, one.reason) for one in report.subsystems),
        *(("volume", one.volume_id, one.state, one.reason) for one in report.volumes),
        *(("portal", one.portal_id, one.state, one.reason) for one in report.portals),
        *(("fc_port", one.port_id, one.state, one.reason) for one in report.fc_ports),
    )
    for noun, ref, state, reason in targets:
        if state is ServingState.BLOCKED:
            yield Drift(
                kind=DriftKind.UNSERVED,
                noun=noun,
                name=facts.names.get(ref, ref),
                words=reason or "it is not served, and the agent gave no reason",
                fix=AGAIN,
                is_repaired=True,
            )
    for name in report.foreign:
        words = "it is in the kernel's target configuration and does not carry this appliance's mark"
        yield Drift(kind=DriftKind.FOREIGN, noun="export", name=name, words=words, fix=LEFT_ALONE, is_repaired=False)


def _firewall(seen: Observation) -> Iterator[Drift]:
    firewall = seen.firewall
    if firewall is not None and firewall.state is FirewallState.FAILED:
        yield Drift(
            kind=DriftKind.MISSING,
            noun="firewall",
            name=firewall.mode.value,
            fix=AGAIN,
            is_repaired=True,
            words=firewall.reason or "its rules are not in effect",
        )


def _storage(facts: DriftFacts, seen: Observation) -> Iterator[Drift]:
    """Resources of a running job are in flux, so only ready ones are missing or known."""
    arrays = {one.key: one for one in facts.arrays}
    there = {one.uuid for one in seen.arrays}
    for one in arrays.values():
        if one.state == ResourceState.READY and one.key not in there and not one.is_hidden:
            yield Drift(
                kind=DriftKind.MISSING,
                noun="array",
                name=one.name,
                words="it was not found",
                fix="Its exports wait. Attach its disks again: it then starts automatically.",
                is_repaired=True,
            )
    yield from _disks(facts, seen)
    for array in seen.arrays:
        if array.system or array.uuid in arrays:
            continue
        what = f"{array.engine.value} {array.level}"
        if not array.ours:
            words = f"{what} of {array.raid_disks} disks that this appliance did not create"
            if array.marked:
                words = (
                    f"{what} of {array.raid_disks} disks with an appliance's mark, but without a record on this "
                    "appliance"
                )
            fix = ELSEWHERE if array.marked else LEFT_ALONE
            yield Drift(kind=DriftKind.FOREIGN, noun="array", name=array.name, words=words, fix=fix, is_repaired=False)
        else:
            words = f"{what} that this appliance starts, but that is not in the database"
            yield Drift(
                kind=DriftKind.UNKNOWN, noun="array", name=array.name, words=words, fix=UNKNOWN, is_repaired=False
            )
    ours = {pool.group for pool in seen.groups if pool.ours}
    pools_of_zfs = {array.name for array in seen.arrays}
    for pool in seen.groups:
        if not pool.ours and pool.group not in pools_of_zfs:
            words = "a volume group that this appliance did not create"
            yield Drift(
                kind=DriftKind.FOREIGN, noun="pool", name=pool.group, words=words, fix=LEFT_ALONE, is_repaired=False
            )
    yield from _volumes(facts, seen, ours)


def _disks(facts: DriftFacts, seen: Observation) -> Iterator[Drift]:
    """The disks that arrays lack. What an array still is without them is its state, and no drift."""
    if seen.hides_disks():
        return
    for one in facts.arrays:
        for disk_id in one.disks if one.state == ResourceState.READY else ():
            if seen.disk(disk_id) is None:
                yield Drift(
                    kind=DriftKind.MISSING,
                    noun="disk",
                    name=disk_id,
                    words=f"it is a disk of array {one.name}, and it was not found",
                    fix="Check its cables and power, or reinsert it. If it is defective, replace it in the array.",
                    is_repaired=False,
                )


def _volumes(facts: DriftFacts, seen: Observation, ours: set[str]) -> Iterator[Drift]:
    volumes = {one.key: one for one in facts.volumes}
    there = {one.volume_id for one in seen.volumes}
    for one in volumes.values():
        if one.state == ResourceState.READY and one.key not in there and not one.is_hidden:
            yield Drift(
                kind=DriftKind.MISSING,
                noun="volume",
                name=one.name,
                words="it was not found",
                fix="Check its array first: a volume is not visible while its array is not running. Hosts wait "
                "meanwhile.",
                is_repaired=False,
            )
    for volume in seen.volumes:
        known = volume.volume_id in volumes or volume.snapshot_id in facts.snapshot_ids
        name = f"{volume.group}/{volume.name}"
        if volume.volume_id is None and volume.snapshot_id is None:
            if volume.group in ours:
                words = "it is in a volume group of this appliance and does not carry its mark"
                yield Drift(
                    kind=DriftKind.FOREIGN, noun="volume", name=name, words=words, fix=LEFT_ALONE, is_repaired=False
                )
        elif not known:
            words = "it carries this appliance's mark, but is not in the database"
            yield Drift(kind=DriftKind.UNKNOWN, noun="volume", name=name, words=words, fix=UNKNOWN, is_repaired=False)
