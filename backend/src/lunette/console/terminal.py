"""Lines, questions and pages on a terminal: a screen of the machine, or a dumb serial one of 80 x 24 without colors.

Keys are read one by one, so that no key is a signal: Ctrl-C, Ctrl-\\, Ctrl-Z and BREAK end a question, not
the program.
"""

import codecs
import contextlib
import os
import select
import termios
import textwrap
import time
from collections.abc import Callable, Sequence

COLUMNS, ROWS = 79, 24
"""One column less than the terminal has: a character in the last one makes some terminals begin a line."""
PAGE = ROWS - 2
IDLE_S = 600.0
"""Idle time after which a question ends, and the screen returns."""
LOOK_S = 1.0
MAX_INPUT = 1024
"""Maximum bytes of one line; further input is dropped."""
_ASCII = str.maketrans({"×": "x", "–": "-", "—": "-", "…": "...", "’": "'", "“": '"', "”": '"', "·": "*", "≥": ">="})
_ENTER, _ERASE, _ERASE_LINE, _CANCEL, _ESCAPE = b"\r\n", b"\x7f\x08", b"\x15", b"\x03\x04\x1a\x1c", b"\x1b"
_BLANK = b"\b \b"


class Cancelled(Exception):
    """The user pressed Ctrl-C or Ctrl-D, or did not answer for IDLE_S."""


class HungUp(Exception):
    """The terminal is gone."""


