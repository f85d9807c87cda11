"""A client of QEMU's machine protocol: one command, its answer, and events with a deadline."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.machines.model import MachineError
from tests.machines.pace import deadline
from tests.machines.sockets import connect_unix

Arguments = dict[str, Any]
"""QEMU's own JSON; the command defines its structure."""

_ANSWER_DEADLINE_S = 60.0


class QmpError(MachineError):
    """QEMU refused a command."""


class Qmp:
    """A connection to the monitor socket; QEMU serves one at a time."""

    def __init__(self, path: Path) -> None:
        try:
            self._link = connect_unix(path, _ANSWER_DEADLINE_S)
        except OSError as error:
            raise MachineError(f"no QEMU monitor at {path} ({error}): the guest is not running") from error
        self._buffer = b""
        self._events: list[Arguments] = []
        try:
            self._receive(deadline(_ANSWER_DEADLINE_S))  # the greeting
            self.execute("qmp_capabilities")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Qmp:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the monitor to the next one."""
        self._link.close()

    def execute(self, command: str, **arguments: Any) -> Any:
        """The command's return value; QmpError when QEMU refuses it."""
        named = {key.replace("_", "-"): value for key, value in arguments.items()}
        return self.execute_raw(command, named)

    def execute_raw(self, command: str, arguments: Arguments) -> Any:
        """As `execute`, for arguments whose names are not Python names."""
        self._link.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        end = deadline(_ANSWER_DEADLINE_S)
        while True:
            message = self._receive(end)
            if "return" in message:
                return message["return"]
            if "error" in message:
                raise QmpError(f"QEMU refused {command} {arguments}: {message['error']['desc']}")
            self._events.append(message)

    def wait_event(self, name: str, field: str, value: str, deadline_s: float) -> None:
        """Return when the event with `field` equal to `value` came; MachineError after the deadline."""
        end = deadline(deadline_s)
        while True:
            for message in self._events:
                if message.get("event") == name and message.get("data", {}).get(field) == value:
                    return
            self._events.clear()
            if time.monotonic() > end:
                raise MachineError(f"QEMU did not report {name} for {value} within {deadline_s:.0f} s")
            self._events.append(self._receive(end))

    def _receive(self, end: float) -> Arguments:
        while b"\n" not in self._buffer:
            left = end - time.monotonic()
            if left <= 0:
                raise MachineError("QEMU's monitor gave no answer in time; the emulator hangs or is overloaded")
            self._link.settimeout(left)
            try:
                data = self._link.recv(65536)
            except TimeoutError:
                continue
            except ConnectionResetError:
                data = b""
            if not data:
                raise MachineError("QEMU closed its monitor: it ended; see processes.log in the machine's folder")
            self._buffer += data
        text, self._buffer = self._buffer.split(b"\n", 1)
        message: Arguments = json.loads(text)
        return message


def answers(path: Path) -> bool:
    """Whether QEMU's monitor answers, which it does once all devices are made.

    Its socket's file is there before that, and for a moment before anybody listens on it.
    """
    try:
        Qmp(path).close()
    except MachineError:
        return False
    return True
