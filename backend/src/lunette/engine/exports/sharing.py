"""What hosts see by their own mappings and by their group's, for refusals and for alerts.

A database of an older version may contain what is refused now. It is served as before, and an alert reports it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Mapping as SizeMap
from dataclasses import replace

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session, aliased

from lunette.domain.alerts import Severity
from lunette.domain.errors import Unavailable
from lunette.domain.hosts import OsType
from lunette.domain.mappings import Family
from lunette.domain.observations import Observation
from lunette.engine.alerts.board import Cause
from lunette.engine.context.services import Services
from lunette.planner.access.sharing import (
    RESERVING,
    SMALL_BLOCK_BYTES,
    SMALL_BLOCKS,
    Fault,
    HostMapping,
    View,
    needs_reservations,
    needs_small_blocks,
    new_faults,
    shared_without_reservations,
)
from lunette.store.resources import Host, HostGroup, HostGroupMember, Mapping, Volume

FAMILY = "mapping."
Sizes = SizeMap[str, int]
"""Logical block sizes in bytes, by volume id."""


def block_sizes(services: Services, os_types: Iterable[str]) -> dict[str, int]:
    """By volume ID, as far as it is known now; the machine is asked only if it matters for one of the operating
    systems.
    """
    if SMALL_BLOCKS.isdisjoint(os_types):
        return {}
    try:
        return _block_sizes(services.seen())
    except Unavailable:
        return {}


def _block_sizes(seen: Observation) -> dict[str, int]:
    return {one.volume_id: one.block_bytes for one in seen.volumes if one.volume_id and one.block_bytes}


def of_joining(tx: Session, services: Services, group: HostGroup, hosts: Collection[Host]) -> dict[str, list[Fault]]:
    """By host ID, the rules that each would violate by joining the group; for present members nothing is new."""
    sizes = block_sizes(services, (host.os_type for host in hosts))
    shared = _ways(tx, Mapping.host_group_id == group.id, sizes)
    found: dict[str, list[Fault]] = {}
    for host in hosts:
        if any(member.host_id == host.id for member in group.members):
            continue
        own = _ways(tx, Mapping.host_id == host.id, sizes)
        alone = View(host.name, OsType(host.os_type), None, own)
        found[host.id] = new_faults(alone, replace(alone, group=group.name, ways=(*own, *shared)))
    return found


def of_another_system(tx: Session, services: Services, host: Host, os_type: OsType) -> tuple[Fault, ...]:
    """The rules that the host would violate with another operating system."""
    sizes = block_sizes(services, (os_type.value,))
    group = tx.scalars(select(HostGroup).join(HostGroupMember).where(HostGroupMember.host_id == host.id)).one_or_none()
    shared = _ways(tx, Mapping.host_group_id == group.id, sizes) if group else ()
    ways = (*_ways(tx, Mapping.host_id == host.id, sizes), *shared)
    now = View(host.name, OsType(host.os_type), group.name if group else None, ways)
    return tuple(new_faults(now, replace(now, os_type=os_type)))


def _ways(tx: Session, whose: ColumnElement[bool], sizes: Sizes) -> tuple[HostMapping, ...]:
    shared = Volume.id.in_(_shared())
    query = (
        select(Volume.id, Volume.name, Mapping.family, Mapping.host_group_id, shared)
        .select_from(Mapping)
        .join(Volume)
        .where(whose)
    )
    return tuple(
        HostMapping(name, Family(family), group_id is not None, sizes.get(volume_id), bool(is_shared))
        for volume_id, name, family, group_id, is_shared in tx.execute(query)
    )


def _shared() -> Select[str]:
    """IDs of volumes with several owners."""
    return select(Mapping.volume_id).group_by(Mapping.volume_id).having(func.count() > 1)


def running(tx: Session, volume_ids: Collection[str]) -> dict[str, frozenset[OsType]]:
    """By volume, the operating systems of its hosts."""
    member = HostGroupMember.host_group_id == Mapping.host_group_id
    query = (
        select(Mapping.volume_id, Host.os_type)
        .outerjoin(HostGroupMember, member)
        .join(Host, Host.id == func.coalesce(Mapping.host_id, HostGroupMember.host_id))
        .where(Mapping.volume_id.in_(volume_ids))
    )
    found: dict[str, set[OsType]] = defaultdict(set)
    for volume_id, os_type in tx.execute(query):
        found[volume_id].add(OsType(os_type))
    return {volume_id: frozenset(found[volume_id]) for volume_id in volume_ids}


def causes_of(tx: Session, seen: Observation) -> Iterator[Cause]:
    """An alert for each violation that is refused today and exists in the database."""
    yield from _seen_twice(tx)
    yield from _without_reservations(tx)
    yield from _shared_without_reservations(tx)
    yield from _of_large_blocks(tx, seen)


def _seen_twice(tx: Session) -> Iterator[Cause]:
    own, shared = aliased(Mapping), aliased(Mapping)
    same = (shared.host_group_id == HostGroupMember.host_group_id) & (shared.volume_id == own.volume_id)
    query = (
        select(own.id, Volume.name, Host.name, HostGroup.name)
        .join(HostGroupMember, HostGroupMember.host_id == own.host_id)
        .join(shared, same)
        .join(Volume, Volume.id == own.volume_id)
        .join(Host, Host.id == own.host_id)
        .join(HostGroup, HostGroup.id == HostGroupMember.host_group_id)
    )
    for mapping_id, volume, host, group in tx.execute(query):
        yield Cause(
            key=f"{FAMILY}twice:{mapping_id}",
            severity=Severity.CRITICAL,
            message=f"Host {host} sees volume {volume} twice: by its own mapping and by that of host group {group}",
            cause=(
                "Through two targets a host sees one volume as two disks, or refuses the second. Writes through both "
                "destroy its file system"
            ),
            fix=(
                f"Unmap {volume} from {host} or from {group}: with the volume unmounted on {host}. Nothing is unmapped "
                "automatically."
            ),
        )


def _without_reservations(tx: Session) -> Iterator[Cause]:
    query = (
        select(HostGroup.id, HostGroup.name, Host.os_type)
        .join(HostGroupMember, HostGroupMember.host_group_id == HostGroup.id)
        .join(Host, Host.id == HostGroupMember.host_id)
        .join(Mapping, Mapping.host_group_id == HostGroup.id)
        .where(Mapping.family == Family.NVME.value, Host.os_type.in_([one.value for one in RESERVING]))
        .distinct()
    )
    found: dict[tuple[str, str], set[OsType]] = defaultdict(set)
    for group_id, name, os_type in tx.execute(query):
        found[group_id, name].add(OsType(os_type))
    for (group_id, name), os_types in found.items():
        yield Cause(
            key=f"{FAMILY}reservations:{group_id}",
            severity=Severity.WARNING,
            message=f"Host group {name} has volumes over NVMe, but its hosts cannot lock them",
            cause=needs_reservations(name, os_types)[0].upper() + needs_reservations(name, os_types)[1:],
            fix=(
                "Stop the cluster, remove the group's NVMe mappings and map the volumes over SCSI; or correct the "
                "operating system of its hosts here."
            ),
        )


def _shared_without_reservations(tx: Session) -> Iterator[Cause]:
    shared = select(Volume.id, Volume.name).join(Mapping).where(Mapping.family == Family.NVME, Volume.id.in_(_shared()))
    names = dict(tx.execute(shared.distinct()).all())
    for id_, os_types in running(tx, names.keys()).items():
        if clusters := os_types & RESERVING:
            words = shared_without_reservations(names[id_], clusters)
            yield Cause(
                key=f"{FAMILY}shared:{id_}",
                severity=Severity.WARNING,
                message=f"Volume {names[id_]} has several owners over NVMe, but its hosts cannot lock it",
                cause=words[0].upper() + words[1:],
                fix=(
                    "Stop the applications that use the volume, remove its NVMe mappings and map it over SCSI; or "
                    "correct the operating system of its hosts here."
                ),
            )


def _of_large_blocks(tx: Session, seen: Observation) -> Iterator[Cause]:
    """A mapping that was created while the block size was unknown, or on drives that were replaced by others."""
    large = {id_: size for id_, size in _block_sizes(seen).items() if size > SMALL_BLOCK_BYTES}
    if not large:
        return
    minding = select(Host.id).where(Host.os_type.in_([one.value for one in SMALL_BLOCKS]))
    groups = select(HostGroupMember.host_group_id).where(HostGroupMember.host_id.in_(minding))
    query = (
        select(Mapping.id, Volume.id, Volume.name, func.coalesce(Host.name, HostGroup.name))
        .join(Volume, Volume.id == Mapping.volume_id)
        .outerjoin(Host, Host.id == Mapping.host_id)
        .outerjoin(HostGroup, HostGroup.id == Mapping.host_group_id)
        .where(Mapping.host_id.in_(minding) | Mapping.host_group_id.in_(groups))
    )
    for mapping_id, volume_id, volume, owner in tx.execute(query):
        if volume_id in large:
            words = needs_small_blocks(volume, large[volume_id], owner)
            yield Cause(
                key=f"{FAMILY}blocks:{mapping_id}",
                severity=Severity.WARNING,
                message=f"ESXi on {owner} cannot use volume {volume}: its block size is {large[volume_id]} bytes",
                cause=words[0].upper() + words[1:],
                fix=f"Unmap {volume} from {owner}, and map a volume of another array.",
            )
