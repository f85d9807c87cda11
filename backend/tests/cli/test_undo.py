"""`lunette event show` and `undo`, by the number that the list gives; `event export`."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from lunette.cli import exits


@pytest.fixture
def cli(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    with appliance(tmp_path, sqlite_url) as served:
        yield served


def test_a_host_that_was_made_by_mistake_is_undone_and_that_is_undone(cli: Cli) -> None:
    cli("host", "create", "h1", "--iqn", "iqn.2026-01.com.example:h1")
    (event,) = json.loads(cli("event", "list", "--kind", "host.created", "--json").out)
    number = str(event["seq"])
    assert "possible: yes" in cli("event", "show", number).out
    plan = cli("event", "undo", number, "--dry-run")
    assert (plan.code, f"Plan: Undo event {number}: Create host h1" in plan.out) == (0, True)
    assert cli("host", "show", "h1").code == 0
    done = json.loads(cli("event", "undo", number, "--json").out)
    assert cli("host", "show", "h1").code != 0
    again = cli("event", "undo", number)
    assert (again.code, f"was undone already, by event {done['seq']}" in again.err) == (exits.CONFLICT, True)
    assert cli("event", "undo", str(done["seq"])).code == 0
    assert cli("host", "show", "h1").code == 0


def test_the_part_of_the_log_that_the_filters_show_is_written_as_a_file(cli: Cli, tmp_path: Path) -> None:
    cli("host", "create", "h1", "--iqn", "iqn.2026-01.com.example:h1")
    listed = json.loads(cli("event", "list", "--noun", "host", "--json").out)
    assert json.loads(cli("event", "export", "--noun", "host").out)[0]["seq"] == listed[0]["seq"]
    (line,) = csv.DictReader(io.StringIO(cli("event", "export", "--noun", "host", "--format", "csv").out))
    assert (line["message"], line["outcome"]) == ("Create host h1", "done")
    file = tmp_path / "log.csv"
    assert "Written to" in cli("event", "export", "--format", "csv", "--output", str(file)).err
    assert file.read_text().startswith("seq,at,actor,outcome,")
    assert cli("event", "list", "--since", "yesterday").code == exits.REFUSED