class Terminal:
    """One terminal, given as the descriptors of its two directions; both may be the same. Use as a context manager."""

    def __init__(self, keys: int = 0, screen: int = 1, *, idle_s: float = IDLE_S) -> None:
        self._keys, self._screen, self._idle_s = keys, screen, idle_s
        self._typed = b""
        self._after_return = False
        self._before: list[int | list[bytes | int]] | None = None

    def __enter__(self) -> "Terminal":
        self._before = termios.tcgetattr(self._keys)
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()

    def take(self) -> None:
        """Reads single keys from now on; none is a signal or stops the output."""
        flags = termios.tcgetattr(self._keys)
        flags[0] &= ~(termios.BRKINT | termios.IXON | termios.IXOFF | termios.INLCR | termios.IGNCR | termios.ICRNL)
        flags[0] |= termios.IGNBRK
        flags[1] |= termios.OPOST | termios.ONLCR
        flags[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
        termios.tcsetattr(self._keys, termios.TCSANOW, flags)

    def give_back(self) -> None:
        """Restores the terminal; one that is gone needs nothing."""
        if self._before is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._keys, termios.TCSANOW, self._before)

    def say(self, *lines: str) -> None:
        """Lines, broken where the terminal ends. Raises HungUp."""
        self._write("".join(f"{line}\n" for line in broken(lines)))

    def show(self, *lines: str) -> None:
        """Lines, page by page; Ctrl-C ends them. Raises HungUp, Cancelled."""
        left = broken(lines)
        while left:
            self._write("".join(f"{line}\n" for line in left[:PAGE]))
            left = left[PAGE:]
            if left:
                self.ask("-- Enter: more --")

    def ask(self, question: str, *, secret: bool = False) -> str:
        """A line of input, without surrounding spaces; of a secret every character. Raises Cancelled, HungUp."""
        answer = self.read_line(f"{question} ", self._idle_s, secret=secret)
        if answer is None:
            self._write("\n")
            raise Cancelled
        return answer if secret else answer.strip()

    def pause(self) -> None:
        """Waits until the user has read the page."""
        self.ask("-- Enter: back to the menu --")

    def choose(self, question: str, count: int) -> int | None:
        """A number from 1 to `count`, None for an empty line. Raises Cancelled, HungUp."""
        while True:
            answer = self.ask(f"{question} (1-{count}, Enter: none):" if count > 1 else f"{question} (1, Enter: none):")
            if not answer:
                return None
            if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= count:
                return int(answer)
            self.say(f"{shortened(answer)} is not one of the choices.")

    def is_typed(self, question: str, word: str) -> bool:
        """True if the user types exactly this word. Input from before the question does not count."""
        with contextlib.suppress(termios.error):  # a terminal that is gone is noticed when it is read
            termios.tcflush(self._keys, termios.TCIFLUSH)
        self._typed = b""
        return self.ask(question) == word

    def read_line(
        self, prompt: str, idle_s: float, *, secret: bool = False, until: Callable[[], bool] = lambda: False
    ) -> str | None:
        """A line; None if no key came for `idle_s` seconds, or if `until` becomes true while nothing was typed.

        It is checked every second. Raises Cancelled, HungUp.
        """
        self._write(prompt)
        line = bytearray()
        end = time.monotonic() + idle_s
        while True:
            key = self._key(min(end, time.monotonic() + LOOK_S))
            if key is None:
                if time.monotonic() >= end or (not line and until()):
                    return None
                continue
            end = time.monotonic() + idle_s
            if key in _ENTER:
                self._write("\n")
                return codecs.decode(bytes(line), "utf-8", "ignore")
            if key in _CANCEL:
                self._write("^C\n")
                raise Cancelled
            self._edit(line, key, secret=secret)

    def _edit(self, line: bytearray, key: bytes, *, secret: bool) -> None:
        if key in _ERASE:
            self._erase(line, 1)
        elif key in _ERASE_LINE:
            self._erase(line, len(line))
        elif key == _ESCAPE:
            self._skip_sequence()
        elif key >= b" " and len(line) < MAX_INPUT:
            line += key
            if not secret:
                self._put(key)
            elif key[0] & 0xC0 != 0x80:
                self._put(b"*")

    def _erase(self, line: bytearray, count: int) -> None:
        for _ in range(count):
            while line and line[-1] & 0xC0 == 0x80:  # the rest of a character of several bytes
                line.pop()
            if line:
                line.pop()
                self._put(_BLANK)

    def _skip_sequence(self) -> None:
        """Arrows and function keys: ESC [ ... letter, ESC O letter. A lone ESC is nothing."""
        end = time.monotonic() + 0.1
        key = self._key(end)
        if key is None or key not in b"[O":
            return
        while key is not None:
            key = self._key(end)
            if key is not None and b"@" <= key <= b"~":
                return

    def _key(self, end: float) -> bytes | None:
        """The next byte; None after `end` (monotonic). The second half of CR LF is none."""
        while True:
            if not self._typed and not self._fill(end):
                return None
            key, self._typed = self._typed[:1], self._typed[1:]
            is_second = key == b"\n" and self._after_return
            self._after_return = key == b"\r"
            if not is_second:
                return key

    def _fill(self, end: float) -> bool:
        ready, _, _ = select.select([self._keys], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return False
        try:
            self._typed = os.read(self._keys, 256)
        except OSError as error:
            raise HungUp from error
        if not self._typed:
            raise HungUp
        return True

    def _write(self, text: str) -> None:
        self._put(safe(text).encode("ascii", "replace"))

    def _put(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._screen, data) :]
        except OSError as error:
            raise HungUp from error


def safe(text: str) -> str:
    """Text in ASCII. Names from disks or hosts may contain terminal control codes: they are shown as `?`."""
    plain = text.translate(_ASCII)
    return "".join(one if " " <= one <= "~" or one == "\n" else "?" for one in plain)


def shortened(text: str, most: int = 40) -> str:
    """Input of the user, in a form that can be repeated in a message."""
    return text if len(text) <= most else f"{text[:most]}..."


def broken(lines: Sequence[str]) -> list[str]:
    """Lines that fit, each with the indent of the line it continues."""
    found = []
    for line in (part for one in lines for part in one.split("\n")):
        plain = safe(line)
        indent = plain[: len(plain) - len(plain.lstrip())]
        found += textwrap.wrap(
            plain,
            COLUMNS,
            subsequent_indent=f"{indent}  ",
            break_on_hyphens=False,
            drop_whitespace=True,
            replace_whitespace=False,
        ) or [""]
    return found
