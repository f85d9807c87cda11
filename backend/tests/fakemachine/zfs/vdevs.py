"""What zpool of OpenZFS 2.3 does to the disks of a pool: create, add, remove, attach, detach, replace, online."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from backend.tests.fakemachine.block.devices import Blocks, FakeDisk
from backend.tests.fakemachine.md.manage import Answer
from backend.tests.fakemachine.zfs.pools import AuxiliaryVdev, ImportedPool, Member, PoolData, Zfs, ZfsLabel

OK: Answer = (0, "", "")
_LEAST = {
    "stripe": 1,
    "mirror": 2,
    "raid10": 4,
    "raidz1": 2,
    "raidz2": 3,
    "raidz3": 4,
    "draid1": 2,
    "draid2": 3,
    "draid3": 4,
}
_CLASSES = ("log", "cache", "special", "spare")
_DRAID = re.compile(r"draid([123]):(\d+)d:(\d+)c:(\d+)s")
_IN_USE = "invalid vdev specification\nuse '-f' to override the following errors:\n{} is in use"


@dataclass
class Spec:
    """What the words of one command line say: the data vdev, and the auxiliary vdevs."""

    level: str = "stripe"
    data: list[str] = field(default_factory=list)
    auxiliary: list[tuple[str, bool, list[str]]] = field(default_factory=list)
    """Class, whether it is a mirror, and the paths."""


def spec_of(words: Sequence[str]) -> Spec:
    """Read it as construct_spec does (cmd/zpool/zpool_vdev.c): a class word holds until the next one."""
    spec, kind = Spec(), ""
    for word in words:
        if word in _CLASSES:
            kind = word
            spec.auxiliary.append((kind, False, []))
        elif word.partition(":")[0] in _LEAST and kind:
            spec.auxiliary[-1] = (kind, True, [])
        elif word == "mirror" and spec.level in ("mirror", "raid10") and len(spec.data) % 2 == 0:
            spec.level = "raid10"  # several mirrors, which have two disks each here
        elif word.partition(":")[0] in _LEAST:
            spec.level = word
        else:
            (spec.auxiliary[-1][2] if kind else spec.data).append(word)
    return spec


class VdevTools:
    """The part of zpool that changes which disks a pool has."""

    def __init__(
        self,
        blocks: Blocks,
        zfs: Zfs,
        half_way: Callable[[], None],
        now: Callable[[], float],
        is_loaded: Callable[[], bool],
        hostid: Callable[[], bytes],
    ) -> None:
        self._blocks, self._zfs, self._half_way, self._now = blocks, zfs, half_way, now
        self._is_loaded, self._hostid = is_loaded, hostid

    def _zpool_create(self, flags: set[str], options: dict[str, list[str]], words: list[str]) -> Answer:
        name, spec = words[0], spec_of(words[1:])
        disks = [self._disk(path) for path in spec.data]
        forced = "-f" in flags
        others = [self._disk(path) for _, _, paths in spec.auxiliary for path in paths]
        refusal = self._unfit(name, spec.level, disks, forced=forced) or self._unusable(others, forced=forced)
        refusal = refusal or (None if forced else _mismatch(spec))
        if refusal:
            return fail(refusal)
        data = self._made(name, spec.level, [disk for disk in disks if disk], options)
        for number, disk in enumerate(disk for disk in (*disks, *others) if disk):
            self._zfs.partition(disk)
            if number == 0:
                self._half_way()
        if self._zfs.lost_links:
            self._zfs.lost_links -= 1
            return fail(f"cannot create '{name}': no such pool or dataset")
        for slot, disk in enumerate(disk for disk in disks if disk):
            self._zfs.write_label(disk, ZfsLabel(data, data.slots[slot], name, data.guid))
            if slot == 0:
                self._half_way()
        self._put_auxiliary(data, spec)
        data.is_whole = True
        self._zfs.start(data, {slot: disk for slot, disk in enumerate(disks) if disk}, self._now())
        return OK

    def _made(self, name: str, level: str, members: list[FakeDisk], options: dict[str, list[str]]) -> PoolData:
        properties = dict(pair.split("=", 1) for pair in options.get("-O", []) if ":" in pair)
        ashift = next((int(pair[7:]) for pair in options.get("-o", []) if pair.startswith("ashift=")), 12)
        sizes = [disk.media.size_bytes - 16 * 1024**2 for disk in members]
        parity = int(level[5]) if level[:5] in ("raidz", "draid") else 0
        shares = {"mirror": 1, "raid10": len(sizes) // 2, "stripe": len(sizes)}.get(level, len(sizes) - parity)
        shape = _DRAID.match(level)
        spares = int(shape.group(4)) if shape else 0
        slots = [random.getrandbits(63) for _ in members]
        data = PoolData(name, random.getrandbits(63), level, ashift, slots, min(sizes) * shares)
        data.properties, data.hostid = properties, self._hostid()
        data.distributed = [f"draid{parity}-0-{number}" for number in range(spares)]
        return data

    def _put_auxiliary(self, data: PoolData, spec: Spec) -> list[Member]:
        """Labels for the disks of auxiliary vdevs, and their place in the pool."""
        found = []
        for kind, is_mirror, paths in spec.auxiliary:
            for group in [paths] if is_mirror else [[path] for path in paths]:
                vdev = AuxiliaryVdev(kind, 1 + len(data.auxiliary), [])
                for disk in (disk for disk in map(self._disk, group) if disk):
                    vdev.guids.append(random.getrandbits(63))
                    pool, guid = ("", 0) if vdev.is_nameless else (data.name, data.guid)
                    label = ZfsLabel(data, vdev.guids[-1], pool, guid)
                    self._zfs.write_label(disk, label)
                    self._half_way()
                    found.append(Member(disk, label))
                data.auxiliary.append(vdev)
        return found

    def _zpool_add(self, flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        pool, spec = self._zfs.imported.get(words[0]), spec_of(words[1:])
        if pool is None:
            return fail(f"cannot open '{words[0]}': no such pool")
        disks = [self._disk(path) for _, _, paths in spec.auxiliary for path in paths]
        forced = "-f" in flags
        refusal = self._unusable(disks, forced=forced)
        level = Spec(pool.data.level, [""] * len(pool.data.slots), spec.auxiliary)
        refusal = refusal or (None if forced else _mismatch(level))
        if refusal:
            return fail(refusal)
        for disk in disks:
            if disk:
                self._zfs.partition(disk)
                self._half_way()
        for member in self._put_auxiliary(pool.data, spec):
            self._zfs.join(pool, member)
        return OK

    def _zpool_remove(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        pool = self._zfs.imported.get(words[0])
        vdev = next((v for v in pool.data.auxiliary if words[1] in (str(top_guid(v)),)), None) if pool else None
        if pool is None or vdev is None:
            return fail(f"cannot remove {words[1]}: no such device in pool")
        if vdev.kind == "spare" and vdev.guids[0] in pool.data.spared.values():
            return fail(f"cannot remove {words[1]}: device is in use")
        if vdev.kind == "special" and pool.data.level[:5] in ("raidz", "draid"):
            return fail(f"cannot remove {words[1]}: invalid config; all top-level vdevs must have the same sector size")
        self._half_way()
        pool.data.auxiliary.remove(vdev)
        for guid in vdev.guids:
            if guid in pool.auxiliary:
                self._zfs.leave(pool, pool.auxiliary.pop(guid))
        return OK

    def _zpool_attach(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        name, old, path = words
        pool, disk = self._zfs.imported.get(name), self._disk(path)
        vdev = pool.data.auxiliary_of(int(old)) if pool else None
        if pool is None or disk is None or vdev is None or vdev.is_nameless:
            return fail(f"cannot attach {path} to {old}: can only attach to mirrors and top-level disks")
        if refusal := self._unusable([disk], forced=False):
            return fail(refusal)
        member = self._labelled(pool, disk)
        vdev.guids.append(member.label.vdev_guid)
        self._zfs.join(pool, member)
        pool.scan, pool.scan_started, pool.is_scanning = "RESILVER", self._now(), True
        return OK

    def _zpool_detach(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        pool, guid = self._zfs.imported.get(words[0]), int(words[1])
        if pool is None:
            return fail(f"cannot open '{words[0]}': no such pool")
        for filling in (pool.filling, pool.auxiliary_filling):
            slot = next((s for s, m in filling.items() if m.label.vdev_guid == guid), None)
            if slot is not None:
                self._zfs.leave(pool, filling.pop(slot))
                pool.data.replacing.pop(slot, None)
                pool.is_scanning = bool(pool.filling or pool.auxiliary_filling)
                return OK
        for slot, name in list(pool.data.distributed_in.items()):
            if guid == 7000 + int(name.rpartition("-")[2]):
                self._zfs.spare_back(pool, slot)
                return OK
        for slot, spare in list(pool.data.spared.items()):
            if spare == guid:
                self._zfs.spare_back(pool, slot)
                return OK
            if pool.data.slots[slot] == guid:
                self._zfs.spare_stays(pool, slot)
                return OK
        vdev = pool.data.auxiliary_of(guid)
        if vdev is None or len(vdev.guids) < 2:
            return fail(f"cannot detach {words[1]}: only applicable to mirror and replacing vdevs")
        vdev.guids.remove(guid)
        if guid in pool.auxiliary:
            self._zfs.leave(pool, pool.auxiliary.pop(guid))
        return OK

    def _zpool_online(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        pool, guid = self._zfs.imported.get(words[0]), int(words[1])
        vdev = pool.data.auxiliary_of(guid) if pool else None
        if pool is None or (guid not in pool.data.slots and vdev is None):
            return fail(f"cannot online {words[1]}: no such device in pool")
        labels = [(disk, self._zfs.label_of(disk)) for disk in self._blocks.disks if disk.is_present]
        found = next((Member(disk, label) for disk, label in labels if label and label.vdev_guid == guid), None)
        if found is None:
            return OK
        if vdev is not None and guid not in pool.auxiliary:
            self._zfs.join(pool, found)
        elif vdev is None and pool.data.slots.index(guid) not in pool.members:
            self._zfs.take_back(pool, pool.data.slots.index(guid), found, self._now())
        return OK

    def _zpool_replace(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        name, old, path = words
        pool, disk = self._zfs.imported.get(name), self._disk(path)
        if pool is not None and path in pool.data.distributed:
            if path in pool.data.distributed_in.values():
                return fail(f"cannot replace {old} with {path}: {path} is busy")
            pool.data.distributed_in[pool.data.slots.index(int(old))] = path
            pool.stepping_in.add(pool.data.slots.index(int(old)))
            pool.scan, pool.scan_started, pool.is_scanning = "RESILVER", self._now(), True
            return OK
        if pool is None or disk is None:
            return fail(f"cannot replace {old} with {path}: no such device in pool")
        own = self._zfs.label_of(disk)
        group = pool.data.auxiliary_of(own.vdev_guid) if own else None
        if own and group and group.kind == "spare" and own.vdev_guid in pool.auxiliary:
            if own.vdev_guid in pool.data.spared.values():
                return fail(f"cannot replace {old} with {path}: {path} is busy")
            slot = pool.data.slots.index(int(old))
            self._zfs.spare_in(pool, slot, pool.auxiliary[own.vdev_guid], self._now())
            return OK
        if self._blocks.is_held(disk.kernel_name) or disk.media.all_signatures():
            return fail(_IN_USE.format(path))
        vdev = pool.data.auxiliary_of(int(old))
        if vdev is not None and vdev.is_nameless:
            return fail(f"cannot replace {old} with {path}: device is reserved as a hot spare or a cache")
        member = self._labelled(pool, disk)
        if vdev is None:
            self._zfs.fill(pool, pool.data.slots.index(int(old)), member, self._now())
            return OK
        self._blocks.open_exclusively(f"/dev/{disk.partition_name(1)}", f"zfs {name}")
        pool.auxiliary_filling[int(old)] = member
        pool.scan, pool.scan_started, pool.is_scanning = "RESILVER", self._now(), True
        return OK

    def _labelled(self, pool: ImportedPool, disk: FakeDisk) -> Member:
        """A whole disk with a label of this pool."""
        self._zfs.partition(disk)
        self._half_way()
        label = ZfsLabel(pool.data, random.getrandbits(63), pool.data.name, pool.data.guid)
        self._zfs.write_label(disk, label)
        self._half_way()
        return Member(disk, label)

    def _disk(self, path: str) -> FakeDisk | None:
        device = self._blocks.find(path)
        return device.disk if device else None

    def _unfit(self, name: str, level: str, disks: Sequence[FakeDisk | None], *, forced: bool) -> str | None:
        if name in self._zfs.imported:
            return f"cannot create '{name}': pool already exists"
        if len(disks) < _LEAST[level.partition(":")[0]]:
            return f"invalid vdev specification: {level} requires at least {_LEAST[level.partition(':')[0]]} devices"
        if (shape := _DRAID.match(level)) is not None:
            parity, data, children, spares = map(int, shape.groups())
            if children != len(disks) or data + parity > children - spares or not data:
                return f"invalid number of dRAID children; {level} does not fit on {len(disks)}"
        if refusal := self._unusable(disks, forced=forced):
            return refusal
        sizes = {disk.media.size_bytes for disk in disks if disk}
        if len(sizes) > 1 and level != "stripe" and not forced:
            return f"invalid vdev specification\nuse '-f' to override: {level} contains devices of different sizes"
        return None

    def _unusable(self, disks: Sequence[FakeDisk | None], *, forced: bool) -> str | None:
        for disk in disks:
            if disk is None:
                return "cannot resolve path: no such device"
            if self._blocks.is_held(disk.kernel_name):
                return f"{disk.links()[0]} is in use and contains a unknown filesystem."
            if (disk.media.all_signatures() or disk.partitions) and not forced:
                return "invalid vdev specification\nuse '-f' to override the following errors:\ndisk is not empty"
        return None


def top_guid(vdev: AuxiliaryVdev) -> int:
    """Of the mirror, or of the one disk."""
    return vdev.guids[0] if len(vdev.guids) == 1 else vdev.guids[0] // 2 + 1


def _mismatch(spec: Spec) -> str | None:
    """check_replication: special disks must be as redundant as the data disks, neither more nor less."""
    parity = {"stripe": 0, "mirror": len(spec.data) - 1, "raid10": 1}.get(spec.level)
    parity = int(spec.level[5]) if parity is None else parity
    for kind, is_mirror, paths in spec.auxiliary:
        if kind == "special" and (len(paths) - 1 if is_mirror else 0) != parity:
            return (
                "invalid vdev specification\nuse '-f' to override the following errors:\nmismatched replication level"
            )
    return None


def fail(*lines: str) -> Answer:
    """Exit code 1 with these lines on standard error."""
    return 1, "", "".join(f"{line}\n" for line in lines)
