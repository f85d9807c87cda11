"""Parses the JSON of zpool and zfs (OpenZFS 2.3) into arrays. Pure, tested with recorded output."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lunette.domain.arrays import (
    ArrayEngine,
    ArrayState,
    Level,
    MemberRole,
    ObservedArray,
    ObservedMember,
    ScrubOutcome,
    SyncProgress,
    WriteHole,
)
from lunette.domain.base import Model
from lunette.domain.disks import ObservedDisk
from lunette.domain.sizes import MIB
from lunette.providers.arrays.zfs import space
from lunette.providers.reading import ODD, document, reader, text_of, why

GROUPS = ("mirror", "raidz", "draid")
AWAY = {"REMOVED", "UNAVAIL", "CANT_OPEN"}
"""States of a disk that was missing when ZFS last checked; FAULTED is one with too many errors. JSON has CANT_OPEN for
what the text output shows as UNAVAIL (vdev_state_str, cmd/zpool/zpool_main.c).
"""
DISTRIBUTED = "dspare"
"""VDEV_TYPE_DRAID_SPARE (include/sys/fs/zfs.h)."""
IN_USE = "INUSE"
"""State of a spare that is in use among the data disks."""
_LOST = AWAY | {"OFFLINE", "CLOSED"}
_ACTIONS = {"SCRUB": "check", "RESILVER": "recover"}
"""A scrub of errors only (ERRORSCRUB) reads little, and is not included."""
_FAILED = {"FAULTED", "UNAVAIL", "SUSPENDED", "REMOVED"}
_BY_ID = "/dev/disk/by-id/"
_STACKED = ("dm-", "md-", "lvm-")
"""Links below by-id of devices that are built on disks."""
_PART = re.compile(r"-part\d+$")
_INNER = re.compile(r"(root|mirror|raidz|draid|spare|replacing)[\d:a-z]*-\d+$")
"""The name of a vdev that is not a disk (zpool_vdev_name with VDEV_NAME_TYPE_ID)."""
_INNER_KINDS = ("root", *GROUPS, "spare", "replacing")
_SPARE = re.compile(r"draid\d-\d+-\d+$")


class Vdev(Model):
    """A node of a pool's tree: root, mirror, raidz, replacing, spare or a disk."""

    name: str
    kind: str
    guid: str
    state: str
    path: str | None
    errors: int
    """Failed reads, writes and checksums."""
    checksum_errors: int
    size_bytes: int | None = None
    """Path of the partition or disk, if present."""
    vdevs: tuple["Vdev", ...] = ()

    def leaves(self) -> Iterator["Vdev"]:
        """The disks below, in order."""
        if not self.vdevs:
            yield self
        for child in self.vdevs:
            yield from child.leaves()


class Scan(Model):
    """A scrub or resilver, running or the last one. Bytes and seconds since the epoch."""

    is_resilver: bool
    is_running: bool
    to_examine: int
    issued: int
    pass_issued: int
    pass_start: float
    action: str | None = None
    """The last or running operation, in the terms of md."""
    outcome: ScrubOutcome | None = None
    """Result of a completed scrub. The pool keeps it through restarts, until the next scrub or resilver begins."""


