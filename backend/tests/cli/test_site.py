"""export, plan, apply and why on a terminal, against a real server over a fake machine."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from typer.testing import CliRunner, Result

from backend.tests.scene import ADDRESS, disk_ids
from backend.tests.wiring import Api, add_token, make_app, serving
from lunette.cli.commands import app
from lunette.cli.site import register_site
from lunette.domain.roles import Role
from lunette.system.fake import FakeSystem

Run = Callable[..., Result]
register_site()


@pytest.fixture
def run(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs one command as an administrator; what it refuses is raised. `site.yaml` lies in the current folder."""
    machine = FakeSystem()
    machine.add_disks(4)
    _, parts = make_app(tmp_path, machine, sqlite_url)
    token = add_token(parts.store, Role.ADMINISTRATOR)
    monkeypatch.chdir(tmp_path)
    with serving(parts) as (where, _server):
        monkeypatch.setenv("LUNETTE_URL", where)
        monkeypatch.setenv("LUNETTE_TOKEN", token)
        with httpx2.Client(base_url=where) as http:
            write(tmp_path / "site.yaml", disk_ids(Api(http, token))[:2])
        yield lambda *words, answer="": CliRunner().invoke(
            app, [*words], input=answer, catch_exceptions=False, env={"COLUMNS": "200"}
        )


def write(path: Path, disks: list[str], **sections: Any) -> None:
    whole: dict[str, Any] = {
        "arrays": [{"name": "tank", "level": "raid1", "disks": disks}],
        "volumes": [{"name": name, "array": "tank", "size_bytes": "16MiB"} for name in ("v1", "v2")],
        "hosts": [{"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]}],
        "portals": [{"name": "front", "address": ADDRESS}],
        "mappings": [{"volume": "v1", "host": "h1"}],
    }
    path.write_text(yaml.safe_dump(whole | sections))


def test_from_a_file_to_a_site_and_back(run: Run) -> None:
    planned = run("plan", "site.yaml").stdout
    assert "+ array tank: raid1 of 2 disks" in planned
    assert planned.endswith("6 to create.\n")
    assert run("apply", "site.yaml").exit_code == 0
    assert run("plan", "site.yaml").stdout == "Nothing to change.\n"
    assert run("apply", "site.yaml").stdout == "Nothing to change.\n"
    exported = yaml.safe_load(run("export").stdout)
    assert [volume["name"] for volume in exported["volumes"]] == ["v1", "v2"]
    assert json.loads(run("export", "--json").stdout) == exported
    run("export", "--output", "again.yaml")
    assert run("plan", "again.yaml").stdout == "Nothing to change.\n"
    why = run("why", "v1", "h1").stdout
    assert "v1 → h1" in why
    assert "✓ array: array tank is" in why
    assert "It breaks at the" in why


def test_what_goes_is_shown_first_and_asked_about(run: Run) -> None:
    run("apply", "site.yaml")
    site = yaml.safe_load(run("export").stdout)
    site["volumes"] = site["volumes"][:1]
    Path("less.yaml").write_text(yaml.safe_dump(site))
    assert "volume/v2" in run("plan", "less.yaml").stdout
    assert run("plan", "less.yaml").stdout.endswith("Nothing to change.\n")
    shown = run("plan", "less.yaml", "--destroy", "volume/v2").stdout
    assert shown.startswith("DESTROYS 16 MiB\n")
    assert "- volume v2: 16 MiB of data are lost" in shown
    assert run("apply", "less.yaml", "--destroy", "volume/v2", answer="n\n").exit_code == 1
    assert len(yaml.safe_load(run("export").stdout)["volumes"]) == 2
    assert run("apply", "less.yaml", "--destroy", "volume/v2", answer="y\n").exit_code == 0
    assert len(yaml.safe_load(run("export").stdout)["volumes"]) == 1
    assert run("apply", "less.yaml", "--destroy", "volume/v2").stdout.endswith("Nothing to change.\n")


def test_a_scope_leaves_the_rest_alone(run: Run) -> None:
    shown = run("plan", "site.yaml", "--scope", "portal=front").stdout
    assert shown == f"+ portal front: iscsi on {ADDRESS}:3260\n1 to create.\n"


@pytest.mark.parametrize(("text", "words"), [("- a", "holds no site document"), ("a: [", "neither YAML nor JSON")])
def test_a_file_that_is_no_document_is_wrong_usage(run: Run, text: str, words: str) -> None:
    Path("bad.yaml").write_text(text)
    refused = run("plan", "bad.yaml")
    assert refused.exit_code == 2
    assert words in refused.output
    assert run("plan", "not-there.yaml").exit_code == 2
