"""Rules for what one host may see, through its own target and through its group's, and the messages of their refusals.

A host has at most two targets: its own and that of its group. A volume behind both is two disks with one identity:
Linux refuses the second NVMe namespace as a duplicate, others write through both (DESIGN R13).
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from lunette.domain.hosts import OsType
from lunette.domain.mappings import Family

RESERVING = frozenset({OsType.ESXI, OsType.WINDOWS})
"""Operating systems whose clusters lock volumes with reservations or compare-and-write (VMFS, failover clusters)."""

SMALL_BLOCKS = frozenset({OsType.ESXI})
"""ESXi supports devices with 4096-byte logical blocks only as local SAS and SATA hard disks (VMware, vSphere Storage,
"Device Sector Formats"): never as a LUN or a namespace.
"""
SMALL_BLOCK_BYTES = 512


class Rule(StrEnum):
    """twice: one way to each volume. reservations: a cluster that locks volumes has them. blocks: of a supported
    size.
    """

    TWICE = "twice"
    RESERVATIONS = "reservations"
    BLOCKS = "blocks"


@dataclass(frozen=True)
class HostMapping:
    """A mapping as one of its hosts sees it: the host's own, or its group's."""

    volume: str
    family: Family
    by_group: bool
    block_bytes: int | None = None
    """None if it is unknown now."""
    is_shared: bool = False
    """True if the volume has further owners."""


@dataclass(frozen=True)
class View:
    """A host and every mapping that it sees."""

    host: str
    os_type: OsType
    group: str | None
    ways: tuple[HostMapping, ...]


@dataclass(frozen=True)
class Fault:
    """A rule that a view violates. Two violations are equal if rule and subject are, whatever the message."""

    rule: Rule
    subject: str
    words: str

    def is_in(self, others: Sequence["Fault"]) -> bool:
        return any((self.rule, self.subject) == (other.rule, other.subject) for other in others)


def faults(view: View) -> Iterator[Fault]:
    """Every rule that the view violates."""
    if view.os_type in SMALL_BLOCKS:
        for way in view.ways:
            if way.block_bytes is not None and way.block_bytes > SMALL_BLOCK_BYTES:
                yield Fault(Rule.BLOCKS, way.volume, needs_small_blocks(way.volume, way.block_bytes, view.host))
    if view.os_type in RESERVING:
        for way in view.ways:
            if way.is_shared and way.family is Family.NVME:
                words = shared_without_reservations(way.volume, {view.os_type})
                yield Fault(Rule.RESERVATIONS, f"volume {way.volume}", words)
    if view.group is None:
        return
    own = {way.volume for way in view.ways if not way.by_group}
    for volume in sorted(own & {way.volume for way in view.ways if way.by_group}):
        yield Fault(Rule.TWICE, volume, twice(volume, view.host, view.group))
    over_nvme = [way.volume for way in view.ways if way.by_group and way.family is Family.NVME]
    if over_nvme and view.os_type in RESERVING:
        yield Fault(Rule.RESERVATIONS, view.group, needs_reservations(view.group, {view.os_type}))


def new_faults(before: View, after: View) -> list[Fault]:
    """Rules that a change would violate. A previous violation does not block an unrelated change."""
    known = [*faults(before)]
    return [fault for fault in faults(after) if not fault.is_in(known)]


def twice(volume: str, host: str, group: str) -> str:
    """Message that names both mappings, and how to keep one."""
    return (
        f"host {host} would see volume {volume} twice, by its own mapping and by that of host group {group}, and "
        f"treat it as two disks: keep only one of them, and delete the mapping of {volume} to {host} or to {group} "
        "first"
    )


def needs_reservations(group: str, os_types: AbstractSet[OsType]) -> str:
    """Message why a cluster cannot have volumes over NVMe."""
    return (
        f"{group} is a cluster of {' and '.join(sorted(os_types))} hosts, which needs reservations and "
        "compare-and-write; the appliance supports neither over NVMe: map the volume over SCSI"
    )


def shared_without_reservations(volume: str, os_types: AbstractSet[OsType]) -> str:
    """Message why a volume over NVMe can have only one owner if hosts lock what they share."""
    return (
        f"volume {volume} would have several owners over NVMe, and {' and '.join(sorted(os_types))} hosts need "
        "reservations and compare-and-write for shared volumes; the appliance supports neither over NVMe: map it "
        "over SCSI"
    )


def needs_small_blocks(volume: str, block_bytes: int, owner: str) -> str:
    """Message why a host with ESXi cannot use a volume."""
    return (
        f"volume {volume} has a block size of {block_bytes} bytes, inherited from its array, and ESXi on {owner} "
        f"supports only blocks of {SMALL_BLOCK_BYTES} bytes: use a volume on an array of drives with "
        f"{SMALL_BLOCK_BYTES}-byte sectors (512n or 512e)"
    )
