"""What a person at a terminal sees and types: tables in its width, names before data goes, Ctrl-C."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from lunette.cli import exits

LUNETTE = [sys.executable, "-c", "import sys; from lunette.cli.main import main; sys.exit(main())"]


@pytest.fixture
def cli(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    with appliance(tmp_path, sqlite_url) as served:
        disks = [line.split()[0] for line in served("disk", "list").out.splitlines()[1:3]]
        array = ("array", "create", "tank", "--level", "raid1", "--disk", disks[0], "--disk", disks[1])
        volumes = ("volume", "create", "a-volume-with-a-long-name-%02d", "--array", "tank", "--size", "16M")
        for words in (array, (*volumes, "--count", "3")):
            ran = served(*words)
            assert ran.code == 0, ran.transcript
        yield served


class Terminal:
    """A `lunette` process at a terminal of its own."""

    def __init__(self, cli: Cli, *words: str, columns: int = 80) -> None:
        ours, theirs = pty.openpty()
        env = {**cli.env, "COLUMNS": str(columns), "TERM": "xterm", "PATH": "/usr/bin:/bin"}
        # Ctrl-C is heard even where all tests were started in the background, by a shell that ignores it for them.
        heard = ["/usr/bin/env", "--default-signal=INT", *LUNETTE, *words]
        self.process = subprocess.Popen(heard, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
        os.close(theirs)
        self.fd, self.seen = ours, ""

    def until(self, text: str) -> None:
        while text not in self.seen:
            try:
                self.seen += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:  # EIO: the other side of the terminal is closed and all is read
                code = self.process.wait(60)
                raise AssertionError(f"ended with exit code {code} before {text!r}; shown: {self.seen!r}") from None

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def end(self) -> int:
        code = self.process.wait(60)
        try:
            while part := os.read(self.fd, 65536):
                self.seen += part.decode(errors="replace")
        except OSError:
            pass  # EIO: the other side of the terminal is closed and all is read
        os.close(self.fd)
        return code


pytestmark = pytest.mark.timeout(120)


def test_a_table_has_one_line_for_each_row_in_the_width_of_the_terminal(cli: Cli) -> None:
    terminal = Terminal(cli, "volume", "list", columns=70)
    assert terminal.end() == 0
    lines = terminal.seen.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
    assert len(lines) == 4
    assert max(map(len, lines)) <= 70
    assert "…" in lines[1]


def test_data_is_deleted_only_after_its_name_was_typed(cli: Cli) -> None:
    name = "a-volume-with-a-long-name-01"
    terminal = Terminal(cli, "volume", "delete", name)
    terminal.until(f"Type {name} to continue:")
    assert "retain deleted volume" in terminal.seen
    assert "for 24 hours" in terminal.seen
    terminal.type("yes\n")
    assert (terminal.end(), "Nothing was changed" in terminal.seen) == (exits.NOT_CONFIRMED, True)
    assert cli("volume", "show", name).code == 0
    terminal = Terminal(cli, "volume", "delete", name)
    terminal.until("to continue:")
    terminal.type(f"{name}\n")
    assert (terminal.end(), f"Deleted volume {name}." in terminal.seen) == (0, True)
    assert "100%" in terminal.seen
    assert cli("volume", "show", name).code == exits.NOT_FOUND


def test_a_bar_shows_how_far_a_job_is_while_it_runs(cli: Cli) -> None:
    last = cli.machine.faults.hang(lambda line: line.startswith("lvchange --deltag lunette.fresh"))
    try:
        words = ("volume", "create", "slow-%02d", "--array", "tank", "--size", "24M", "--count", "3")
        terminal = Terminal(cli, *words, columns=120)
        terminal.until(f"\r\x1b[K{'█' * 18}{'░' * 6}  75% Create 3 volumes: finalize 3 volumes")
        assert terminal.process.poll() is None
        assert "100%" not in terminal.seen
    finally:
        last.let_go()
    assert terminal.end() == 0
    assert f"{'█' * 24} 100% Create 3 volumes" in terminal.seen


def test_a_password_is_typed_unseen_and_twice(cli: Cli) -> None:
    terminal = Terminal(cli, "user", "create", "maria")
    terminal.until("Password: ")
    terminal.type("a-secret-nobody-sees\n")
    terminal.until("Password again: ")
    terminal.type("a-secret-nobody-sees\n")
    assert terminal.end() == 0
    assert "a-secret-nobody-sees" not in terminal.seen


def test_following_a_job_that_has_ended_says_how(cli: Cli) -> None:
    job = cli("job", "list", "--columns", "id", "--limit", "1").out.splitlines()[1].strip()
    assert cli("job", "wait", job).code == 0
    shown = cli("job", "show", job).out
    assert "steps:\n    1. done" in shown


def test_events_are_followed_until_ctrl_c(cli: Cli) -> None:
    terminal = Terminal(cli, "event", "follow", "--after", "0")
    terminal.until("array.created")
    cli("host", "create", "late", "--iqn", "iqn.2026-01.com.example:late")
    terminal.until("host.created")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == exits.INTERRUPTED
    assert "Traceback" not in terminal.seen


def test_a_reader_that_closes_early_is_not_a_fault(cli: Cli) -> None:
    line = f"{' '.join(map(repr, LUNETTE))} event list | head -n 1; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(
        ["bash", "-c", line],
        env={**cli.env, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in ran.stderr
    assert "BrokenPipe" not in ran.stderr


@pytest.mark.parametrize("words", [("--help",), ("volume", "--help"), ("volume", "grow", "--help")])
def test_help_imports_nothing_that_is_slow(words: tuple[str, ...]) -> None:
    """What keeps `lunette --help` at 60 ms where it took 1,500: no HTTP, TLS, YAML, pydantic or rich until needed."""
    program = (
        f"import sys; sys.argv = ['lunette', *{words!r}]\nfrom lunette.cli.main import main\nmain()\n"
        "slow = {'ssl', 'http.client', 'yaml', 'pydantic', 'httpx2', 'rich', 'fastapi', 'dataclasses', 'email'}\n"
        "print('SLOW', sorted(slow & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.endswith("SLOW []\n")
