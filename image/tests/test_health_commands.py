"""The health commands that come with the product, run as the agent runs them, over tools that print what real ones do.

The forms are those of xicli 4.4 (`raid show -f json`: state a list, each device a list of number, path and states) and
of storcli64 7 (`/call/vall show all J`). Nothing here was run on such hardware.
"""

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lunette.domain.health_commands import DeviceHealth, DeviceState, read_health
from lunette.providers.arrays.external.health import FOLDERS

FOLDER = Path(__file__).resolve().parents[1] / "server" / FOLDERS[1].lstrip("/")
Shown = dict[str, Any] | list[dict[str, Any]] | str


def ask(folder: Path, command: str, device: str, tool: str, prints: Shown | None, code: int = 0) -> DeviceHealth:
    """What the command says of the device where the vendor's tool prints this; None: the tool is not installed."""
    if prints is not None:
        text = prints if isinstance(prints, str) else json.dumps(prints)
        (folder / "printed").write_text(text)
        (folder / tool).write_text(f'#!/bin/sh\necho "$@" >{folder}/asked\ncat {folder}/printed\nexit {code}\n')
        (folder / tool).chmod(0o755)
    argv = [sys.executable, "-I", str(FOLDER / command), device]
    path = f"{folder}:/usr/bin:/bin"
    ran = subprocess.run(argv, env={"PATH": path}, capture_output=True, text=True, timeout=30, check=True)
    return read_health(ran.stdout)


def xiraid(*states: str, **more: Any) -> dict[str, Any]:
    devices = [[0, "/dev/nvme1n1", ["online"]], [1, "/dev/nvme2n1", ["offline"]]]
    return {"name": "data", "level": "5", "active": True, "state": list(states), "devices": devices, **more}


def test_every_included_command_can_be_chosen_and_run() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == ["megaraid", "xiraid"]
    for path in FOLDER.iterdir():
        assert path.stat().st_mode & 0o777 == 0o755
        assert path.read_text().startswith("#!/usr/bin/python3 -I\n")


@pytest.mark.parametrize(
    ("words", "state"),
    [
        (("online", "initialized"), DeviceState.HEALTHY),
        (("online", "initialized", "sdc_scanning"), DeviceState.HEALTHY),
        (("online", "initing"), DeviceState.REBUILDING),
        (("online", "degraded", "reconstructing"), DeviceState.REBUILDING),
        (("online", "degraded", "need_recon"), DeviceState.DEGRADED),
        (("online", "initialized", "read_only"), DeviceState.DEGRADED),
        (("offline", "degraded"), DeviceState.FAILED),
        (("reconstructing", "unrecovered"), DeviceState.FAILED),
        (("initialized",), DeviceState.UNKNOWN),
        (("online", "initialized", "transcendent"), DeviceState.UNKNOWN),
        ((), DeviceState.UNKNOWN),
    ],
)
def test_the_worst_word_of_xiraid_is_the_health(tmp_path: Path, words: tuple[str, ...], state: DeviceState) -> None:
    said = ask(tmp_path, "xiraid", "/dev/xi_data", "xicli", [xiraid("online", name="other"), xiraid(*words)])
    assert said.state is state
    assert said.message == f"xiRAID says {', '.join(words) or 'no state'}"
    assert [(one.name, one.state) for one in said.members] == [("/dev/nvme1n1", "online"), ("/dev/nvme2n1", "offline")]
    assert (tmp_path / "asked").read_text() == "raid show -f json\n"


def test_a_reconstruction_of_xiraid_has_its_progress(tmp_path: Path) -> None:
    shown = xiraid("online", "degraded", "reconstructing", recon_progress=42)
    assert ask(tmp_path, "xiraid", "/dev/xi_data", "xicli", [shown]).progress_percent == 42
    assert (
        ask(tmp_path, "xiraid", "/dev/xi_data", "xicli", {"data": shown | {"recon_progress": "-"}}).state
        == "rebuilding"
    )


