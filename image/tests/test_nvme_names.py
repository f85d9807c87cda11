"""Each machine of one image has its own names as an NVMe host, the same ones at every start."""

import subprocess
import uuid
from pathlib import Path

import pytest

from lunette_image.tree import write_file

APPLIANCE = Path(__file__).resolve().parents[1] / "appliance"
SCRIPT = APPLIANCE / "usr/libexec/lunette/name-nvme-host"
UNIT = APPLIANCE / "usr/lib/systemd/system/nvme-host-names.service"
NQN = "nqn.2014-08.org.nvmexpress:uuid:"
UUIDS = ("5d6d5d17-5b4e-4b43-8b0c-3f5a1f5cf0a1", "0f9b1c57-61d2-4c55-9a43-2e7f0d4c8a12")


def start(folder: Path, program: str) -> int:
    """One start of a machine whose /etc/nvme is in `folder`; `program` stands in for systemd-id128."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "name").write_text(SCRIPT.read_text().replace("/etc/nvme", str(folder / "nvme")))
    write_file(folder / "bin/systemd-id128", f"#!/bin/sh\n{program}\n", 0o755)
    argv = ["env", f"PATH={folder}/bin:/usr/bin:/bin", "sh", str(folder / "name")]
    return subprocess.run(argv, capture_output=True, check=False).returncode


def names(folder: Path) -> tuple[str, str]:
    """Host NQN and host identifier."""
    return (folder / "nvme/hostnqn").read_text(), (folder / "nvme/hostid").read_text()


@pytest.mark.parametrize("own", UUIDS)
def test_both_names_are_of_the_machine_and_of_one_uuid(tmp_path: Path, own: str) -> None:
    assert start(tmp_path, f"echo {own}") == 0
    assert names(tmp_path) == (f"{NQN}{own}\n", f"{own}\n")
    assert {path.name for path in (tmp_path / "nvme").iterdir()} == {"hostnqn", "hostid"}


def test_names_that_are_there_stay_and_what_a_power_cut_left_empty_is_filled(tmp_path: Path) -> None:
    start(tmp_path, f"echo {UUIDS[0]}")
    assert start(tmp_path, f"echo {UUIDS[1]}") == 0
    assert names(tmp_path) == (f"{NQN}{UUIDS[0]}\n", f"{UUIDS[0]}\n")
    (tmp_path / "nvme/hostid").write_text("")
    assert start(tmp_path, f"echo {UUIDS[0]}") == 0
    assert names(tmp_path) == (f"{NQN}{UUIDS[0]}\n", f"{UUIDS[0]}\n")


@pytest.mark.parametrize("broken", ["exit 1", "true"])
def test_without_an_identity_of_the_machine_no_names_are_made_up(tmp_path: Path, broken: str) -> None:
    assert start(tmp_path, broken) == 1
    assert not (tmp_path / "nvme").exists()


def test_the_real_program_takes_these_words_and_says_the_same_twice() -> None:
    (line,) = (line for line in SCRIPT.read_text().splitlines() if line.startswith("uuid="))
    argv = line.partition("$(")[2].partition(")")[0].split()
    reported = {subprocess.run(argv, capture_output=True, text=True, check=True).stdout for _ in range(2)}
    (only,) = reported
    assert str(uuid.UUID(only.strip())) == only.strip()


def test_the_unit_is_enabled_in_every_image_and_starts_before_all_others() -> None:
    presets = (APPLIANCE / "usr/lib/systemd/system-preset/01-image.preset").read_text().splitlines()
    assert presets.index(f"enable {UNIT.name}") < presets.index("disable *")
    unit = UNIT.read_text().splitlines()
    assert {"DefaultDependencies=no", "WantedBy=sysinit.target"} <= set(unit)
    assert f"ExecStart=/{SCRIPT.relative_to(APPLIANCE)}" in unit
    assert SCRIPT.stat().st_mode & 0o777 == 0o755
