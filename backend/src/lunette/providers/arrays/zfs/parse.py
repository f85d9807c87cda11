"""Turns the JSON of zpool and zfs (OpenZFS 2.3) into arrays: pure, tested with recorded output."""

import json
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

GROUPS = ("mirror", "raidz", "draid")
AWAY = {"REMOVED", "UNAVAIL"}
"""States of a disk that was not there when ZFS last looked; FAULTED is one whose errors were too many."""
DISTRIBUTED = "dspare"
"""VDEV_TYPE_DRAID_SPARE (include/sys/fs/zfs.h)."""
IN_USE = "INUSE"
"""Of a spare that has a place among the data disks now."""
_LOST = {"UNAVAIL", "REMOVED", "OFFLINE", "CANT_OPEN", "CLOSED"}
_FAILED = {"FAULTED", "UNAVAIL", "SUSPENDED", "REMOVED"}


class Vdev(Model):
    """A node of a pool's tree: root, mirror, raidz, replacing, spare or a disk."""

    name: str
    kind: str
    guid: str
    state: str
    path: str | None
    errors: int
    """Reads, writes and checksums that failed."""
    checksum_errors: int
    size_bytes: int | None = None
    """Of the partition or disk, where it is there."""
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
    outcome: ScrubOutcome | None = None
    """Of a scrub that is over. The pool keeps it through restarts, until the next scrub or resilver begins."""


class Pool(Model):
    """An imported pool as `zpool status` tells it."""

    name: str
    guid: str
    state: str
    root: Vdev
    """The data disks. What stands beside them hangs on trees of its own."""
    scan: Scan | None
    logs: tuple[Vdev, ...] = ()
    special: tuple[Vdev, ...] = ()
    cache: tuple[Vdev, ...] = ()
    spares: tuple[Vdev, ...] = ()

    def by_role(self) -> dict[MemberRole, tuple[Vdev, ...]]:
        """The top of each role's trees."""
        return {
            MemberRole.DATA: self.root.vdevs, MemberRole.LOG: self.logs, MemberRole.CACHE: self.cache,
            MemberRole.SPECIAL: self.special, MemberRole.SPARE: self.spares,
        }  # fmt: skip

    def is_filling(self) -> bool:
        """True while disks are being filled."""
        return self.scan is not None and self.scan.is_resilver and self.scan.is_running

    def leaves(self) -> Iterator[tuple[MemberRole, Vdev]]:
        """Every disk with its role; a spare that stepped in is told twice, first in the place it has."""
        for role, tops in self.by_role().items():
            for top in tops:
                yield from ((role, leaf) for leaf in top.leaves())

    def level(self) -> str:
        """The level of its first vdev: a pool of disks alone is a stripe."""
        first = self.root.vdevs[0] if self.root.vdevs else self.root
        return first.name.partition("-")[0].partition(":")[0] if first.kind in GROUPS else Level.STRIPE.value

    def layout(self) -> str | None:
        """Of a dRAID: groups, disks and distributed spares as zpool names them, draid2:4d:11c:1s."""
        first = self.root.vdevs[0] if self.root.vdevs else self.root
        return first.name.partition("-")[0] if first.kind == "draid" else None

    def slots(self) -> tuple[Vdev, ...]:
        """The places disks are in: a place that is being refilled has two disks below it."""
        return tuple(
            slot for top in self.root.vdevs for slot in (top.vdevs if top.kind in GROUPS else (top,))
        )  # fmt: skip


def pools(text: str) -> tuple[Pool, ...]:
    """The pools of `zpool status -j --json-int`; it prints nothing of use where there is none."""
    found = json.loads(text)["pools"] if text.strip() else {}
    return tuple(_pool(entry) for entry in found.values())


def _pool(entry: Mapping[str, Any]) -> Pool:
    scan = entry.get("scan_stats")
    return Pool(
        name=entry["name"], guid=str(entry["pool_guid"]), state=entry["state"],
        root=_vdev(next(iter(entry["vdevs"].values()))), scan=_scan(scan) if scan else None,
        logs=_tops(entry, "logs"), special=_tops(entry, "special"), cache=_tops(entry, "l2cache"),
        spares=_tops(entry, "spares"),
    )  # fmt: skip


def _tops(entry: Mapping[str, Any], group: str) -> tuple[Vdev, ...]:
    """A group beside the data disks (class_vdevs_nvlist and its like, cmd/zpool/zpool_main.c)."""
    return tuple(_vdev(top) for top in entry.get(group, {}).values())


def _vdev(entry: Mapping[str, Any]) -> Vdev:
    counts = [int(entry.get(f"{kind}_errors", 0)) for kind in ("read", "write", "checksum")]
    return Vdev(
        name=entry["name"], kind=entry["vdev_type"], guid=str(entry["guid"]), state=entry["state"],
        path=entry.get("path"), errors=sum(counts), checksum_errors=counts[2],
        size_bytes=entry.get("phys_space"),
        vdevs=tuple(_vdev(child) for child in entry.get("vdevs", {}).values()),
    )  # fmt: skip