class Pool(Model):
    """An imported pool as `zpool status` tells it."""

    name: str
    guid: str
    state: str
    root: Vdev
    """The data disks. Other disks are in trees of their own."""
    scan: Scan | None
    logs: tuple[Vdev, ...] = ()
    special: tuple[Vdev, ...] = ()
    cache: tuple[Vdev, ...] = ()
    spares: tuple[Vdev, ...] = ()

    def by_group(self) -> dict[str, tuple[Vdev, ...]]:
        """The top-level vdevs of all roles but data, by the name of their field."""
        return {"logs": self.logs, "special": self.special, "cache": self.cache, "spares": self.spares}

    def by_role(self) -> dict[MemberRole, tuple[Vdev, ...]]:
        """The top-level vdevs of each role."""
        return {
            MemberRole.DATA: self.root.vdevs,
            MemberRole.LOG: self.logs,
            MemberRole.CACHE: self.cache,
            MemberRole.SPECIAL: self.special,
            MemberRole.SPARE: self.spares,
        }

    def is_filling(self) -> bool:
        """True while disks are being filled."""
        return self.scan is not None and self.scan.is_resilver and self.scan.is_running

    def leaves(self) -> Iterator[tuple[MemberRole, Vdev]]:
        """Every disk with its role; a spare that is in use is shown twice, first in the place it has."""
        for role, tops in self.by_role().items():
            for top in tops:
                yield from ((role, leaf) for leaf in top.leaves())

    def level(self) -> str:
        """The level of its first vdev: a pool of single disks is a stripe. Several mirrors of two disks are a
        raid10.
        """
        first = self.root.vdevs[0] if self.root.vdevs else self.root
        if len(self.root.vdevs) > 1 and all(_is_pair(top) for top in self.root.vdevs):
            return Level.RAID10.value
        return first.name.partition("-")[0].partition(":")[0] if first.kind in GROUPS else Level.STRIPE.value

    def layout(self) -> str | None:
        """Of a dRAID: groups, disks and distributed spares as zpool names them, draid2:4d:11c:1s."""
        first = self.root.vdevs[0] if self.root.vdevs else self.root
        return first.name.partition("-")[0] if first.kind == "draid" else None

    def slots(self) -> tuple[Vdev, ...]:
        """The places of disks: a place that is being refilled has two disks below it."""
        return tuple(slot for top in self.root.vdevs for slot in (top.vdevs if top.kind in GROUPS else (top,)))


def _is_pair(top: Vdev) -> bool:
    return top.kind == "mirror" and len(top.vdevs) == space.PAIR


@reader("zpool status")
def pools(text: str, unread: dict[str, str] | None = None) -> tuple[Pool, ...]:
    """The pools of `zpool status -j --json-int`; it prints nothing useful if there are none.

    A pool that cannot be read goes into `unread`, by name with the reason; without `unread` it is an error.
    """
    found = document(text)["pools"] if text.strip() else {}
    read = []
    for name, entry in found.items():
        try:
            read.append(_pool(name, entry))
        except ODD as error:
            if unread is None:
                raise
            unread[name] = f"zpool status reports data about it that Lunette cannot read ({why(error)})"
    return tuple(read)


def _pool(name: str, entry: Mapping[str, Any]) -> Pool:
    return Pool(
        name=name,
        guid=text_of(entry["pool_guid"]),
        state=text_of(entry["state"]),
        root=_vdev(next(iter(entry["vdevs"].values()))),
        scan=_scan(entry.get("scan_stats") or {}),
        logs=_tops(entry, "logs"),
        special=(*_tops(entry, "special"), *_tops(entry, "dedup")),
        cache=_tops(entry, "l2cache"),
        spares=_tops(entry, "spares"),
    )


def _tops(entry: Mapping[str, Any], group: str) -> tuple[Vdev, ...]:
    """A group other than the data disks (class_vdevs_nvlist and the like, cmd/zpool/zpool_main.c)."""
    return tuple(_vdev(top) for top in (entry.get(group) or {}).values())


def _vdev(entry: Mapping[str, Any]) -> Vdev:
    """OpenZFS up to 2.3.2 does not find a dRAID by its name, and shows neither its type, GUID nor state
    (zpool_vdev_is_interior, lib/libzfs/libzfs_pool.c): they are derived from its disks. The state of a disk itself is
    not shown.
    """
    name, path, size = text_of(entry["name"]), entry.get("path"), entry.get("phys_space")
    counts = [int(entry.get(f"{kind}_errors") or 0) for kind in ("read", "write", "checksum")]
    vdevs = tuple(_vdev(child) for child in (entry.get("vdevs") or {}).values())
    kind = text_of(entry.get("vdev_type") or _kind_of(name, vdevs))
    if kind in _INNER_KINDS and not vdevs:
        raise ValueError(f"no disks are reported for {name}")
    state = entry.get("state") or (_state_of(vdevs) if vdevs else None)
    return Vdev(
        name=name,
        kind=kind,
        state=text_of(state),
        guid=text_of(entry.get("guid") or path or name),
        path=None if path is None else text_of(path),
        errors=sum(counts),
        checksum_errors=counts[2],
        size_bytes=None if size is None else int(size),
        vdevs=vdevs,
    )


