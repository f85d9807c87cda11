"""`lunette host kit` and `lunette host paths` on a terminal, against a real server over a fake machine."""

import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner, Result

from backend.tests.scene import ADDRESS, make_array
from backend.tests.wiring import Api, add_token, make_app, serving
from lunette.cli.commands import app
from lunette.cli.kit import register_kit
from lunette.domain.roles import Role
from lunette.system.fake import FakeSystem

Run = Callable[..., Result]
IQN, SECRET = "iqn.2026-01.com.example:db", "secret-of-host"
register_kit()


@pytest.fixture
def machine() -> FakeSystem:
    fake = FakeSystem()
    fake.add_disks(8)
    return fake


@pytest.fixture
def run(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch, machine: FakeSystem) -> Iterator[Run]:
    """Runs one command. Host db has one volume, over two portals, and is logged in on the first."""
    _, parts = make_app(tmp_path, machine, sqlite_url)
    token = add_token(parts.store, Role.OPERATOR)
    admin = add_token(parts.store, Role.ADMINISTRATOR)
    monkeypatch.chdir(tmp_path)
    with serving(parts) as (where, _server), httpx2.Client(base_url=where) as http:
        monkeypatch.setenv("LUNETTE_URL", where)
        monkeypatch.setenv("LUNETTE_TOKEN", token)
        api = Api(http, admin)
        make_array(api)
        api.made("/volumes", {"name": "v", "array": "tank", "size_bytes": "16MiB"})
        api.made("/hosts", {"name": "db", "iqns": [IQN], "chap": {"user": "db", "secret": SECRET}})
        for name, port in (("a", 3260), ("b", 3270)):
            api.made("/portals", {"name": name, "address": ADDRESS, "port": port})
        api.made("/mappings", {"volume": "v", "host": "db"})
        api.until(lambda: api.get("/hosts/db")["export"]["state"] == "open")
        machine.login(IQN, api.get("/hosts/db")["target_iqn"], f"{ADDRESS}:3260", ("db", SECRET))
        yield lambda *words: CliRunner().invoke(app, ["host", *words], env={"COLUMNS": "200"})


def test_a_kit_is_shown_and_written(run: Run, tmp_path: Path) -> None:
    shown = run("kit", "db").stdout
    assert "# /etc/lunette-host/iscsi-portals (0644)" in shown
    assert "sh /etc/lunette-host/check.sh" in shown
    assert SECRET not in shown
    assert "--secrets fills them in" in shown
    assert SECRET in run("kit", "db", "--secrets").stdout
    assert json.loads(run("kit", "db", "--json").stdout)["host"] == "db"
    assert run("kit", "db", "--secrets", "-o", "kit.tar").exit_code == 0
    assert (tmp_path / "kit.tar").stat().st_mode & 0o777 == 0o600
    with tarfile.open(tmp_path / "kit.tar") as tar:
        assert "lunette-db/apply.sh" in tar.getnames()
    assert run("kit", "db", "-o", "kits").exit_code == 0
    settings = tmp_path / "kits/lunette-db/files/etc/lunette-host/iscsi-node.conf"
    assert "@LUNETTE-CHAP-SECRET@" in settings.read_text()
    assert settings.stat().st_mode & 0o777 == 0o600


def test_paths_are_told_in_words_and_a_missing_one_in_the_exit_code(run: Run) -> None:
    told = run("paths", "db")
    assert told.exit_code == 1
    lines = told.stdout.splitlines()
    assert lines[0] == f"Host db: expected 2 paths, seen 1: nothing on portal b ({ADDRESS}:3270)."
    assert lines[1:3] == [f"  ✓ logged in on portal a ({ADDRESS}:3260)", f"  ✗ nothing on portal b ({ADDRESS}:3270)"]
    assert lines[3].startswith("  ✗ volume v: expected 2 paths, seen 1")
    assert json.loads(run("paths", "db", "--json").stdout)["state"] == "down"
