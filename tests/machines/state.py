"""The folder a machine lives in, and the record by which any later process finds and stops it.

`${LUNETTE_STATE:-<cache>/run}/<name>/state.json` names the processes (pid and start time), the host
ports and the settings the machine was made with. A machine is *stale* when the run that owns it died
without cleaning up; a machine with `kept` set (`make lab`) may outlive its owner on purpose.
"""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.machines.model import MachineError
from tests.machines.process import OwnedProcess, group_members, is_alive, kill_group, this_process

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_LOGS = ("console.log", "processes.log")


def cache_root() -> Path:
    """Where results of slow work are stored between runs."""
    given = os.environ.get("LUNETTE_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lunette"


def state_root() -> Path:
    """Where running machines keep their folders."""
    given = os.environ.get("LUNETTE_STATE")
    return Path(given) if given else cache_root() / "run"


@dataclass
class Record:
    """What state.json holds. `settings` are the keyword arguments that make the machine object again."""

    kind: str
    settings: dict[str, int | bool | str]
    owner: OwnedProcess
    kept: bool = False
    processes: dict[str, OwnedProcess] = field(default_factory=dict)
    ports: dict[int, int] = field(default_factory=dict)


def _load(text: str) -> Record:
    raw = json.loads(text)
    return Record(
        kind=raw["kind"],
        settings=raw["settings"],
        owner=OwnedProcess(**raw["owner"]),
        kept=raw["kept"],
        processes={role: OwnedProcess(**process) for role, process in raw["processes"].items()},
        ports={int(guest): host for guest, host in raw["ports"].items()},
    )


class StateFolder:
    """The folder of one machine."""

    def __init__(self, name: str, root: Path | None = None) -> None:
        if not _NAME.fullmatch(name):
            raise MachineError(
                f"machine name {name!r} refused: it names a folder and a host, so use at most 40 of a-z, 0-9 and -"
            )
        self.name = name
        self.path = (root or state_root()) / name

    @property
    def _file(self) -> Path:
        return self.path / "state.json"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Serializes processes that end the machine: the second finds nothing left."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_name(f".{self.name}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def read(self) -> Record | None:
        """The record, or None when there is no such machine."""
        try:
            return _load(self._file.read_text())
        except FileNotFoundError:
            return None

    def write(self, record: Record) -> None:
        """Replace the record in one step, so that a reader never sees half of it."""
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(dataclasses.asdict(record), indent=1))
        fresh.replace(self._file)

    def create(self, kind: str, settings: dict[str, int | bool | str], *, kept: bool) -> Record:
        """Begin a new machine here; refuses while another run's machine of that name is alive."""
        self.clear_stale()
        self.path.mkdir(parents=True, exist_ok=True)
        record = Record(kind=kind, settings=settings, owner=this_process(), kept=kept)
        self.write(record)
        return record

    def clear_stale(self) -> None:
        """Remove what a dead run left behind, its processes first; refuses when the machine is in use."""
        record = self.read()
        if record is not None and self.is_in_use(record):
            raise MachineError(
                f"machine {self.name} is already running (state in {self.path}); "
                f"stop it with: python3 -m tests.machines stop {self.name}"
            )
        self.destroy()

    def is_in_use(self, record: Record) -> bool:
        """Whether a new machine of that name would replace one that is still needed."""
        if record.owner == this_process():
            return _is_running(record)
        return self.is_wanted(record)

    def is_wanted(self, record: Record) -> bool:
        """Whether it has `kept` set and runs, or its owner is alive."""
        if record.kept:
            return _is_running(record)
        return is_alive(record.owner)

    def kill_processes(self) -> None:
        """SIGKILL everything recorded, newest first, and forget it."""
        record = self.read()
        if record is None:
            return
        for process in reversed(record.processes.values()):
            kill_group(process)
        record.processes = {}
        self.write(record)

    def destroy(self, *, keep_logs: bool = False) -> None:
        """Kill the machine's processes and remove its folder; `keep_logs` leaves console and process logs."""
        self.kill_processes()
        if not self.path.exists():
            return
        for entry in self.path.iterdir():
            if keep_logs and entry.name in _LOGS:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        if not keep_logs:
            self.path.rmdir()


def _is_running(record: Record) -> bool:
    return any(group_members(process) for process in record.processes.values())


def recorded_machines() -> list[str]:
    """Names of all machines that have a record."""
    root = state_root()
    if not root.is_dir():
        return []
    return sorted(entry.name for entry in root.iterdir() if (entry / "state.json").is_file())


def sweep() -> list[str]:
    """Remove machines that are no longer needed, with their remaining processes; returns their names."""
    removed = []
    for name in recorded_machines():
        folder = StateFolder(name)
        record = folder.read()
        if record is not None and not folder.is_wanted(record):
            folder.destroy()
            removed.append(name)
    return removed
