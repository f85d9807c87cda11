"""A machine's record lets any later process find it, stop it, and learn whether it is still in use."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.machines.model import MachineError
from tests.machines.process import OwnedProcess, group_members, identify, spawn
from tests.machines.state import StateFolder, recorded_machines, sweep
from tests.machines.uml import Uml


@pytest.fixture(autouse=True)
def own_state_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LUNETTE_STATE", str(tmp_path / "run"))
    return tmp_path / "run"


def dead_process() -> OwnedProcess:
    """The identity of a process that ran and ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        known = identify(child.pid)
        child.communicate(b"\n")
    return known


def running_in(folder: StateFolder) -> OwnedProcess:
    return spawn(["sleep", "100"], folder.path / "processes.log", cwd=folder.path)


def test_a_record_survives_being_written_and_read() -> None:
    folder = StateFolder("one")
    record = folder.create("qemu", {"nvme": 8, "power_cut": True}, kept=True)
    record.ports[8443] = 40000
    record.processes["qemu"] = record.owner
    folder.write(record)
    assert StateFolder("one").read() == record
    assert recorded_machines() == ["one"]


@pytest.mark.parametrize("name", ["", "UP", "a/b", "../etc", "-x", "a" * 41])
def test_a_name_that_is_no_host_name_is_refused(name: str) -> None:
    with pytest.raises(MachineError, match="machine name"):
        StateFolder(name)


def test_a_dead_runs_machine_is_cleared_with_its_processes() -> None:
    folder = StateFolder("one")
    record = folder.create("qemu", {}, kept=False)
    record.owner = dead_process()
    left = record.processes["qemu"] = running_in(folder)
    folder.write(record)
    (folder.path / "root.qcow2").write_text("old")
    folder.create("qemu", {}, kept=False)
    assert group_members(left) == []
    assert not (folder.path / "root.qcow2").exists()


def test_a_kept_machine_that_runs_is_not_replaced() -> None:
    folder = StateFolder("lab")
    record = folder.create("qemu", {}, kept=True)
    record.owner = dead_process()
    record.processes["qemu"] = running_in(folder)
    folder.write(record)
    with pytest.raises(MachineError, match=r"python3 -m tests\.machines stop lab"):
        StateFolder("lab").create("qemu", {}, kept=True)
    assert sweep() == []
    folder.destroy()
    assert not folder.path.exists()


def test_sweep_removes_only_what_nobody_wants() -> None:
    mine, dead = StateFolder("mine"), StateFolder("dead")
    mine.create("uml", {}, kept=False)
    record = dead.create("uml", {}, kept=False)
    record.owner = dead_process()
    dead.write(record)
    assert sweep() == ["dead"]
    assert recorded_machines() == ["mine"]


def test_a_failed_machine_leaves_its_logs_and_nothing_else() -> None:
    folder = StateFolder("one")
    folder.create("qemu", {}, kept=False)
    for name in ("console.log", "processes.log", "root.qcow2"):
        (folder.path / name).write_text("x")
    folder.destroy(keep_logs=True)
    assert sorted(entry.name for entry in folder.path.iterdir()) == ["console.log", "processes.log"]
    folder.create("qemu", {}, kept=False)
    assert [entry.name for entry in folder.path.iterdir()] == ["state.json"]


def test_two_who_end_a_machine_at_once_both_end_quietly() -> None:
    """As `make lab-down` in two terminals, or Ctrl-C at the same moment."""
    for _ in range(20):
        folder = StateFolder("one")
        record = folder.create("uml", {"disks": 1}, kept=True)
        left = record.processes["guest"] = running_in(folder)
        folder.write(record)
        both = [Uml("one", disks=1) for _ in range(2)]
        for machine in both:
            machine.attach()
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda machine: machine.discard(), both))
        assert group_members(left) == []
        assert not folder.path.exists()
