"""Patterns on a guest's block devices, whatever fabric they came over. The guest has pattern.py in /run/programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.machines.machine import Machine
from tests.machines.model import MachineError

PROGRAMS = Path(__file__).resolve().parent
IN_GUEST = "/run/programs"
_PATTERN = f"python3 -IS {IN_GUEST}/pattern.py"
_IO_TIMEOUT_S = 900.0


class BlockIo:
    """Writes and verifies through a guest's shell. `/run/logs` of the guest holds what was acknowledged."""

    machine: Machine

    def write_pattern(self, device: str, seed: int, blocks: int, first: int = 0) -> None:
        """Write 4 KiB blocks past the page cache and flush them."""
        self.write_patterns({device: seed}, blocks, first)

    def write_patterns(self, seeds: Mapping[str, int], blocks: int, first: int = 0) -> None:
        """The same on several devices, each with its seed."""
        self.machine.check(f"{_PATTERN} write {first} {blocks} {_pairs(seeds)}", timeout_s=_IO_TIMEOUT_S)

    def verify_pattern(self, device: str, seed: int, blocks: int, first: int = 0) -> None:
        """AssertionError naming the first wrong blocks and what they hold."""
        self.verify_patterns({device: seed}, blocks, first)

    def verify_patterns(self, seeds: Mapping[str, int], blocks: int, first: int = 0) -> None:
        """The same on several devices, each with its seed. MachineError where one could not be read to its end."""
        self._judged(f"verify {first} {blocks} {_pairs(seeds)}", list(seeds))

    def start_logged_writer(
        self, device: str, seed: int, blocks: int, seconds: float = 600.0, *, flush: bool = True
    ) -> None:
        """Write block after block in the background, noting each once it is flushed (`flush=False`: once written).

        What is noted lies in this guest's memory, which no power cut of the appliance touches.
        """
        log = _log(device, seed)
        command = f"{_PATTERN} log {device} {seed} {blocks} {log} {seconds} {'flush' if flush else 'no-flush'}"
        self.machine.check(f"rm -f {log}; {command} >{log}.end 2>&1 & echo $! >{log}.pid")

    def acknowledged(self, device: str, seed: int) -> int:
        """How many writes the logged writer has noted so far."""
        return int(self.machine.check(f"cat {_log(device, seed)} 2>/dev/null | wc -l"))

    def stop_logged_writer(self, device: str, seed: int) -> None:
        """Kill the logged writer; one that waits for a lost session dies when that is back or given up."""
        self.machine.check(f"kill -9 $(cat {_log(device, seed)}.pid) 2>/dev/null || true")

    def verify_logged(self, device: str, seed: int, *, spoilt: int = 0) -> int:
        """Check every noted write, AssertionError when one is lost; returns how many blocks there were.

        `spoilt`: so many may be wrong, where the row of a degraded array was cut short in which they lie.
        """
        return self._judged(f"verify-log {device} {seed} {_log(device, seed)}", [device], spoilt)

    def _judged(self, command: str, devices: list[str], spoilt: int = 0) -> int:
        """How many blocks there were in all."""
        result = self.machine.run(f"{_PATTERN} {command}", timeout_s=_IO_TIMEOUT_S)
        lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
        if result.rc not in {0, 1} or len(lines) != len(devices):
            raise MachineError(f"{', '.join(devices)} could not be read to the end: {result.stdout.strip()}")
        reports = dict(zip(devices, map(json.loads, lines), strict=True))
        for device, report in reports.items():
            if report["wrong"] > spoilt:
                raise AssertionError(f"{device}: {report['wrong']} wrong blocks, first {report['first_wrong']}")
        return sum(int(report["blocks"]) for report in reports.values())


def _pairs(seeds: Mapping[str, int]) -> str:
    return " ".join(f"{device} {seed}" for device, seed in seeds.items())


def _log(device: str, seed: int) -> str:
    return f"/run/logs/{Path(device).name}-{seed}"


def put_program(machine: Machine, name: str) -> None:
    """Put a program, by its path from this folder, into a guest that cannot mount the folder itself."""
    program = (PROGRAMS / name).read_text()
    machine.check(f"cat > {IN_GUEST}/{Path(name).name} <<'PROGRAM'\n{program}\nPROGRAM", timeout_s=180.0)
