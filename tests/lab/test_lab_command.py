"""`make lab` says why it ended: on its own, or because it was stopped."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.lab import __main__ as lab_command
from tests.lab.__main__ import Progress
from tests.machines.model import MachineError
from tests.machines.qemu import Qemu


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for machines, of which none is booted here."""
    monkeypatch.setenv("LUNETTE_STATE", str(tmp_path / "run"))
    monkeypatch.setattr(Qemu, "accelerator", "none")
    return tmp_path / "run"


def test_a_failure_before_there_is_a_machine_keeps_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(lab: Qemu, say: Progress) -> None:
        raise OSError(28, "no space left on the device")

    monkeypatch.setattr(lab_command, "_furnish", fail)
    with pytest.raises(OSError, match="no space left"):
        lab_command.up()


def test_a_lab_that_was_stopped_from_elsewhere_says_so(monkeypatch: pytest.MonkeyPatch, state: Path) -> None:
    def stopped(lab: Qemu, say: Progress) -> None:
        lab._record = lab._folder.create(lab.kind, {}, kept=True)
        shutil.rmtree(state / "lab")
        raise MachineError("the console of the guest closed")

    monkeypatch.setattr(lab_command, "_furnish", stopped)
    with pytest.raises(SystemExit, match="stopped from elsewhere"):
        lab_command.up()
