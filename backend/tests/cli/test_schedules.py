"""Schedules and settings on a terminal, against a real server over a fake machine."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner, Result

import lunette.cli.main  # noqa: F401 it registers the commands
from backend.tests.scene import make_array
from backend.tests.wiring import Api, add_token, make_app, serving
from lunette.cli.client import Refused
from lunette.cli.commands import app
from lunette.domain.roles import Role
from lunette.system.fake import FakeSystem

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs one command as an administrator; there is a thin volume `t1`, and what is refused is raised."""
    machine = FakeSystem()
    machine.add_disks(4)
    _, parts = make_app(tmp_path, machine, sqlite_url)
    token = add_token(parts.store, Role.ADMINISTRATOR)
    with serving(parts) as (where, _server):
        monkeypatch.setenv("LUNETTE_URL", where)
        monkeypatch.setenv("LUNETTE_TOKEN", token)
        with httpx2.Client(base_url=where) as http:
            api = Api(http, token)
            make_array(api, disks=4)
            api.made("/volumes", {"name": "t1", "array": "tank", "size_bytes": "64MiB", "provisioning": "thin"})
        yield lambda *words: CliRunner().invoke(app, [*words], catch_exceptions=False, env={"COLUMNS": "250"})


def test_a_schedule_from_its_plan_to_its_end(run: Run) -> None:
    wish = ("schedule", "create", "nightly", "--volume", "t1", "--when", "0 3 * * *", "--keep-last", "1")
    assert "create schedule nightly: snapshots of t1" in run(*wish, "--dry-run").output
    assert run("schedule", "list").output == "none\n"
    assert json.loads(run(*wish, "--json").output)["keep"]["last"] == 1
    assert "create snapshot t1." in run("schedule", "run", "nightly", "--dry-run").output
    assert run("schedule", "run", "nightly").exit_code == 0
    listed = run("schedule", "list").output
    assert ("nightly" in listed, "0 3 * * *" in listed, "succeeded" in listed) == (True, True, True)
    assert json.loads(run("schedule", "set", "nightly", "--disable", "--json").output)["next_runs"] == []
    with pytest.raises(Refused, match="named nightly"):
        run(*wish)
    assert run("schedule", "delete", "nightly").exit_code == 0
    assert len(json.loads(run("snapshot", "list", "--json").output)) == 1


def test_settings_come_from_a_file_and_show_no_secret(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "told.yaml"
    file.write_text("webhook: {url: 'https://127.0.0.1:9/x', secret: sixteen-characters}\ntime_zone: Europe/Berlin\n")
    assert "time_zone: UTC becomes Europe/Berlin" in run("setting", "set", "--file", str(file), "--dry-run").output
    assert run("setting", "set", "--file", str(file), "--name", "san1").exit_code == 0
    shown = run("setting", "show").output
    assert ("san1" in shown, "Europe/Berlin" in shown, "sixteen" in shown) == (True, True, False)
    tested = run("setting", "test-alerts")
    assert (tested.exit_code, "cannot be reached" in tested.output) == (1, True)
    run("setting", "set", "--unset", "webhook")
    with pytest.raises(Refused, match="No channel is set up"):
        run("setting", "test-alerts")
    assert "nothing to set" in run("setting", "set").output
