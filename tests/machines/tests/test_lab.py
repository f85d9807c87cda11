"""A machine of the real world: the guard lets it pass before anything changes it.

ssh and the chassis' controller are programs on the PATH that write down how they were called.
"""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.machines.lab import Lab
from tests.machines.lab_guard import UnsafeMachine
from tests.machines.model import MachineError

SSH = """#!/bin/sh
for last; do :; done
printf 'ssh %s\\n' "$last" >> {folder}/log
[ -e {folder}/up ] || exit 255
case $last in
    *chassis_serial*) cat {folder}/chassis ;;
    *lsblk*) cat {folder}/lsblk ;;
    *) echo answered ;;
esac
"""
POWER = """#!/bin/sh
echo "power $1" >> {folder}/log
case $1 in
    on) touch {folder}/up ;;
    off) rm -f {folder}/up ;;
esac
"""
LOOKS = (
    "true",
    "cat /sys/class/dmi/id/chassis_serial",
    "lsblk --json --bytes -o NAME,TYPE,SERIAL,SIZE,TRAN,ID-LINK,MOUNTPOINTS",
)
LISTED = """
[machines.rack]
address = "192.0.2.10"
ssh = "root@192.0.2.10"
chassis_serial = "CHASSIS1"
system_disk = "S0"
disks = ["S1", "S2"]
capabilities = ["power_cut"]
"""


class Rack:
    """What the machine is, and what reached it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in {"ssh": SSH, "power": POWER}.items():
            (folder / name).write_text(text.format(folder=folder))
            (folder / name).chmod(0o755)
        self.says("CHASSIS1", "S0", "S1", "S2")

    def says(self, chassis: str, *serials: str) -> None:
        disks = [
            {
                "name": f"nvme{n}n1",
                "type": "disk",
                "serial": serial,
                "size": 1 << 30,
                "tran": "nvme",
                "id-link": f"nvme-{serial}",
                "mountpoints": ["/"] if serial == "S0" else [None],
            }
            for n, serial in enumerate(serials)
        ]
        (self.folder / "chassis").write_text(f"{chassis}\n")
        (self.folder / "lsblk").write_text(json.dumps({"blockdevices": disks}))

    def log(self) -> list[str]:
        """The commands that were sent to the root shell of the machine and to its controller."""
        path = self.folder / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [shlex.split(line)[-1] if line.startswith("ssh ") else line for line in lines]

    def changes(self) -> list[str]:
        return [line for line in self.log() if line not in LOOKS]


@pytest.fixture
def rack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rack:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("LUNETTE_LAB", str(tmp_path / "lab.toml"))
    power = "".join(f'{verb} = ["power", "{verb}"]\n' for verb in ("on", "off", "reset"))
    (tmp_path / "lab.toml").write_text(f"{LISTED}[machines.rack.power]\n{power}")
    made = Rack(tmp_path)
    (tmp_path / "up").touch()
    return made


CALLS: dict[str, Callable[[Lab], object]] = {
    "run": lambda lab: lab.run("true"),
    "check": lambda lab: lab.check(["wipefs", "--all", "/dev/nvme1n1"]),
    "kill": Lab.kill,
    "power_cut": Lab.power_cut,
    "reset": Lab.reset,
    "stop": Lab.stop,
    "disks": lambda lab: lab.disks,
    "disk": lambda lab: lab.disk("S1"),
}


@pytest.mark.parametrize("call", CALLS)
def test_nothing_reaches_a_machine_that_was_not_checked(rack: Rack, call: str) -> None:
    with pytest.raises(MachineError, match=r"call start\(\) first"):
        CALLS[call](Lab("rack"))
    assert rack.log() == []


@pytest.mark.parametrize(
    ("chassis", "serials", "reason"),
    [
        ("ANOTHER", ("S0", "S1", "S2"), "chassis serial is ANOTHER"),
        ("CHASSIS1", ("S0", "S1", "S2", "S9"), "disk nvme-S9 is not listed"),
        ("CHASSIS1", ("S0", "S1"), "listed disk S2 is not in it"),
    ],
)
def test_another_machine_is_looked_at_and_then_left_alone(
    rack: Rack, chassis: str, serials: tuple[str, ...], reason: str
) -> None:
    rack.says(chassis, *serials)
    lab = Lab("rack")
    with pytest.raises(UnsafeMachine, match=reason):
        lab.start()
    looked = rack.log()
    assert set(looked) == set(LOOKS)
    for call in CALLS.values():
        with pytest.raises(MachineError, match=r"call start\(\) first"):
            call(lab)
    assert rack.log() == looked


def test_the_listed_machine_is_used(rack: Rack) -> None:
    lab = Lab("rack")
    lab.start()
    assert rack.changes() == []
    assert [disk.serial for disk in lab.disks] == ["S1", "S2"]
    assert lab.run("whoami") == (0, "answered\n")
    lab.reset()
    lab.power_cut()
    assert rack.changes() == ["whoami", "power reset", "power off"]


def test_a_machine_that_is_off_is_switched_on_and_then_checked(rack: Rack) -> None:
    (rack.folder / "up").unlink()
    Lab("rack").start()
    assert rack.log() == ["true", "power on", *LOOKS]


def test_a_machine_that_was_off_is_checked_again(rack: Rack) -> None:
    """The drives may have been replaced meanwhile."""
    lab = Lab("rack")
    lab.start()
    lab.kill()
    rack.says("CHASSIS1", "S0", "S1", "S9")
    with pytest.raises(UnsafeMachine, match="S9 is not listed"):
        lab.start()
    with pytest.raises(MachineError, match=r"call start\(\) first"):
        lab.run("true")
    assert rack.changes() == ["power off", "power on"]
