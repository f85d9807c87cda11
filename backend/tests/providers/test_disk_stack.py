"""The system's drives are found from its mounts downwards, whatever lies between, at a cost that no volume adds to."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tests.block_tree import TreeMachine, mountinfo
from backend.tests.exploring import explored, fixed
from backend.tests.fakemachine.md.manage import Answer
from backend.tests.providers.test_zfs_steps import Farm
from lunette.domain.sizes import MIB
from lunette.providers.disks.inventory import UNREADABLE, observe_disks
from lunette.providers.volumes.zvol import plan as zvol

Row = dict[str, Any]
POINTS = ("/", "/boot", "/boot/efi", "/usr", "/var", "/etc", "/opt", "/run/live/medium", "/cdrom")
BELOW = {"part": ("disk", "raid1", "mpath"), "mpath": ("disk",)}
"""What kind of device is made of what, if not of any."""
FEW, MANY = 300, 3000


class Stack:
    """The tree that lsblk shows of drives and what is built on them."""

    def __init__(self, drives: int = 2) -> None:
        self._made = 0
        self.drives = [self._row(f"sd{'abcdefgh'[number]}", "disk") for number in range(drives)]

    def on(self, kind: str, *below: Row) -> Row:
        """A new device on these; kpartx makes the partitions of a multipath device, and old ones of a drive."""
        number = self._made
        if kind == "kpartx" or (kind == "part" and below[0]["type"] == "mpath"):
            row = self._row(f"dm-{number}", "part") | {"path": f"/dev/mapper/part{number}"}
        elif kind in ("mpath", "lvm", "crypt"):
            row = self._row(f"dm-{number}", kind) | {"path": f"/dev/mapper/{kind}{number}"}
        elif kind == "part":
            separator = "p" * below[0]["kname"][-1].isdigit()
            row = self._row(f"{below[0]['kname']}{separator}{number}", kind)
        else:
            row = self._row(f"md{number}", kind)
        for one in below:
            one["children"].append(row)
        return row

    def _row(self, name: str, kind: str) -> Row:
        self._made += 1
        return {
            **dict.fromkeys(("vendor", "model", "rev", "wwn", "tran")),
            "kname": name,
            "path": f"/dev/{name}",
            "type": kind,
            "serial": f"S{name}",
            "size": 2**30,
            "log-sec": 512,
            "phy-sec": 4096,
            "rota": True,
            "maj:min": f"8:{self._made}",
            "mountpoints": [None],
            "children": [],
        }

    def machine(self, **more: Any) -> TreeMachine:
        return TreeMachine(self.drives, **more)

    def systems(self, **more: Any) -> set[str]:
        """Paths of the drives that the product takes for the system's."""
        return {path for disk in self.machine(**more).disks().values() if disk.used_by_system for path in disk.paths}

    def as_before(self) -> set[str]:
        """The same by the rule of the whole tree: a drive is the system's if anything on it is mounted for it."""
        return {
            row["path"] for row in self.drives if any(set(POINTS) & set(one["mountpoints"]) for one in descend(row))
        }


def descend(row: Row) -> Iterator[Row]:
    """A device and everything on it."""
    yield row
    for one in row["children"]:
        yield from descend(one)


def mounted(row: Row, point: str) -> Row:
    row["mountpoints"] = [point]
    return row


def raid(stack: Stack) -> None:
    a, b, *_ = stack.drives
    mounted(stack.on("lvm", stack.on("raid1", stack.on("part", a), stack.on("part", b))), "/")["hides"] = "source"


def encrypted(stack: Stack) -> None:
    mounted(stack.on("lvm", stack.on("crypt", stack.on("part", stack.drives[1]))), "/var")


def partition_of_an_array(stack: Stack) -> None:
    mounted(stack.on("part", stack.on("raid1", *stack.drives[1:])), "/boot")


def multipath(stack: Stack) -> None:
    mounted(stack.on("part", stack.on("mpath", *stack.drives[:2])), "/")


def volume_on_multipath(stack: Stack) -> None:
    mounted(stack.on("lvm", stack.on("mpath", *stack.drives[1:])), "/")


def file_system_with_a_number_of_its_own(stack: Stack) -> None:
    mounted(stack.on("crypt", stack.drives[2]), "/")["hides"] = "number"


def swap_on_a_volume(stack: Stack) -> None:
    mounted(stack.on("lvm", stack.drives[0]), "[SWAP]")


