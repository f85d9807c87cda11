"""Looking at the drives costs no time at those that cannot answer."""

from collections.abc import Sequence

from lunette.providers.disks import smart
from lunette.providers.disks.inventory import UNREADABLE, observe_disks
from lunette.system.doorway import CommandResult
from lunette.system.fake.machine import FakeSystem


class _Watched(FakeSystem):
    """Three drives with a partition table each: the first is local, the second remote, the third has been given up."""

    def __init__(self) -> None:
        super().__init__()
        self.read_devices: list[str] = []
        self.names = [disk.kernel_name for disk in self.add_disks(3, transport="sas")]

    def run(
        self, argv: Sequence[str], *, timeout_s: float = 60.0, stdin: str | None = None, ok: tuple[int, ...] = (0,)
    ) -> CommandResult:
        if argv[0] == "wipefs":
            self.read_devices += [word for word in argv if word.startswith("/dev/")]
        return super().run(argv, timeout_s=timeout_s, stdin=stdin, ok=ok)

    def realpath(self, path: str) -> str:
        if path == f"/sys/block/{self.names[1]}":
            return f"/sys/devices/platform/host0/rport-1:0-2/target1:0:0/1:0:0:1/block/{self.names[1]}"
        return super().realpath(path)

    def read(self, path: str) -> str:
        if path == f"/sys/block/{self.names[2]}/device/state":
            return "offline\n"
        return super().read(path)


def test_a_drive_over_a_fabric_or_given_up_by_the_kernel_is_not_read() -> None:
    system = _Watched()
    local, remote, dead = system.names
    disks = {disk.kernel_name: disk for disk in observe_disks(system)}
    assert system.read_devices == [f"/dev/{local}"]
    assert disks[remote].fabric
    assert disks[remote].is_busy()
    assert [(found.type, found.label) for found in disks[dead].signatures] == [(UNREADABLE, "the kernel says offline")]


def test_a_drive_over_two_ports_is_one_disk_and_its_second_path_is_never_used() -> None:
    machine = FakeSystem()
    first, second, other = machine.add_disks(3, transport="sas")
    second.serial, second.wwn = first.serial, first.wwn
    other.wwn = first.wwn  # a maker that gives all its drives one
    machine.changed()
    disks = {disk.kernel_name: disk for disk in observe_disks(machine)}
    paths = [disks[first.kernel_name], disks[second.kernel_name]]
    assert sorted(bool(path.other_path_of) for path in paths) == [False, True]
    (further,) = [path for path in paths if path.other_path_of]
    assert further.is_busy()
    assert "a second path to disk" in (further.occupation() or "")
    assert not smart.tells(further)
    assert disks[other.kernel_name].other_path_of is None
