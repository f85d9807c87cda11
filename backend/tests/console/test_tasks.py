"""Password reset and shell: what runs outside of the menu's own program."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from backend.tests.typist import Typist
from lunette.client import Endpoint
from lunette.console import tasks
from lunette.console.state import Places
from lunette.console.terminal import Terminal
from lunette.store.database import Store
from lunette.store.journal import Event
from lunette.store.secrets import SecretBox
from tests.e2e.waiting import wait_until

BACK = "-- Enter: back to the menu -- "


def test_the_password_is_reset_by_the_products_own_command_and_logged(tmp_path: Path) -> None:
    data, runtime = tmp_path / "var/lib/lunette/api", tmp_path / "run/lunette-api"
    data.mkdir(parents=True)
    places = Places(tmp_path, Endpoint(f"unix:{tmp_path}/nobody.sock"))
    program = "import sys; from lunette.api.main import main; sys.exit(main())"

    def command(argv: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        more = [*argv[1:], "--data", str(data), "--runtime", str(runtime)]
        return subprocess.run([sys.executable, "-c", program, *more], capture_output=True, text=True, check=False)

    def reset(fd: int) -> None:
        with Terminal(fd, fd) as terminal:
            tasks.reset_password(terminal, places, command)

    found = []
    for _ in range(2):
        person = Typist(reset)
        person.reply("Type reset to continue: ", "reset")
        shown = person.until("It must be changed at the first login")
        found.append(shown.partition("One-time password  ")[2].split()[0])
        person.reply(BACK, "")
        person.ended()
        person.close()
    assert len(set(found)) == 2
    assert places.password() == found[1]
    store = Store.open(f"sqlite:///{data}/lunette.db", SecretBox.at(data / "secret.key"))
    with store.read() as tx:
        events = [(one.kind, one.actor) for one in tx.query(Event)]
    store.close()
    assert events.count(("user.one_time_password", "root@local")) == 2


def test_a_reset_that_failed_says_so_and_shows_no_password(tmp_path: Path) -> None:
    def reset(fd: int) -> None:
        with Terminal(fd, fd) as terminal:
            tasks.reset_password(
                terminal, Places(tmp_path), lambda argv: subprocess.CompletedProcess(argv, 1, "", "disk full\n")
            )

    person = Typist(reset)
    person.reply("Type reset to continue: ", "reset")
    assert "One-time password " not in person.until("The password was NOT reset:\ndisk full\n")
    person.reply(BACK, "")
    person.ended()
    person.close()


def test_login_gets_the_terminal_as_it_was_and_keys_that_are_signals() -> None:
    """The program becomes login(1), which needs lines, and whose shell needs Ctrl-C."""
    program = (
        "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
        "import lunette.console.__main__ as program\n"
        "from lunette.console import tasks\n"
        "from lunette.console.terminal import Terminal\n"
        "tasks.LOGIN = '/bin/cat'\n"
        "program.start = lambda *_: tasks.become_login(Terminal().__enter__())\n"
        "program.main()"
    )
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=theirs,
        stdout=theirs,
        start_new_session=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    os.close(theirs)
    seen = b""
    while b"The menu is shown again" not in seen:
        seen += os.read(ours, 4096)
    wait_until("it is another program", lambda: Path(f"/proc/{process.pid}/comm").read_text() == "cat\n", 20, 0.05)
    os.write(ours, b"hello\n")
    while seen.count(b"hello") < 2:  # the terminal's own echo, and the program
        seen += os.read(ours, 4096)
    os.write(ours, b"\x03")
    assert process.wait(30) == -signal.SIGINT
    os.close(ours)
