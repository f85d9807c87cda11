"""A machine made from a whole tree of `lsblk -J -b`: `lsblk -d`, /sys, /proc and /dev show what the tree shows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from backend.tests.fakemachine.files.plain import Files
from backend.tests.fakemachine.files.vfs import Vfs
from backend.tests.fakemachine.files.views import Link, Tree, put
from backend.tests.recorded import recorded
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import ToolFailed
from lunette.providers.disks.inventory import observe_disks
from lunette.system.system_port import CommandResult, System

Row = Mapping[str, Any]
_UUIDS = {"mpath": "mpath-3600", "lvm": "LVM-uqz1", "crypt": "CRYPT-LUKS2-b8d7"}


def recorded_tree(name: str) -> list[Row]:
    """The recorded tree of this machine: uml or qemu."""
    return cast("list[Row]", json.loads(recorded(f"util-linux-2.41/lsblk-{name}.json"))["blockdevices"])


def without_tree(rows: Sequence[Row]) -> str:
    """What `lsblk -d -J -b` prints of the same machine."""
    plain = [{key: value for key, value in row.items() if key != "children"} for row in rows]
    return json.dumps({"blockdevices": plain})


class TreeMachine:
    """`links`: names below /dev/disk/by-id with their device; `mounts`: /proc/1/mountinfo, if the machine's mounts are
    not those that lsblk read; `signatures` as wipefs reports them; `gone`: devices that vanish once lsblk has run.
    `calls` has each call; any other command than lsblk, wipefs and `commands` fails.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        *,
        links: Mapping[str, str] | None = None,
        mounts: str | None = None,
        files: Mapping[str, str] | None = None,
        signatures: Sequence[Row] = (),
        gone: Sequence[str] = (),
    ) -> None:
        self._rows, self._signatures = rows, signatures
        self.commands: dict[str, str] = {}
        self.calls: list[str] = []
        self._tree, self._later = (self._all_of(rows, links, mounts, files, lost) for lost in ((), gone))
        self._vfs = Vfs(Files(), lambda: self._tree, lambda _path, _text: None)

    def _all_of(
        self,
        rows: Sequence[Row],
        links: Mapping[str, str] | None,
        mounts: str | None,
        files: Mapping[str, str] | None,
        gone: Sequence[str],
    ) -> Tree:
        tree = _tree(rows, gone)
        own = mountinfo(rows)
        put(tree, "/proc/self/mountinfo", own)
        put(tree, "/proc/1/mountinfo", own if mounts is None else mounts)
        swapped = [row["kname"] for row, _ in _all(rows) if "[SWAP]" in row["mountpoints"]]
        swaps = [f"/dev/{name}\tpartition\t9\t0\t-2\n" for name in swapped]
        put(tree, "/proc/swaps", "".join(["Filename\tType\tSize\tUsed\tPriority\n", *swaps]))
        for name, device in (links or {}).items():
            put(tree, f"/dev/disk/by-id/{name}", Link(f"../../{device}"))
        for path, text in (files or {}).items():
            put(tree, path, text)
        return tree

    def disks(self, unread: dict[str, str] | None = None) -> dict[str, ObservedDisk]:
        """What the product observes, by kernel name."""
        return {disk.kernel_name: disk for disk in observe_disks(cast("System", self), unread=unread)}

    def run(self, argv: Sequence[str], **_: object) -> CommandResult:
        self.calls.append(" ".join(argv))
        devices = [word for word in argv if word.startswith("/dev/")]
        said = self.commands.get(argv[0])
        if argv[0] == "lsblk" and "-d" in argv:
            said = without_tree([row for row in self._rows if row["path"] in devices])
            self._tree = self._later
        if argv[0] == "wipefs" and all(map(self._vfs.exists, devices)):
            found = [one for one in self._signatures if f"/dev/{one['device']}" in devices]
            said = json.dumps({"signatures": found}) if found else ""
        if said is None:
            raise ToolFailed("it fails here", log=" ".join(argv))
        return CommandResult(argv=tuple(argv), returncode=0, stdout=said, stderr="")

    def read(self, path: str) -> str:
        self.calls.append(path)
        return self._vfs.read(path)

    def listdir(self, path: str) -> list[str]:
        self.calls.append(path)
        return self._vfs.listdir(path)

    def realpath(self, path: str) -> str:
        self.calls.append(path)
        return self._vfs.realpath(path)

    def exists(self, path: str) -> bool:
        self.calls.append(path)
        return self._vfs.exists(path)


def _all(rows: Sequence[Row], parent: Row | None = None) -> Iterator[tuple[Row, Row | None]]:
    """Every device with what it lies on, once for each way to it."""
    for row in rows:
        yield row, parent
        yield from _all(row.get("children") or (), row)


def _is_kernels(row: Row) -> bool:
    """True for a partition that is no mapping of kpartx."""
    return row["type"] == "part" and not row["kname"].startswith("dm-")


def _tree(rows: Sequence[Row], gone: Sequence[str]) -> Tree:
    tree: Tree = {}
    places: dict[str, str] = {}
    for row, parent in _all(rows):
        name, is_kernels = row["kname"], _is_kernels(row)
        if name in gone or (is_kernels and parent and parent["kname"] in gone):
            continue
        place = places[name] = f"{places[parent['kname']]}/{name}" if parent and is_kernels else f"/sys/devices/{name}"
        texts = {"dev": row["maj:min"], "size": str((row["size"] or 0) // 512)}
        texts |= {"partition": "1"} if is_kernels else _mapping(tree, row, parent)
        for attribute, text in texts.items():
            put(tree, f"{place}/{attribute}", f"{text}\n")
        for link in (f"class/block/{name}", f"dev/block/{row['maj:min']}", f"{'class/' * is_kernels}block/{name}"):
            put(tree, f"/sys/{link}", Link(place))
        put(tree, f"/dev/{name}", "")
        if parent and not is_kernels and parent["kname"] in places:
            put(tree, f"{place}/slaves/{parent['kname']}", Link(f"/sys/class/block/{parent['kname']}"))
            put(tree, f"{places[parent['kname']]}/holders/{name}", Link(f"/sys/class/block/{name}"))
    return tree


def _mapping(tree: Tree, row: Row, parent: Row | None) -> dict[str, str]:
    """What the device mapper shows of one of its devices, with udev's links to it."""
    name = row["kname"]
    if not name.startswith("dm-"):
        return {}
    of_part = "part1-mpath-3600" if parent and parent["type"] == "mpath" else "part1-devnode_8:0_Wh5pYvM"
    mapping, uuid = row["path"].rpartition("/")[2], f"{_UUIDS.get(row['type'], of_part)}-{name}"
    put(tree, f"/dev/mapper/{mapping}", Link(f"../{name}"))
    put(tree, f"/dev/disk/by-id/dm-uuid-{uuid}", Link(f"../../{name}"))
    return {"dm/name": mapping, "dm/uuid": uuid}


def mountinfo(rows: Sequence[Row]) -> str:
    """What is mounted. `hides`: the mount's "number" is the file system's own, as btrfs has it, or its "source" says
    nothing, as where the kernel mounted the root.
    """
    lines = []
    for row in {row["kname"]: row for row, _ in _all(rows)}.values():
        number = "0:40" if row.get("hides") == "number" else row["maj:min"]
        source = "/dev/root" if row.get("hides") == "source" else row["path"]
        points = (point for point in row["mountpoints"] if point and point != "[SWAP]")
        lines += [f"30 1 {number} / {point} rw - ext4 {source} rw\n" for point in points]
    return "".join(lines)
