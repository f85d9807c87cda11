"""Completion: the candidates themselves, and real shells at a real terminal in which the Tab key is pressed."""

import os
import pty
import re
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from lunette.cli import completing
from lunette.cli.completing import SCRIPTS, complete
from tests.machines.pace import deadline

PATIENCE_S = 60.0
_STEERING = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r|\x07|\x08")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names may come late where others keep the processors; a person would rather have none."""
    monkeypatch.setattr(completing, "PATIENCE_S", PATIENCE_S)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Cli]:
    folder = tmp_path_factory.mktemp("completion")
    shutil.copy(sqlite_template, folder / "lunette.db")
    with appliance(folder, f"sqlite:///{folder}/lunette.db", disks=2) as served:
        for name in ("db1", "db2", "web"):
            assert served("host", "create", name, "--iqn", f"iqn.2026-01.com.example:{name}").code == 0
        yield served


def found(cli: Cli, *words: str) -> list[str]:
    return [line.split("\t")[0] for line in complete(["zsh", "--", *words], cli.env).splitlines()]


def test_nouns_verbs_options_and_words_come_from_the_commands(cli: Cli) -> None:
    assert found(cli, "host") == ["host", "host-group"]
    assert found(cli, "volume", "g") == ["grow"]
    assert found(cli, "--json", "volume", "g") == ["grow"]
    assert found(cli, "volume", "grow", "a", "1G", "--no") == ["--no-wait"]
    assert found(cli, "portal", "create", "x", "--protocol", "nvme") == ["nvme-tcp", "nvme-rdma", "nvme-fc"]
    assert found(cli, "portal", "create", "x", "--protocol=is") == ["--protocol=iscsi", "--protocol=iser"]
    assert found(cli, "volume", "list", "--sort", "-s") == ["-state", "-size_bytes"]
    assert found(cli, "plan", "") == [":files"]
    assert found(cli, "job", "resolve", "x", "") == ["retry", "abandon"]


def test_names_come_from_the_appliance(cli: Cli) -> None:
    assert found(cli, "host", "show", "") == ["db1", "db2", "web"]
    assert found(cli, "host", "delete", "d") == ["db1", "db2"]
    assert found(cli, "mapping", "create", "--host", "w") == ["web"]
    assert len(found(cli, "array", "create", "x", "--disk", "nvme-")) == 2


def test_an_appliance_that_does_not_answer_costs_names_and_no_error(cli: Cli) -> None:
    assert complete(["zsh", "--", "host", "show", ""], {**cli.env, "LUNETTE_URL": "http://127.0.0.1:1"}) == ""
    assert complete(["zsh", "--", "no", "such", ""], cli.env) == ""


def test_bash_gets_the_words_after_a_colon(cli: Cli) -> None:
    assert complete(["bash", "lunette volume g"], cli.env).splitlines() == ["grow\tGrows a volume while hosts use it."]
    assert complete(["bash", "lunette portal create x --protocol=nvme-t"], cli.env) == "nvme-tcp\t\n"


class Shell:
    """A shell at a terminal of its own."""

    def __init__(self, argv: list[str], env: dict[str, str], folder: Path) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(argv[0], argv, env)
        self.seen = ""

    def type(self, keys: str, until: str) -> str:
        """Presses keys and waits until the screen shows something after that; answers what came."""
        start = len(self.seen)
        os.write(self.fd, keys.encode())
        end = deadline(PATIENCE_S)
        while until not in self.seen[start:]:
            assert time.monotonic() < end, f"{until!r} did not come; the screen showed {self.seen[start:]!r}"
            if select.select([self.fd], [], [], 0.2)[0]:
                self.seen += _STEERING.sub("", os.read(self.fd, 65536).decode(errors="replace"))
        return self.seen[start:]


@contextmanager
def shell(cli: Cli, name: str, *options: str) -> Iterator[Shell]:
    program = shutil.which(name)
    if program is None:
        pytest.fail(f"{name} is missing: run `make deps`")
    programs = cli.folder / "bin"
    programs.mkdir(exist_ok=True)
    (programs / "lunette").write_text(
        f"#!{sys.executable}\nimport sys\nfrom lunette.cli import completing\nfrom lunette.cli.main import main\n"
        f"completing.PATIENCE_S = {PATIENCE_S}\nsys.exit(main())\n"
    )
    (programs / "lunette").chmod(0o755)
    (cli.folder / f"complete.{name}").write_text(SCRIPTS[name])
    env = {**cli.env, "PATH": f"{programs}:/usr/bin:/bin", "TERM": "dumb", "PS1": "ready> ", "COLUMNS": "200"}
    opened = Shell([program, *options], env, cli.folder)
    try:
        yield opened
    finally:
        os.close(opened.fd)
        os.kill(opened.pid, signal.SIGKILL)
        os.waitpid(opened.pid, 0)


def test_bash_completes_at_the_tab_key(cli: Cli) -> None:
    with shell(cli, "bash", "--norc", "--noprofile", "-i") as bash:
        bash.type("", "ready> ")
        bash.type(". ./complete.bash\n", "ready> ")
        bash.type("lunette volu\t", "lunette volume ")
        bash.type("gr\t", "grow ")
        bash.type("\x15lunette host show we\t", "host show web ")
        assert "db2" in bash.type("\x15lunette host show db\t\t", "db2")
        bash.type("\x15lunette portal create p --protocol nvme-t\t", "--protocol nvme-tcp ")
        bash.type("\x15lunette plan complete.b\t", "complete.bash")
        assert "web" in bash.type("\x15lunette host show web --columns=x; echo done\n", "done")


def test_zsh_completes_at_the_tab_key(cli: Cli) -> None:
    with shell(cli, "zsh", "-f", "-i") as zsh:
        zsh.type(
            "unsetopt PROMPT_SP ZLE_BRACKETED_PASTE 2>/dev/null; unset zle_bracketed_paste; PS1='ready> '\n", "ready> "
        )
        zsh.type("autoload -U compinit && compinit -u -D && . ./complete.zsh && echo lo''aded\n", "loaded")
        zsh.type("lunette volu\t", "lunette volume")
        zsh.type("gr\t", "grow")
        zsh.type("\x15lunette host show we\t", "host show web")
        assert "db2" in zsh.type("\x15lunette host show db\t\t", "db2")
        zsh.type("\x15lunette plan complete.z\t", "complete.zsh")