def _kind_of(name: str, vdevs: Sequence[Vdev]) -> str:
    if not vdevs:
        return DISTRIBUTED if _SPARE.match(name) else "disk"
    if inner := _INNER.match(name):
        return inner[1]
    raise ValueError(f"the kind of vdev {name} is not reported")


def _state_of(vdevs: Sequence[Vdev]) -> str:
    return "ONLINE" if all(one.state == "ONLINE" for one in vdevs) else "DEGRADED"


def _scan(entry: Mapping[str, Any]) -> Scan | None:
    """The scrub or resilver, or the running sequential rebuilds, which are shown for each vdev (scan_status_nvlist)."""
    reported = entry if entry.get("function") not in (None, "NONE") else None
    outcome = _outcome(reported) if reported else None
    rebuilds = [one for one in (entry.get("rebuild_stats") or {}).values() if one["state"] == "ACTIVE"]
    if rebuilds:
        return Scan(
            is_resilver=True,
            is_running=True,
            to_examine=_sum(rebuilds, "to_scan"),
            issued=_sum(rebuilds, "issued"),
            pass_issued=0,
            pass_start=0,
            action=_ACTIONS["RESILVER"],
            outcome=outcome,
        )
    if reported is None:
        return None
    return Scan(
        is_resilver=reported["function"] == "RESILVER",
        is_running=reported["state"] == "SCANNING",
        to_examine=_sum([reported], "to_examine"),
        issued=_sum([reported], "issued"),
        pass_issued=_sum([reported], "issued_bytes_per_scan"),
        pass_start=float(reported.get("pass_start") or 0),
        action=_ACTIONS.get(reported["function"]),
        outcome=outcome,
    )


def _sum(entries: Sequence[Mapping[str, Any]], name: str) -> int:
    return sum(int(entry.get(name) or 0) for entry in entries)


def _outcome(entry: Mapping[str, Any]) -> ScrubOutcome | None:
    """`processed`: bytes it wrote again. `errors`: blocks it could not correct (print_scan_scrub_resilver_status)."""
    if entry["function"] != "SCRUB" or entry["state"] not in ("FINISHED", "CANCELED"):
        return None
    return ScrubOutcome(
        mismatches=_sum([entry], "processed"),
        lost=_sum([entry], "errors"),
        repaired=True,
        is_whole=entry["state"] == "FINISHED",
    )


def link_of(path: str | None) -> str | None:
    """The ID of the disk that a path below by-id names, as a whole or one of its partitions; None for any other."""
    if path is None or not path.startswith(_BY_ID):
        return None
    link = _PART.sub("", path.removeprefix(_BY_ID))
    return None if link.startswith(_STACKED) else link


def disk_of(path: str | None, disks: Sequence[ObservedDisk]) -> ObservedDisk | None:
    """The disk of a vdev, as a whole (libzfs created the partition) or a partition; None if the path does not show it,
    such as that of an opened LUKS volume.
    """
    if path is None:
        return None
    link = link_of(path)
    named = next((disk for disk in disks if link in disk.links), None)
    return named or next((disk for disk in disks if re.fullmatch(rf"{re.escape(disk.device)}(p?\d+)?", path)), None)


