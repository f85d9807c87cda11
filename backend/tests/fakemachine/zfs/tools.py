"""zpool and zfs of OpenZFS 2.3: their words, exit codes and refusals, as far as we use them."""

from collections.abc import Callable, Sequence

from backend.tests.fakemachine.block.devices import FakeDisk
from backend.tests.fakemachine.block.media import Media
from backend.tests.fakemachine.md.manage import Answer
from backend.tests.fakemachine.zfs import report
from backend.tests.fakemachine.zfs.pools import FakeZvol, FakeZvolSnapshot, ImportedPool, ZfsLabel
from backend.tests.fakemachine.zfs.vdevs import OK, VdevTools, fail

COMMANDS = ("zpool", "zfs")
_BARE_FLAGS = {"-f", "-N", "-j", "--json-int", "-p", "-r", "-s"}


class ZfsTools(VdevTools):
    """Runs one command line. `is_loaded` tells whether the kernel has the module, `hostid` what /etc/hostid holds."""

    def run(self, argv: Sequence[str]) -> Answer:
        """Exit code, stdout, stderr."""
        if not self._is_loaded():
            return fail("The ZFS modules cannot be auto-loaded.", "Try running 'modprobe zfs' as root.")
        if argv[1] == "promote" and argv[2].startswith("-"):
            return fail(f"invalid option '{argv[2][1:2]}'", "usage:", "promote <clone-filesystem>")
        flags, options, words = split(argv[2:])
        command: Callable[[set[str], dict[str, list[str]], list[str]], Answer] | None
        command = getattr(self, f"_{argv[0]}_{argv[1]}", None)
        return command(flags, options, words) if command else fail(f"the fake does not know {' '.join(argv)}")

    def _zpool_destroy(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        pool = self._zfs.imported.get(words[0])
        if pool is None:
            return fail(f"cannot open '{words[0]}': no such pool")
        if self._zfs.has_open_zvol(pool):
            return fail(f"cannot destroy '{words[0]}': pool is busy")
        for member in pool.everyone():
            member.label.is_destroyed = True
        self._half_way()
        self._zfs.stop(pool)
        return OK

    def _zpool_export(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        pool = self._zfs.imported.get(words[0])
        if pool is None:
            return fail(f"cannot open '{words[0]}': no such pool")
        if self._zfs.has_open_zvol(pool):
            # The real one waits for ever, and keeps the pool unusable meanwhile.
            raise AssertionError(f"zpool export {words[0]} hangs: a zvol of it is open")
        pool.data.is_exported = True
        self._zfs.stop(pool)
        return OK

    def _zpool_import(self, _flags: set[str], options: dict[str, list[str]], words: list[str]) -> Answer:
        wanted = words[0]
        found: dict[int, tuple[FakeDisk, ZfsLabel]] = {}
        looked_at = [self._disk(path.removesuffix("-part1")) for path in options.get("-d", [])]
        for disk in looked_at:
            label = self._zfs.label_of(disk) if disk else None
            if disk and label and wanted in (label.pool, str(label.guid)) and label.vdev_guid in label.data.slots:
                found[label.data.slots.index(label.vdev_guid)] = disk, label
        usable = {slot: disk for slot, (disk, label) in found.items() if label.data.is_whole and not label.is_destroyed}
        if not usable:
            return fail(f"cannot import '{wanted}': no such pool available")
        data = next(label for _, label in found.values()).data
        if data.name in self._zfs.imported:
            return fail(f"cannot import '{data.name}': a pool with that name already exists")
        labelled = [self._zfs.label_of(disk) for disk in looked_at if disk]
        there = {label.vdev_guid for label in labelled if label and not label.is_destroyed}
        gone = {vdev.kind for vdev in data.auxiliary if there.isdisjoint(vdev.guids)}
        spared = {slot for slot, guid in data.spared.items() if guid in there} | set(data.distributed_in)
        if len(data.slots) - len(usable.keys() | spared) > data.survives() or "special" in gone:
            return fail(f"cannot import '{data.name}': one or more devices is currently unavailable")
        if not data.is_exported and data.hostid != self._hostid():
            return fail(
                f"cannot import '{data.name}': pool was previously in use from another system.",
                f"Last accessed by elsewhere (hostid={data.hostid.hex()}) at Sat Nov 21 07:00:00 2026",
                "The pool can be imported, use 'zpool import -f' to import the pool.",
            )
        if "log" in gone:
            return fail(
                "The devices below are missing or corrupted, use '-m' to import the pool anyway:",
                f"cannot import '{data.name}': one or more devices is currently unavailable",
            )
        data.hostid, data.is_exported = self._hostid(), False
        self._zfs.start(data, usable, self._now())
        return OK

    def _zpool_status(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        pools = [pool for name, pool in self._zfs.imported.items() if not words or name in words]
        return 0, report.status(pools, self._now()), ""

    def _zpool_reguid(self, _flags: set[str], options: dict[str, list[str]], words: list[str]) -> Answer:
        pool = self._zfs.imported.get(words[0])
        if pool is None or pool.missing():
            return fail(f"cannot reguid '{words[0]}': one or more devices is currently unavailable")
        pool.data.guid = int(options["-g"][-1])
        for member in pool.everyone():
            member.label.guid = pool.data.guid if member.label.pool else 0
        return OK

    def _zpool_labelclear(self, flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        device = self._blocks.find(words[0])
        if device is None or device.media is None:
            return fail(f"failed to open {words[0]}: No such file or directory")
        if device.media.zfs is None:
            return fail(f"failed to check state for {words[0]}")
        if self._blocks.is_held(device.kernel_name):
            return fail(f"{words[0]} is a member of an active pool")
        if not device.media.zfs.is_destroyed and "-f" not in flags:
            return fail("use '-f' to override the following error:", f"{words[0]} is a member of a pool")
        device.media.zfs = None
        return OK

    def _zpool_scrub(self, flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        pool = self._zfs.imported.get(words[0])
        if pool is None:
            return fail(f"cannot open '{words[0]}': no such pool")
        if "-s" in flags:
            pool.is_scanning = False
            return OK
        if pool.is_scanning:
            return fail(f"cannot scrub {words[0]}: currently scrubbing; use 'zpool scrub -s' to cancel scrub")
        pool.scan, pool.scan_started, pool.is_scanning = "SCRUB", self._now(), True
        return OK

    def _zfs_create(self, flags: set[str], options: dict[str, list[str]], words: list[str]) -> Answer:
        group, _, name = words[0].partition("/")
        pool = self._zfs.imported.get(group)
        if pool is None:
            return fail(f"cannot create '{words[0]}': no such pool '{group}'")
        size, is_thin = int(options["-V"][-1]), "-s" in flags
        if name in pool.data.zvols:
            return fail(f"cannot create '{words[0]}': dataset already exists")
        if size % int(options["-b"][-1]):
            return fail(f"cannot create '{words[0]}': volume size must be a multiple of volume block size")
        if not is_thin and pool.data.used_bytes() + size > pool.data.size_bytes:
            return fail(f"cannot create '{words[0]}': out of space")
        properties = dict(pair.split("=", 1) for pair in options.get("-o", []))
        zvol = pool.data.zvols[name] = FakeZvol(size, is_thin, properties, Media(size))
        self._half_way()
        self._zfs.show(pool.data, name, zvol)
        return OK

    def _zfs_list(self, flags: set[str], options: dict[str, list[str]], words: list[str]) -> Answer:
        pools = [pool for name, pool in self._zfs.imported.items() if not words or name in words]
        if waiting := [pool.data.name for pool in pools if pool.is_suspended]:
            raise AssertionError(f"zfs list hangs: pool {waiting[0]} is suspended")
        missing = [f"cannot open '{word}': dataset does not exist" for word in words if word not in self._zfs.imported]
        fields, is_deep = options["-o"][-1].split(","), not words or "-r" in flags
        listed = report.datasets([pool.data for pool in pools], fields, is_deep=is_deep)
        return (1, listed if pools else "", "\n".join(missing)) if missing else (0, listed, "")

    def _find(self, name: str) -> tuple[ImportedPool, FakeZvol] | None:
        group, _, short = name.partition("/")
        pool = self._zfs.imported.get(group)
        return (pool, pool.data.zvols[short]) if pool and short in pool.data.zvols else None

    def _zfs_destroy(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        if "@" in words[0]:
            return self._destroy_snapshot(words[0])
        found = self._find(words[0])
        if found is None:
            return fail(f"cannot open '{words[0]}': dataset does not exist")
        pool, name = found[0], words[0].partition("/")[2]
        if found[1].snapshots:
            return fail(f"cannot destroy '{words[0]}': volume has children", "use '-r' to destroy the following")
        if self._zfs.is_open(pool.data, name):
            return fail(f"cannot destroy '{words[0]}': dataset is busy")
        self._zfs.hide(pool.data, name)
        self._half_way()
        del pool.data.zvols[name]
        return OK

    def _zfs_inherit(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        return self._each(words[1:], lambda zvol: zvol.properties.pop(words[0], None))

    def _zfs_set(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        wanted = dict(word.split("=", 1) for word in words if "=" in word)
        names = [word for word in words if "=" not in word]
        size = int(wanted.pop("volsize", 0))
        answer = self._resize(names[0], size) if size else OK
        if answer == OK and wanted.pop("refreservation", "") == "auto":
            answer = self._reserve(names[0])
        if answer == OK:
            answer = self._each(names, lambda zvol: zvol.properties.update(wanted))
        for name in names if "volmode" in wanted and answer == OK else ():
            group, _, short = name.partition("/")
            self._zfs.follow_volmode(self._zfs.imported[group].data, short)
        return answer

    def _reserve(self, name: str) -> Answer:
        found = self._find(name)
        if found is None:
            return fail(f"cannot open '{name}': dataset does not exist")
        pool, zvol = found
        if zvol.is_thin and pool.data.used_bytes() + zvol.size_bytes > pool.data.size_bytes:
            return fail(f"cannot set property for '{name}': size is greater than available space")
        zvol.is_thin = False
        self._half_way()
        return OK

    def _resize(self, name: str, size: int) -> Answer:
        found = self._find(name)
        if found is None:
            return fail(f"cannot open '{name}': dataset does not exist")
        pool, zvol = found
        if not zvol.is_thin and pool.data.used_bytes() + size - zvol.size_bytes > pool.data.size_bytes:
            return fail(f"cannot set property for '{name}': size is greater than available space")
        self._zfs.resize(pool.data, name.partition("/")[2], size)
        self._half_way()
        return OK

    def _zfs_snapshot(self, _flags: set[str], options: dict[str, list[str]], words: list[str]) -> Answer:
        wanted = []
        for word in words:
            name, _, short = word.partition("@")
            found = self._find(name)
            if found is None:
                return fail(f"cannot open '{name}': dataset does not exist")
            if short in found[1].snapshots:
                return fail(f"cannot create snapshot '{word}': dataset already exists")
            wanted.append((found[1], short))
        for zvol, short in wanted:
            properties = dict(pair.split("=", 1) for pair in options.get("-o", []))
            zvol.snapshots[short] = FakeZvolSnapshot(zvol.size_bytes, properties, dict(zvol.media.data))
        self._half_way()
        return OK

    def _find_snapshot(self, path: str) -> tuple[ImportedPool, FakeZvol, FakeZvolSnapshot] | None:
        name, _, short = path.partition("@")
        found = self._find(name)
        return (*found, found[1].snapshots[short]) if found and short in found[1].snapshots else None

    def _destroy_snapshot(self, path: str) -> Answer:
        found = self._find_snapshot(path)
        if found is None:
            return fail(f"could not find any snapshots to destroy; check snapshot names: {path}")
        pool, zvol, _ = found
        clones = [name for name, other in pool.data.zvols.items() if other.origin == path]
        if clones:
            return fail(f"cannot destroy '{path}': snapshot has dependent clones", "use '-R' to destroy", *clones)
        del zvol.snapshots[path.partition("@")[2]]
        self._half_way()
        return OK

    def _zfs_clone(self, _flags: set[str], options: dict[str, list[str]], words: list[str]) -> Answer:
        found, name = self._find_snapshot(words[0]), words[1].partition("/")[2]
        if found is None:
            return fail(f"cannot open '{words[0]}': dataset does not exist")
        pool, _, snapshot = found
        if name in pool.data.zvols:
            return fail(f"cannot create '{words[1]}': dataset already exists")
        properties = dict(pair.split("=", 1) for pair in options.get("-o", []))
        media = Media(snapshot.size_bytes, data=dict(snapshot.data))
        zvol = pool.data.zvols[name] = FakeZvol(snapshot.size_bytes, True, properties, media, origin=words[0])
        self._half_way()
        self._zfs.show(pool.data, name, zvol)
        return OK

    def _zfs_rollback(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        found = self._find_snapshot(words[0])
        if found is None:
            return fail(f"cannot open '{words[0]}': dataset does not exist")
        pool, zvol, snapshot = found
        if list(zvol.snapshots)[-1] != words[0].partition("@")[2]:
            return fail(f"cannot rollback to '{words[0]}': more recent snapshots or bookmarks exist", "use '-r'")
        zvol.media.data = dict(snapshot.data)
        self._zfs.resize(pool.data, words[0].partition("/")[2].partition("@")[0], snapshot.size_bytes)
        self._half_way()
        return OK

    def _zfs_promote(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        """The clone takes the snapshot it began as with all older ones; what it was cloned from becomes its clone."""
        found = self._find(words[0])
        if found is None:
            return fail(f"cannot open '{words[0]}': dataset does not exist")
        pool, clone = found
        source = self._find_snapshot(clone.origin) if clone.origin else None
        if clone.origin is None or source is None:
            return fail(f"cannot promote '{words[0]}': not a cloned filesystem")
        parent, (path, _, short) = source[1], clone.origin.partition("@")
        moved = list(parent.snapshots)[: list(parent.snapshots).index(short) + 1]
        clone.snapshots = {name: parent.snapshots.pop(name) for name in moved} | clone.snapshots
        clone.origin, parent.origin = parent.origin, f"{words[0]}@{short}"
        for other in pool.data.zvols.values():
            if other.origin in {f"{path}@{name}" for name in moved}:
                other.origin = f"{words[0]}@{other.origin.partition('@')[2]}"
        self._half_way()
        return OK

    def _zfs_rename(self, _flags: set[str], _options: dict[str, list[str]], words: list[str]) -> Answer:
        if "@" in words[0]:
            return self._rename_snapshot(*words)
        found = self._find(words[0])
        if found is None:
            return fail(f"cannot open '{words[0]}': dataset does not exist")
        if self._find(words[1]):
            return fail(f"cannot create '{words[1]}': dataset already exists")
        (pool, zvol), old, new = found, words[0].partition("/")[2], words[1].partition("/")[2]
        self._zfs.hide(pool.data, old)
        pool.data.zvols[new] = pool.data.zvols.pop(old)
        for other in pool.data.zvols.values():
            if other.origin and other.origin.startswith(f"{words[0]}@"):
                other.origin = f"{words[1]}@{other.origin.partition('@')[2]}"
        self._half_way()
        self._zfs.show(pool.data, new, zvol)
        return OK

    def _rename_snapshot(self, path: str, to: str) -> Answer:
        found = self._find_snapshot(path)
        if found is None:
            return fail(f"cannot open '{path}': dataset does not exist")
        (dataset, _, short), (target, _, new) = path.partition("@"), to.partition("@")
        if dataset != target:
            return fail(f"cannot rename to '{to}': snapshots must be part of same dataset")
        pool, zvol, _ = found
        if new in zvol.snapshots:
            return fail(f"cannot rename '{path}': snapshot already exists")
        zvol.snapshots = {new if name == short else name: one for name, one in zvol.snapshots.items()}
        for other in pool.data.zvols.values():
            if other.origin == path:
                other.origin = to
        self._half_way()
        return OK

    def _each(self, names: list[str], change: Callable[[FakeZvol | FakeZvolSnapshot], object]) -> Answer:
        for name in names:
            found = self._find_snapshot(name) if "@" in name else self._find(name)
            if found is None:
                return fail(f"cannot open '{name}': dataset does not exist")
            change(found[-1])
            self._half_way()
        return OK


def split(words: Sequence[str]) -> tuple[set[str], dict[str, list[str]], list[str]]:
    """Flags, options with all their values, and the other words."""
    flags: set[str] = set()
    options: dict[str, list[str]] = {}
    rest: list[str] = []
    waiting: str | None = None
    for at, word in enumerate(words):
        if waiting:
            options.setdefault(waiting, []).append(word)
            waiting = None
        elif word == "--":
            return flags, options, [*rest, *words[at + 1 :]]
        elif word in _BARE_FLAGS:
            flags.add(word)
        elif word.startswith("-"):
            waiting = word
        else:
            rest.append(word)
    return flags, options, rest
