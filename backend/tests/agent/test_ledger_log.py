"""What the log of the boot ledger survives: lost keys, holes, kills before a flush, full drives, older agents."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from backend.tests.agent.exports import id_of
from backend.tests.agent.test_ledger import LOG, PATH, document, stored
from backend.tests.fakemachine import FakeSystem
from lunette.agent.core import Agent
from lunette.agent.ledger import STATE_DIR, Broken, Ledger
from lunette.domain.export_change import ExportChange, LunChange
from lunette.system import local
from lunette.system.local import LocalSystem


class Reserve:
    """Gives room whenever it is asked to."""

    def give(self, _folder: str) -> bool:
        return True


@pytest.fixture
def machine() -> FakeSystem:
    """With a document and one change of it."""
    made = FakeSystem()
    ledger = Ledger(made)
    ledger.save(document(1, 11))
    ledger.save(document(2, 12), document(1, 11))
    return made


def log_of(machine: FakeSystem) -> bytes:
    found = machine.read_file(LOG)
    assert found
    return found


def test_a_lost_key_is_replaced_with_the_whole_document() -> None:
    machine = FakeSystem()
    ledger = Ledger(machine)
    ledger.save(document(1, 11))
    machine.unlink(f"{STATE_DIR}/ledger.key")
    ledger.save(document(2, 12), document(1, 11))
    assert ledger.unkept is None
    assert stored(machine) == document(2, 12)


def test_a_broken_log_is_set_aside_with_its_document(machine: FakeSystem) -> None:
    machine.write_durably(LOG, b"rotten" + log_of(machine)[6:])
    again = Ledger(machine)
    with pytest.raises(Broken):
        again.load()
    again.set_aside()
    machine.faults.break_calls(lambda call: call.name == "unlink" and call.detail == LOG)
    again.save(document(3, 13))
    machine.faults.disarm()
    assert again.unkept is None
    assert stored(machine) == document(3, 13)


def test_a_last_line_with_a_hole_is_an_incomplete_one(machine: FakeSystem) -> None:
    """A line across a block boundary: the new block and the size are on the drive, the old block is not."""
    ledger = Ledger(machine)
    ledger.load()
    whole = log_of(machine)
    ledger.save(document(3, 13), document(2, 12))
    both = log_of(machine)
    machine.write_durably(LOG, whole + b"\0" * 400 + both[len(whole) + 400 :])
    assert stored(machine) == document(2, 12)


def test_what_a_killed_agent_appended_is_durable_before_it_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = LocalSystem()
    ledger = Ledger(system, str(tmp_path))
    ledger.save(document(1, 11))

    class Killed(BaseException):
        """The end of the process."""

    def killed(_handle: int) -> None:
        raise Killed

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(Killed):
        ledger.save(document(2, 12), document(1, 11))
    flushed: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda handle: flushed.append(os.readlink(f"/proc/self/fd/{handle}")))
    assert Ledger(system, str(tmp_path)).load() == document(2, 12)
    assert str(tmp_path / "ledger.log") in flushed


def failing_write(monkeypatch: pytest.MonkeyPatch, written: int) -> None:
    """The next write of a line ends after so many bytes, and the drive is full."""
    write, failures = os.write, [written]

    def once(handle: int, data: bytes) -> int:
        if not failures:
            return write(handle, data)
        if part := failures.pop():
            return write(handle, data[:part])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", once)


def test_a_new_log_on_a_full_drive_is_flushed_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[str] = []
    monkeypatch.setattr(local, "_flush_folder", flushed.append)
    failing_write(monkeypatch, 0)
    LocalSystem(Reserve()).append_durably(str(tmp_path / "log"), b"line\n")  # type: ignore[arg-type]
    assert (tmp_path / "log").read_bytes() == b"line\n"
    assert flushed == [str(tmp_path)]


def test_a_part_of_a_line_that_cannot_be_cut_off_is_not_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """btrfs may refuse to truncate on a full drive; there is room again when the reserve is given."""
    system = LocalSystem(Reserve())  # type: ignore[arg-type]
    ledger = Ledger(system, str(tmp_path))
    ledger.save(document(1, 11))
    ledger.save(document(2, 12), document(1, 11))

    def refused(_handle: int, _size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    failing_write(monkeypatch, 10)
    monkeypatch.setattr(os, "ftruncate", refused)
    ledger.save(document(3, 13), document(2, 12))
    assert ledger.unkept is None
    monkeypatch.undo()
    assert Ledger(LocalSystem(), str(tmp_path)).load() == document(3, 13)


def format_of(machine: FakeSystem) -> int:
    """Agents that know no log serve format 1 only."""
    key, sealed = (machine.read_file(path) for path in (f"{STATE_DIR}/ledger.key", PATH))
    assert key
    assert sealed
    found: int = json.loads(Fernet(key).decrypt(sealed))["format"]
    return found


def rewritten(machine: FakeSystem, **update: object) -> None:
    """Changes fields of the stored document."""
    key, sealed = (machine.read_file(path) for path in (f"{STATE_DIR}/ledger.key", PATH))
    assert key
    assert sealed
    changed = json.loads(Fernet(key).decrypt(sealed)) | update
    machine.write_durably(PATH, Fernet(key).encrypt(json.dumps(changed).encode()), 0o600)


def test_an_agent_that_is_stopped_leaves_a_document_that_an_older_one_serves(machine: FakeSystem) -> None:
    assert format_of(machine) == 3
    Agent(machine).stop(1.0)
    assert machine.read_file(LOG) is None
    assert format_of(machine) == 1
    assert stored(machine) == document(2, 12)


def test_the_log_of_an_agent_of_before_is_read_and_not_continued(machine: FakeSystem) -> None:
    """That agent would serve the document after a failed update, without the LUNs that a line of this one names."""
    rewritten(machine, format=2)
    again = Ledger(machine)
    assert again.load() == document(2, 12)
    assert format_of(machine) == 2
    again.save(document(3, 13), document(2, 12))
    assert format_of(machine) == 3
    assert machine.read_file(LOG) is None
    assert stored(machine) == document(3, 13)


def test_a_line_about_luns_of_a_target_that_is_not_in_the_document_makes_the_ledger_unreadable() -> None:
    machine = FakeSystem()
    Ledger(machine).save(document(1, 11))
    luns = LunChange(target_id=id_of(9), gone_mappings=(id_of(8),))
    change = ExportChange(generation=2, released=(), target_luns=(luns,))
    key, sealed = (machine.read_file(path) for path in (f"{STATE_DIR}/ledger.key", PATH))
    assert key
    assert sealed
    line = {"id": json.loads(Fernet(key).decrypt(sealed))["id"], "base": 1, "change": change.model_dump(mode="json")}
    machine.append_durably(LOG, Fernet(key).encrypt(json.dumps(line).encode()) + b"\n", 0o600)
    with pytest.raises(Broken):
        Ledger(machine).load()


@pytest.mark.parametrize("broken", ["write_durably", "unlink"])
def test_a_stop_that_cannot_write_loses_nothing(machine: FakeSystem, broken: str) -> None:
    agent = Agent(machine)
    machine.faults.break_calls(lambda call: call.name == broken)
    agent.stop(1.0)
    machine.faults.disarm()
    assert stored(machine) == document(2, 12)
    again = Ledger(machine)
    assert again.load() == document(2, 12)
    again.save(document(3, 13), document(2, 12))
    assert stored(machine) == document(3, 13)