@pytest.mark.parametrize(
    ("build", "drives"),
    [
        (raid, "ab"),
        (encrypted, "b"),
        (partition_of_an_array, "bc"),
        (multipath, "ab"),
        (volume_on_multipath, "bc"),
        (file_system_with_a_number_of_its_own, "c"),
        (swap_on_a_volume, ""),
    ],
)
def test_the_drives_below_a_mount_of_the_system_are_the_systems(build: Callable[[Stack], None], drives: str) -> None:
    stack = Stack(3)
    build(stack)
    assert stack.systems() == stack.as_before() == {f"/dev/sd{letter}" for letter in drives}
    mounts = [point for row in stack.drives for one in descend(row) for point in one["mountpoints"] if point]
    for row in stack.drives:
        for one in descend(row):
            one["mountpoints"] = ["/srv" if point in POINTS else point for point in one["mountpoints"]]
    assert mounts
    assert stack.systems() == set(), "of a mount that is not the system's"


@st.composite
def stacks(draw: st.DrawFn) -> Stack:
    """Partitions, arrays, encryption, volumes and multipath in any order, mounted anywhere, twice too."""
    stack = Stack(draw(st.integers(1, 5)))
    free = list(stack.drives)
    kinds = st.sampled_from(("part", "part", "raid1", "crypt", "lvm", "mpath"))
    for kind in draw(st.lists(kinds, min_size=3, max_size=9)):
        fit = [row for row in free if row["type"] in BELOW.get(kind, (row["type"],))]
        if kind == "mpath":  # it holds all of a drive, and nothing else does
            fit = [row for row in fit if not row["children"]]
        if fit:
            most = 1 if kind in ("part", "crypt") else 3
            below = draw(st.lists(st.sampled_from(fit), min_size=1, max_size=most, unique_by=lambda row: row["kname"]))
            free = [row for row in free if kind != "mpath" or row not in below] + [stack.on(kind, *below)]
    for row in draw(st.lists(st.sampled_from(free), max_size=3, unique_by=lambda row: row["kname"])):
        row["mountpoints"] = [draw(st.sampled_from(("/srv", "[SWAP]", *POINTS)))]
        row["hides"] = draw(st.sampled_from((None, "number", "source")))
    return stack


def check(stack: Stack) -> None:
    expected, mounts = stack.as_before(), mountinfo(stack.drives)
    assert stack.systems() == expected
    for row in stack.drives:
        for one in descend(row):
            one["mountpoints"] = [None]
    assert stack.systems(mounts=mounts) == expected, "in a container, where lsblk sees no mount"


def test_any_stack_marks_the_drives_that_its_whole_tree_marks() -> None:
    fixed("system drives", FEW)(given(stack=stacks())(check))()


@pytest.mark.slow
def test_any_stack_marks_the_drives_that_its_whole_tree_marks_explored() -> None:
    explored("system drives", MANY)(given(stack=stacks())(check))()


@pytest.mark.parametrize("kind", ["part", "crypt"])
def test_all_drives_of_a_btrfs_are_the_systems(kind: str) -> None:
    stack = Stack(3)
    devices = [stack.on(kind, drive) for drive in stack.drives[:2]]
    mounted(devices[0], "/")["hides"] = "number"
    files = {f"/sys/fs/btrfs/b-1/devices/{device['kname']}": "" for device in devices}
    assert stack.systems(files=files) == {"/dev/sda", "/dev/sdb"}


def test_a_mapping_is_found_where_no_udev_makes_its_link() -> None:
    stack = Stack()
    file_system = mounted(stack.on("crypt", stack.drives[1]), "/")
    file_system["hides"] = "number"
    assert stack.systems(files={file_system["path"]: ""}) == stack.as_before() == {"/dev/sdb"}


def test_a_source_that_is_no_device_is_none() -> None:
    stack = Stack()
    assert stack.systems(mounts="30 1 0:40 / / rw - tmpfs sda rw\n31 1 0:41 / /var rw - zfs tank/sdb rw\n") == set()


def test_the_drives_below_the_pool_that_the_system_runs_from_are_the_systems() -> None:
    stack = Stack(3)
    member = stack.on("crypt", stack.on("part", stack.drives[1]))
    stack.on("part", stack.drives[0])
    pool = "30 1 0:40 / / rw - zfs tank/ROOT rw\n"
    machine = stack.machine(mounts=pool)
    assert {disk.kernel_name for disk in machine.disks().values() if disk.used_by_system} == {"sda", "sdb"}
    machine.commands["zpool"] = f"tank\t1G\n\t/dev/{member['kname']}\t1G\n"
    assert {disk.kernel_name for disk in machine.disks().values() if disk.used_by_system} == {"sdb"}


@pytest.mark.parametrize("kind", ["disk", "mpath", "raid1"])
def test_volumes_cost_nothing(kind: str) -> None:
    """Neither on a drive itself, where they are its holders, nor above it."""

    def cost(volumes: int) -> tuple[int, int, list[str]]:
        stack = Stack()
        below = stack.drives[0] if kind == "disk" else stack.on(kind, *stack.drives)
        made = [stack.on("lvm", below) for _ in range(volumes)]
        mounted(made[0], "/")
        machine = stack.machine()
        disks = machine.disks()
        assert disks[next(iter(disks))].used_by_system
        return len(disks), len(machine.calls), [call for call in machine.calls if call.startswith("lsblk")]

    assert cost(5) == cost(50)