def virtual_drive(
    state: str, *members: str, number: int = 1, naa: str = "600605b010cbe110", node: str = "/dev/sdb"
) -> Any:
    return {
        f"/c0/v{number}": [{"DG/VD": f"0/{number}", "TYPE": "RAID5", "State": state, "Access": "RW"}],
        f"PDs for VD {number}": [{"EID:Slt": f"252:{slot}", "State": one} for slot, one in enumerate(members)],
        f"VD{number} Properties": {"OS Drive Name": node, "SCSI NAA Id": naa, "Exposed to OS": "Yes"},
    }


def controllers(*drives: Any) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for drive in drives:
        data |= drive
    return {"Controllers": [{"Command Status": {"Status": "Success"}, "Response Data": data}]}


@pytest.mark.parametrize(
    ("drive", "state"),
    [
        (virtual_drive("Optl", "Onln", "Onln"), DeviceState.HEALTHY),
        (virtual_drive("Dgrd", "Onln", "Offln"), DeviceState.DEGRADED),
        (virtual_drive("Pdgd", "Onln", "Failed"), DeviceState.DEGRADED),
        (virtual_drive("Dgrd", "Onln", "Rbld"), DeviceState.REBUILDING),
        (virtual_drive("Rec", "Onln", "Onln"), DeviceState.REBUILDING),
        (virtual_drive("OfLn", "Offln", "Offln"), DeviceState.FAILED),
        (virtual_drive("HD", "Onln", "Onln"), DeviceState.UNKNOWN),
    ],
)
def test_a_virtual_drive_of_a_controller_is_found_by_its_kernel_name(
    tmp_path: Path, drive: Any, state: DeviceState
) -> None:
    """This machine has no such drive, and so no NAA identifier of it in sysfs."""
    healthy = virtual_drive("Optl", "Onln", number=0, naa="600605b0ffffffff", node="/dev/sda")
    (line,) = drive["/c0/v1"]
    said = ask(tmp_path, "megaraid", "/dev/sdb-of-nobody", "storcli64", controllers(healthy, drive))
    assert said.state is DeviceState.UNKNOWN, "another node is another drive"
    drive["VD1 Properties"]["OS Drive Name"] = "/dev/sdb-of-nobody"
    said = ask(tmp_path, "megaraid", "/dev/sdb-of-nobody", "storcli64", controllers(healthy, drive))
    assert said.state is state
    assert said.message == f"virtual drive 0/1, RAID5, is {line['State']}"
    assert [one.name for one in said.members] == ["252:0", "252:1"]
    assert (tmp_path / "asked").read_text() == "/call/vall show all J\n"


def test_a_device_with_a_naa_identifier_is_found_by_it_whatever_the_tool_calls_it() -> None:
    """The tool's kernel names may be those of the last boot."""
    health = runpy.run_path(str(FOLDER / "megaraid"))["health"]
    right = virtual_drive("Dgrd", "Onln", naa="600605B010CBE110", node="/dev/sda")
    wrong = virtual_drive("Optl", "Onln", number=0, naa="600605b0ffffffff", node="/dev/sdb")
    assert health(controllers(right, wrong), "/dev/sdb", "600605b010cbe110")["state"] == "degraded"
    assert health(controllers(wrong), "/dev/sdb", "600605b010cbe110")["state"] == "unknown"


@pytest.mark.parametrize(
    ("command", "device", "tool"),
    [("xiraid", "/dev/xi_data", "xicli"), ("megaraid", "/dev/sdb-of-nobody", "storcli64")],
)
@pytest.mark.parametrize("printed", [None, "", "Controller = 0\n", "[]", "{}", "7", '{"Controllers": [7]}'])
def test_what_is_not_understood_is_never_called_healthy(
    tmp_path: Path, command: str, device: str, tool: str, printed: str | None
) -> None:
    said = ask(tmp_path, command, device, tool, printed)
    assert said.state is DeviceState.UNKNOWN
    assert said.message


def test_a_tool_that_fails_is_quoted(tmp_path: Path) -> None:
    said = ask(tmp_path, "xiraid", "/dev/xi_data", "xicli", "Error: xiraid-core is not running\n", code=2)
    assert said.message == "xicli raid show ended with 2: Error: xiraid-core is not running"
