"""`lunette array release` gives an array away, so it goes only after the array's name and with nothing of it mapped."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from lunette.cli import exits


@pytest.fixture
def cli(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    """A mirror with a volume that is mapped to a host."""
    with appliance(tmp_path, sqlite_url) as made:
        disks = [disk["id"] for disk in json.loads(made("disk", "list", "--json").out)][:2]
        named = [word for disk in disks for word in ("--disk", disk)]
        for words in (
            ("array", "create", "tank", "--level", "raid1", *named),
            ("volume", "create", "db", "--array", "tank", "--size", "64MiB"),
            ("host", "create", "esx1", "--iqn", "iqn.2026-01.com.example:esx1"),
            ("mapping", "create", "--volume", "db", "--host", "esx1"),
        ):
            ran = made(*words)
            assert ran.code == exits.OK, ran.err
            made.settle()
        made.machine.advance(3600)
        yield made


def test_an_array_is_deleted_after_its_name_is_typed_once_nothing_of_it_is_mapped(cli: Cli) -> None:
    assert cli("array", "release", "tank").code == exits.USAGE
    assert cli("array", "release", "tank", "--confirm", "tonk").code not in (exits.OK, exits.USAGE)
    refused = cli("array", "release", "tank", "--confirm", "tank")
    assert "volume db is mapped to esx1: unmap it first" in refused.err, refused.transcript
    (mapping,) = json.loads(cli("mapping", "list", "--json").out)
    assert cli("mapping", "delete", mapping["id"], "--yes").code == exits.OK
    cli.settle()
    shown = cli("array", "release", "tank", "--confirm", "tank", "--dry-run")
    assert "its 2 disks and their content do not change" in shown.out, shown.transcript
    assert json.loads(cli("array", "list", "--json").out)
    done = cli("array", "release", "tank", "--confirm", "tank")
    assert done.code == exits.OK, done.transcript
    assert json.loads(cli("array", "list", "--json").out) == json.loads(cli("volume", "list", "--json").out) == []
    (found,) = json.loads(cli("foreign-array", "list", "--json").out)
    assert (found["home_host"], found["next"]) == ("released", "start")