def array(
    pool: Pool, ours: bool, size_bytes: int, disks: Sequence[ObservedDisk], now: float, *, all_disks: bool = True
) -> ObservedArray:
    """A pool as an array. A removed disk counts as missing even before ZFS has noticed.

    `all_disks` is False if `disks` may lack some that are present: then only ZFS itself decides.
    """
    if all_disks:
        pool = pool.model_copy(
            update={group: _without(tops, disks) for group, tops in pool.by_group().items()}
            | {"root": pool.root.model_copy(update={"vdevs": _without(pool.root.vdevs, disks)})}
        )
    slots = pool.slots()
    fills = pool.is_filling()
    members = [_placed(leaf, slot, disks, n, fills) for n, slot in enumerate(slots) for leaf in slot.leaves()]
    return ObservedArray(
        uuid=pool.guid,
        engine=ArrayEngine.ZFS,
        name=pool.name,
        ours=ours,
        device=None,
        level=pool.level(),
        state=_state(pool, disks),
        size_bytes=size_bytes,
        chunk_bytes=None,
        write_hole=WriteHole.COPY_ON_WRITE,
        members=(*members, *_auxiliary(pool, disks)),
        raid_disks=len(slots),
        progress=_progress(pool.scan, now),
        mismatch_count=sum(leaf.checksum_errors for _, leaf in pool.leaves()),
        disk_bytes=least_disk(pool, MemberRole.DATA),
        layout=pool.layout(),
        survives_disks=_survives_disks(pool, disks),
        scrub=pool.scan.action if pool.scan else None,
        scrubbed=pool.scan.outcome if pool.scan else None,
    )


def _without(vdevs: Sequence[Vdev], disks: Sequence[ObservedDisk]) -> tuple[Vdev, ...]:
    """The trees, with vdevs on removed disks in the state that ZFS will show once it has noticed."""
    return tuple(
        vdev.model_copy(update={"vdevs": _without(vdev.vdevs, disks)})
        if vdev.vdevs
        else vdev.model_copy(update={"state": "REMOVED"})
        if vdev.state != IN_USE and link_of(vdev.path) and disk_of(vdev.path, disks) is None
        else vdev
        for vdev in vdevs
    )


def _placed(leaf: Vdev, slot: Vdev, disks: Sequence[ObservedDisk], number: int, fills: bool) -> ObservedMember:
    """A disk in a place. A spare in use is as good as any once nothing is filled any more."""
    member = _member(leaf, slot, disks, number)
    if slot.kind != "spare" or leaf in tuple(slot.vdevs[0].leaves()):
        return member
    state = "in_sync" if member.state == "rebuilding" and not fills else member.state
    return member.model_copy(update={"state": state, "role": MemberRole.SPARE})


def _auxiliary(pool: Pool, disks: Sequence[ObservedDisk]) -> Iterator[ObservedMember]:
    """The disks other than data disks. None of them has a slot."""
    for role, tops in pool.by_role().items():
        if role is MemberRole.DATA:
            continue
        for place in (place for top in tops for place in places(top)):
            for leaf in place.leaves():
                member = _member(leaf, place, disks, None)
                stands_by = role is MemberRole.SPARE and member.state == "in_sync"
                if leaf.state != IN_USE:
                    yield member.model_copy(update={"role": role, "state": "spare" if stands_by else member.state})


def places(top: Vdev) -> tuple[Vdev, ...]:
    """The places of disks below the top of a tree: for a mirror each of its legs."""
    return top.vdevs if top.kind in GROUPS else (top,)


def _member(leaf: Vdev, slot: Vdev, disks: Sequence[ObservedDisk], number: int | None) -> ObservedMember:
    if leaf.kind == DISTRIBUTED:
        return ObservedMember(disk_id=None, device=leaf.path, state=_distributed_state(leaf, slot), slot=number)
    disk = disk_of(leaf.path, disks)
    link = link_of(leaf.path)
    if leaf.state in _LOST:
        state = "missing"
    elif leaf.state == "FAULTED":
        state = "faulty"
    else:
        is_new = slot.kind in ("replacing", "spare") and slot.vdevs[0] is not leaf
        state = "rebuilding" if is_new else "in_sync"
    return ObservedMember(
        disk_id=disk.id if disk else link,
        device=disk.device if disk else None if link else leaf.path,
        state=state,
        errors=leaf.errors,
        slot=number,
    )