def _scan(entry: Mapping[str, Any]) -> Scan:
    return Scan(
        is_resilver=entry["function"] == "RESILVER", is_running=entry["state"] == "SCANNING",
        to_examine=int(entry.get("to_examine", 0)), issued=int(entry.get("issued", 0)),
        pass_issued=int(entry.get("issued_bytes_per_scan", 0)), pass_start=float(entry.get("pass_start", 0)),
        outcome=_outcome(entry),
    )  # fmt: skip


def _outcome(entry: Mapping[str, Any]) -> ScrubOutcome | None:
    """`processed`: bytes it wrote anew. `errors`: blocks it could not put right (print_scan_scrub_resilver_status)."""
    if entry["function"] != "SCRUB" or entry["state"] not in ("FINISHED", "CANCELED"):
        return None
    return ScrubOutcome(
        mismatches=int(entry.get("processed", 0)), lost=int(entry.get("errors", 0)), repaired=True,
        is_whole=entry["state"] == "FINISHED",
    )  # fmt: skip


def link_of(path: str | None) -> str | None:
    """The id under which a disk was given to the pool as a whole; None for any other path."""
    whole = path is not None and path.startswith("/dev/disk/by-id/") and path.endswith("-part1")
    return path.removeprefix("/dev/disk/by-id/").removesuffix("-part1") if path and whole else None


def disk_of(path: str | None, disks: Sequence[ObservedDisk]) -> ObservedDisk | None:
    """The disk a vdev lies on: as a whole (libzfs made the partition), or by a kernel name in a foreign pool."""
    if path is None:
        return None
    link = link_of(path)
    named = next((disk for disk in disks if link in disk.links), None)
    return named or next((disk for disk in disks if re.fullmatch(rf"{re.escape(disk.device)}(p?\d+)?", path)), None)


def array(pool: Pool, ours: bool, size_bytes: int, disks: Sequence[ObservedDisk], now: float) -> ObservedArray:
    """A pool as an array. A disk that is gone counts as missing even before ZFS has stumbled over it."""
    slots = pool.slots()
    fills = pool.is_filling()
    members = [_placed(leaf, slot, disks, n, fills) for n, slot in enumerate(slots) for leaf in slot.leaves()]
    return ObservedArray(
        uuid=pool.guid, engine=ArrayEngine.ZFS, name=pool.name, ours=ours, device=None, level=pool.level(),
        state=_state(pool, disks), size_bytes=size_bytes, chunk_bytes=None, write_hole=WriteHole.COPY_ON_WRITE,
        members=(*members, *_beside(pool, disks)), raid_disks=len(slots), progress=_progress(pool.scan, now),
        mismatch_count=sum(leaf.checksum_errors for _, leaf in pool.leaves()),
        disk_bytes=least_disk(pool, MemberRole.DATA), layout=pool.layout(),
        scrubbed=pool.scan.outcome if pool.scan else None,
    )  # fmt: skip


def _placed(leaf: Vdev, slot: Vdev, disks: Sequence[ObservedDisk], number: int, fills: bool) -> ObservedMember:
    """A disk in a place. A spare that stepped in is as good as any once nothing is filled any more."""
    member = _member(leaf, slot, disks, number)
    if slot.kind != "spare" or leaf in tuple(slot.vdevs[0].leaves()):
        return member
    state = "in_sync" if member.state == "rebuilding" and not fills else member.state
    return member.model_copy(update={"state": state, "role": MemberRole.SPARE})


def _beside(pool: Pool, disks: Sequence[ObservedDisk]) -> Iterator[ObservedMember]:
    """The disks that are no data disks. None of them has a slot."""
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
    """The places disks are in below the top of a tree: of a mirror each of its legs."""
    return top.vdevs if top.kind in GROUPS else (top,)


def _member(leaf: Vdev, slot: Vdev, disks: Sequence[ObservedDisk], number: int | None) -> ObservedMember:
    if leaf.kind == DISTRIBUTED:
        return ObservedMember(disk_id=None, device=leaf.path, state=_distributed_state(leaf, slot), slot=number)
    disk = disk_of(leaf.path, disks)
    if leaf.state in _LOST or disk is None:
        state = "missing"
    elif leaf.state == "FAULTED":
        state = "faulty"
    else:
        is_new = slot.kind in ("replacing", "spare") and slot.vdevs[0] is not leaf
        state = "rebuilding" if is_new else "in_sync"
    known = disk.id if disk else link_of(leaf.path)
    return ObservedMember(
        disk_id=known, device=disk.device if disk else None, state=state, errors=leaf.errors, slot=number
    )


