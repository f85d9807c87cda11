"""`lunette array forget` gives up an array that is lost for good, after its name, with all that was on it."""

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


def test_an_array_that_is_lost_is_forgotten_after_its_name_and_never_one_that_works(cli: Cli) -> None:
    assert cli("array", "forget", "tank").code == exits.USAGE
    refused = cli("array", "forget", "tank", "--confirm", "tank")
    assert "so it is not lost: delete its volumes and it, or release it" in refused.err, refused.transcript
    for disk in [disk for disk in cli.machine.blocks.disks if disk.media.superblock]:
        cli.machine.pull(disk)
    cli.machine.reboot()
    cli.machine.advance(600)
    cli.settle()
    shown = cli("array", "forget", "tank", "--confirm", "tank", "--dry-run")
    assert "attach them instead" in shown.out + shown.err, shown.transcript
    assert json.loads(cli("array", "list", "--json").out)
    done = cli("array", "forget", "tank", "--confirm", "tank")
    assert done.code == exits.OK, done.transcript
    assert json.loads(cli("array", "list", "--json").out) == json.loads(cli("volume", "list", "--json").out) == []
    assert json.loads(cli("mapping", "list", "--json").out) == []
