"""The framing of commands on a console, tried on a real bash at a real tty."""

import contextlib
import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.machines.model import MachineError
from tests.machines.shell import GuestShell, Line

PACKED = re.compile(rb"H4sI[A-Za-z0-9+/=]*")
"""Output as it travels: what gzip writes begins so in base64."""


class TtyLine:
    """The master side of a pseudo-terminal.

    It loses the first character of as many lines as `losing` says, and with `losing_output` all of a command's output.
    """

    def __init__(self, master: int) -> None:
        self._master = master
        self.losing, self.losing_output = 0, False

    def send(self, data: bytes) -> None:
        if data.startswith(b"C+=") and self.losing:
            self.losing -= 1
            data = data[1:]
        while data:
            data = data[os.write(self._master, data) :]

    def receive(self, timeout_s: float) -> bytes:
        ready, _, _ = select.select([self._master], [], [], timeout_s)
        arrived = os.read(self._master, 65536) if ready else b""
        return PACKED.sub(b"", arrived) if self.losing_output else arrived


@pytest.fixture
def tty() -> Iterator[TtyLine]:
    master, slave = pty.openpty()
    bash = subprocess.Popen(["bash", "-i"], stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    try:
        yield TtyLine(master)
    finally:
        bash.kill()
        bash.wait()
        os.close(master)


@pytest.fixture
def shell(tty: TtyLine, tmp_path: Path) -> GuestShell:
    @contextlib.contextmanager
    def line() -> Iterator[Line]:
        yield tty

    return GuestShell(line, tmp_path / "lock")


def test_output_and_status_come_back_whole(shell: GuestShell) -> None:
    assert shell.run("printf 'a  b\\n\\n'; exit 3", 60.0) == (3, "a  b\n\n")


def test_a_command_without_output_answers_with_nothing(shell: GuestShell) -> None:
    assert shell.run("true", 60.0) == (0, "")
    assert shell.run("exit 4", 60.0) == (4, "")


def test_output_that_was_lost_on_the_console_is_not_taken_for_none(shell: GuestShell, tty: TtyLine) -> None:
    tty.losing_output = True
    assert shell.run("true", 60.0) == (0, "")
    with pytest.raises(MachineError, match="damaged"):
        shell.run("echo something", 60.0)


def test_an_argument_vector_is_not_read_by_a_shell(shell: GuestShell) -> None:
    awkward = ["$HOME", "a'b\"c", "*", "; exit 9", "@E", "ü"]
    assert shell.run(["printf", "%s|", *awkward], 60.0) == (0, "".join(f"{word}|" for word in awkward))


def test_error_output_is_shown_only_when_the_command_failed(shell: GuestShell) -> None:
    assert shell.run("echo out; echo err >&2", 60.0) == (0, "out\n")
    assert shell.run("echo out; echo err >&2; false", 60.0) == (1, "out\nerr\n")


def test_a_command_longer_than_a_tty_line_arrives(shell: GuestShell) -> None:
    text = "x" * 20000
    assert shell.run(f"echo {text}", 60.0) == (0, text + "\n")


def test_much_output_arrives(shell: GuestShell) -> None:
    rc, out = shell.run("seq 200000", 60.0)
    assert rc == 0
    assert out == "".join(f"{number}\n" for number in range(1, 200001))


def test_a_command_that_hangs_is_killed_and_the_shell_goes_on(shell: GuestShell, tmp_path: Path) -> None:
    has_spoken, seconds = tmp_path / "spoken", 0.25
    while not has_spoken.exists():  # it is killed before it has begun where others keep the processors
        seconds *= 2
        code, said = shell.run(f"echo before; touch {has_spoken}; sleep 100", seconds)
        assert code == 124
    assert said == "before\n"
    assert shell.run("echo after", 60.0) == (0, "after\n")


def test_noise_on_the_console_between_commands_does_no_harm(shell: GuestShell, tmp_path: Path) -> None:
    go, reported = tmp_path / "go", tmp_path / "told"
    noise = f"until [ -e {go} ]; do sleep 0.05; done; echo '@B @E 0 noise' >/dev/tty; touch {reported}"
    assert shell.run(f"({noise}) >/dev/null 2>&1 &", 60.0) == (0, "")
    go.touch()
    while not reported.exists():
        time.sleep(0.01)
    assert shell.run("echo clean", 60.0) == (0, "clean\n")


def test_a_command_of_which_the_line_lost_a_part_is_sent_again(shell: GuestShell, tty: TtyLine) -> None:
    tty.losing = 2
    assert shell.run("echo whole", 60.0) == (0, "whole\n")


def test_nothing_runs_of_a_command_that_never_arrives_whole(shell: GuestShell, tty: TtyLine, tmp_path: Path) -> None:
    tty.losing = 100
    with pytest.raises(MachineError, match="nothing was run"):
        shell.run(f"touch {tmp_path}/ran {'x' * 2000}", 60.0)
    assert not (tmp_path / "ran").exists()