def _distributed_state(leaf: Vdev, slot: Vdev) -> str:
    """A spare that lies on all disks: its path is a name, and it is as much there as they are."""
    if leaf.state in _LOST:
        return "missing"
    return "rebuilding" if slot.kind == "spare" else "in_sync"


def least_disk(pool: Pool, role: MemberRole) -> int | None:
    """A disk of the size of the role's smallest fits; its table and reserved partition take 10 MiB at most."""
    sizes = [leaf.size_bytes for other, leaf in pool.leaves() if other is role and leaf.size_bytes]
    return min(sizes) + 9 * MIB if sizes else None


def _state(pool: Pool, disks: Sequence[ObservedDisk]) -> ArrayState:
    """How the data is. A log or a cache that is lost endangers nothing: the pool itself says DEGRADED without a log."""
    parities = space.parity(Level(pool.level())) if pool.level() in set(Level) else 0
    slots = pool.slots()
    spare = len(slots) - 1 if pool.level() == Level.MIRROR.value else parities
    lost = _lost(slots, disks, pool.is_filling())
    gone = [(_lost(places(top), disks, False), len(places(top))) for top in pool.special]
    if pool.state in _FAILED or lost > spare or any(count == of for count, of in gone):
        return ArrayState.FAILED
    if pool.is_filling():
        return ArrayState.REBUILDING
    stands_in = any(slot.kind == "spare" for slot in slots)
    is_ill = any(top.state != "ONLINE" for top in (*(() if stands_in else pool.root.vdevs), *pool.special))
    return ArrayState.DEGRADED if lost or is_ill or any(count for count, _ in gone) else ArrayState.CLEAN


def _lost(slots: Sequence[Vdev], disks: Sequence[ObservedDisk], fills: bool) -> int:
    """Places in which no disk is whole."""
    return sum(all(_placed(leaf, slot, disks, 0, fills).state != "in_sync" for leaf in slot.leaves()) for slot in slots)


def _progress(scan: Scan | None, now: float) -> SyncProgress | None:
    if scan is None or not scan.is_running:
        return None
    took = now - scan.pass_start
    rate = int(scan.pass_issued / took) if took > 0 and scan.pass_issued else None
    left = max(0, scan.to_examine - scan.issued)
    percent = 100 * scan.issued / scan.to_examine if scan.to_examine else 0.0
    return SyncProgress(
        action="recover" if scan.is_resilver else "check", percent=round(min(100.0, percent), 2), rate_bytes_s=rate,
        left_s=round(left / rate, 1) if rate else None,
    )  # fmt: skip


class Dataset(Model):
    """A pool's root, a zvol or a snapshot, as `zfs list` tells it. Sizes in bytes; `marks` are our user properties."""

    name: str
    kind: str
    available: int
    used: int
    volume_bytes: int | None
    is_sparse: bool
    """A volume without a reservation."""
    referenced: int = 0
    """What it holds, shared with its snapshots and its origin or not."""
    volmode: str | None = None
    """What was set of how its device is shown: `dev`, or `none` without one, also after an import."""
    origin: str | None = None
    """The snapshot it began as, which stays for as long as it is there."""
    marks: Mapping[str, str]

    @property
    def pool(self) -> str:
        return self.name.partition("/")[0]

    @property
    def is_snapshot(self) -> bool:
        return "@" in self.name


MARKS = tuple(f"io.lunette:{word}" for word in ("array", "ashift", "volume", "fresh", "snapshot", "together", "rolled"))
FIELDS = ",".join(("name", "available", "used", "referenced", "origin", "volmode", "volsize", "refreservation", *MARKS))


def datasets(text: str) -> tuple[Dataset, ...]:
    """The datasets of `zfs list -j -p -o FIELDS`. A mark counts where it was set, not where it is inherited."""
    found = json.loads(text)["datasets"] if text.strip() else {}
    return tuple(_dataset(entry) for entry in found.values())


def _dataset(entry: Mapping[str, Any]) -> Dataset:
    values = {key: _local(value) for key, value in entry["properties"].items()}
    size = values.get("volsize")
    return Dataset(
        name=entry["name"], kind=entry["type"], available=int(values["available"] or 0), used=int(values["used"] or 0),
        volume_bytes=int(size) if size else None, is_sparse=bool(size) and not int(values["refreservation"] or 0),
        referenced=int(values.get("referenced") or 0), origin=str(values["origin"]) if values.get("origin") else None,
        volmode=str(values["volmode"]) if values.get("volmode") else None,
        marks={mark: str(values[mark]) for mark in MARKS if values.get(mark)},
    )  # fmt: skip


def _local(value: Mapping[str, Any]) -> str | int | None:
    inherited = value.get("source", {}).get("type") in ("INHERITED", "DEFAULT")
    return None if value["value"] == "-" or inherited else value["value"]