def _distributed_state(leaf: Vdev, slot: Vdev) -> str:
    """A spare that is distributed over all disks: its path is a name, and it is as available as they are."""
    if leaf.state in _LOST:
        return "missing"
    return "rebuilding" if slot.kind == "spare" else "in_sync"


def least_disk(pool: Pool, role: MemberRole) -> int | None:
    """A disk of the size of the role's smallest fits; its table and reserved partition use at most 10 MiB."""
    sizes = [leaf.size_bytes for other, leaf in pool.leaves() if other is role and leaf.size_bytes]
    return min(sizes) + 9 * MIB if sizes else None


def _state(pool: Pool, disks: Sequence[ObservedDisk]) -> ArrayState:
    """The health of the data. A lost log or cache endangers nothing: the pool itself shows DEGRADED without a log."""
    slots = pool.slots()
    of_each = [(_lost(places(top), disks, pool.is_filling()), _redundancy(top) or 0) for top in pool.root.vdevs]
    lost = sum(count for count, _ in of_each)
    gone = [(_lost(places(top), disks, False), len(places(top))) for top in pool.special]
    is_lost = any(count > spare for count, spare in of_each) or any(count == of for count, of in gone)
    if pool.state in _FAILED or is_lost:
        return ArrayState.FAILED
    if pool.is_filling():
        return ArrayState.REBUILDING
    stands_in = any(slot.kind == "spare" for slot in slots)
    is_ill = any(top.state != "ONLINE" for top in (*(() if stands_in else pool.root.vdevs), *pool.special))
    return ArrayState.DEGRADED if lost or is_ill or any(count for count, _ in gone) else ArrayState.CLEAN


def _survives_disks(pool: Pool, disks: Sequence[ObservedDisk]) -> int | None:
    """The number of further disks it may lose: as many as the least redundant of its data and special vdevs."""
    tops = [*pool.root.vdevs, *pool.special]
    lost = [_lost(places(top), disks, pool.is_filling()) for top in tops]
    whole = [_redundancy(top) for top in tops]
    left = [most - gone for most, gone in zip(whole, lost, strict=True) if most is not None]
    is_unreported = pool.is_filling() and not any(lost)  # which disk it is that is filled
    return None if None in whole or pool.state in _FAILED or min(left, default=-1) < 0 or is_unreported else min(left)


def _redundancy(top: Vdev) -> int | None:
    """How many disks a complete vdev may lose; None for an unknown type."""
    if top.kind not in GROUPS:
        return 0
    level = top.name.partition("-")[0].partition(":")[0]
    return len(top.vdevs) - 1 if top.kind == "mirror" else space.parity(Level(level)) if level in set(Level) else None


def _lost(slots: Sequence[Vdev], disks: Sequence[ObservedDisk], fills: bool) -> int:
    """Places without a complete disk."""
    return sum(all(_placed(leaf, slot, disks, 0, fills).state != "in_sync" for leaf in slot.leaves()) for slot in slots)


def _progress(scan: Scan | None, now: float) -> SyncProgress | None:
    if scan is None or not scan.is_running:
        return None
    took = now - scan.pass_start
    rate = int(scan.pass_issued / took) if took > 0 and scan.pass_issued else None
    left = max(0, scan.to_examine - scan.issued)
    percent = 100 * scan.issued / scan.to_examine if scan.to_examine else 0.0
    return SyncProgress(
        action="recover" if scan.is_resilver else "check",
        percent=round(min(100.0, percent), 2),
        rate_bytes_s=rate,
        left_s=round(left / rate, 1) if rate else None,
    )