def test_zvols_cost_nothing_either() -> None:
    farm, printed = Farm(), list[str]()
    lsblk = farm.machine.tools.command("lsblk")

    def answer(argv: Sequence[str]) -> Answer:
        answered = lsblk(argv)
        printed.append(answered[1])
        return answered

    farm.machine.tools.add("lsblk", answer)
    observe_disks(farm.machine)
    more = [(f"{number}ccccccc-0000-4000-8000-000000000003", 64 * MIB) for number in range(5)]
    for step in zvol.cut_steps(farm.create_step.pool, more):
        farm.do(step)
    observe_disks(farm.machine)
    farm.machine.run(["lsblk", "-d", "-J", "-b"])  # as it would be without the names of the drives
    before, after, whole = (json.loads(text)["blockdevices"] for text in printed)
    assert before == after
    assert len(whole) == len(after) + 6


def test_partitions_and_swap_are_seen_on_drives_and_on_multipath() -> None:
    stack = Stack(4)
    mounted(stack.on("part", stack.drives[0]), "/srv")
    mounted(stack.on("part", stack.drives[0]), "[SWAP]")
    over = stack.on("mpath", *stack.drives[1:3])
    mounted(stack.on("part", over), "[SWAP]")
    mounted(stack.on("part", over), "/mnt")["hides"] = "number"
    mounted(stack.on("lvm", stack.drives[3]), "/data")
    mounted(stack.on("kpartx", stack.drives[3]), "/old")
    found = [(disk.partitions, disk.mounts, disk.is_swap) for disk in stack.machine().disks().values()]
    assert sorted(found) == [(1, ("/old",), False), (2, ("/mnt",), True), (2, ("/srv",), True)]


@pytest.mark.parametrize("kind", ["part", "lvm"])
def test_a_partition_that_another_system_exports_bars_its_drives_and_a_volume_does_not(kind: str) -> None:
    stack = Stack(3)
    given = stack.on(kind, stack.on("raid1", *stack.drives[:2]))
    place = "/sys/kernel/config/target/core/iblock_0/theirs/udev_path"
    machine = stack.machine(files={place: f"/dev/{given['kname']}\n"})
    barred = {name for name, disk in machine.disks().items() if disk.barred}
    assert barred == ({"sda", "sdb"} if kind == "part" else set())


@pytest.mark.parametrize("gone", ["sda", "sda2", "md4", "dm-5"])
def test_what_vanished_after_lsblk_ran_hides_no_other_drive(gone: str) -> None:
    stack = Stack(2)
    parts = [stack.on("part", drive) for drive in stack.drives]
    mounted(stack.on("lvm", stack.on("raid1", *parts)), "/srv")
    assert [row["kname"] for row in descend(stack.drives[0])] == ["sda", "sda2", "md4", "dm-5"]
    table = [{"device": row["kname"], "type": "gpt", "uuid": None, "label": None} for row in stack.drives]
    before, disks = stack.machine(signatures=table).disks(), stack.machine(signatures=table, gone=(gone,)).disks()
    assert disks.keys() == {"sda", "sdb"}
    assert all(disk.occupation() for disk in disks.values())
    if gone in ("sda", "sda2"):
        assert disks["sdb"] == before["sdb"]
    if gone == "sda":
        assert [one.type for one in disks["sda"].signatures] == [UNREADABLE]


def test_paths_whose_multipath_device_vanished_are_listed_each() -> None:
    stack = Stack(2)
    over = stack.on("mpath", *stack.drives)
    assert stack.machine().disks().keys() == {over["kname"]}
    assert stack.machine(gone=(over["kname"],)).disks().keys() == {"sda", "sdb"}


def test_attributes_that_cannot_be_read_free_no_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = Stack(4)
    raid(stack)
    mounted(stack.on("part", stack.on("mpath", stack.drives[3])), "/srv")
    machine = stack.machine()
    before = machine.disks()
    real = machine.read

    def read(path: str) -> str:
        if path.startswith("/sys/"):
            raise OSError(5, "Input/output error", path)
        return real(path)

    monkeypatch.setattr(machine, "read", read)
    for name, disk in machine.disks().items():
        was = before[name]
        kept = ("used_by_system", "partitions", "holders", "is_swap", "size_bytes", "paths")
        assert [getattr(disk, field) for field in kept] == [getattr(was, field) for field in kept]
        assert (disk.is_busy(), bool(disk.occupation())) == (was.is_busy(), bool(was.occupation()))
