"""A person at a terminal of 80 x 24: reads what a program shows, and types."""

import os
import pty
import select
import threading
import time
from collections.abc import Callable
from typing import Any

from tests.machines.pace import deadline

DEADLINE_S = 90.0


class Typist:
    """Runs a program of this process in a thread, on the far end of a pseudo terminal."""

    def __init__(self, program: Callable[[int], Any]) -> None:
        """`program` gets the descriptor of its terminal."""
        self._ours, self._theirs = pty.openpty()
        self.seen = ""
        """What came since the last `until`."""
        self.all = ""
        self.raised: BaseException | None = None
        self.answer: Any = None
        self._thread = threading.Thread(target=self._run, args=(program,), daemon=True)
        self._thread.start()

    def _run(self, program: Callable[[int], Any]) -> None:
        try:
            self.answer = program(self._theirs)
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            self.raised = error

    def until(self, text: str) -> str:
        """Reads on until the program has shown this; returns what came since, with it."""
        end = deadline(DEADLINE_S)
        while text not in self.seen:
            runs = self._thread.is_alive()
            came = self._read(0.1 if runs else 2.0)  # the kernel hands over in parts what an ended program showed
            goes_on = time.monotonic() < end if runs else came
            assert goes_on or text in self.seen, f"{text!r} was not shown: {self.seen[-800:]!r}; {self.raised!r}"
        found, _, self.seen = self.seen.partition(text)
        return found + text

    def quiet(self, seconds: float = 0.3) -> str:
        """What comes within this time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._read(0.05)
        found, self.seen = self.seen, ""
        return found

    def type(self, text: str) -> None:
        """Keys, as a terminal sends them: Enter is a carriage return."""
        os.write(self._ours, text.encode())

    def send(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def insist(self, keys: bytes, text: str) -> None:
        """Keys again and again until the program shows this: a question that comes late forgets what came before it."""
        end = deadline(DEADLINE_S)
        while text not in self.seen and time.monotonic() < end:
            self.send(keys)
            again = time.monotonic() + 1.0
            while text not in self.seen and time.monotonic() < again:
                self._read(0.1)
        self.until(text)

    def reply(self, question: str, answer: str) -> str:
        """Waits for a question and answers it; returns what was shown before."""
        shown = self.until(question)
        time.sleep(0.05)  # what is typed before a confirmation does not count
        self.type(f"{answer}\r")
        return shown

    def hang_up(self) -> None:
        """The terminal goes, as a cable that is pulled."""
        if self._ours >= 0:
            os.close(self._ours)
            self._ours = -1

    def ended(self, deadline_s: float = DEADLINE_S) -> Any:
        """What the program returned. Raises what it raised."""
        self._thread.join(deadline_s)
        assert not self._thread.is_alive(), f"it goes on: {self.seen[-400:]!r}"
        if self.raised is not None:
            raise self.raised
        return self.answer

    def close(self) -> None:
        """Hang up, and wait for the program: its descriptor may be reused afterward."""
        self.hang_up()
        self._thread.join(DEADLINE_S)
        os.close(self._theirs)

    def _read(self, seconds: float) -> bool:
        """Whether something came within this time."""
        ready, _, _ = select.select([self._ours], [], [], seconds)
        if ready:
            part = os.read(self._ours, 65536).decode(errors="replace").replace("\r\n", "\n")
            self.seen += part
            self.all += part
        return bool(ready)
