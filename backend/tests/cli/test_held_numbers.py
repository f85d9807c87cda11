"""`lunette mapping create --lun` gives no number under which a host may still have another volume, unless named."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from lunette.cli import exits


@pytest.fixture
def cli(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    """Volume `old` was LUN 1 of esx1."""
    with appliance(tmp_path, sqlite_url) as made:
        disks = [disk["id"] for disk in json.loads(made("disk", "list", "--json").out)][:2]
        named = [word for disk in disks for word in ("--disk", disk)]
        for words in (
            ("array", "create", "tank", "--level", "raid1", *named),
            ("volume", "create", "old", "--array", "tank", "--size", "64MiB"),
            ("volume", "create", "new", "--array", "tank", "--size", "64MiB"),
            ("host", "create", "esx1", "--iqn", "iqn.2026-01.com.example:esx1"),
            ("mapping", "create", "--volume", "old", "--host", "esx1"),
            ("mapping", "delete", "old/esx1", "--yes"),
        ):
            ran = made(*words)
            assert ran.code == exits.OK, ran.transcript
            made.settle()
        yield made


def luns(cli: Cli) -> dict[str, int]:
    return {one["volume"]: one["lun"] for one in json.loads(cli("mapping", "list", "--json").out)}


def test_a_script_has_to_name_the_volume_that_had_the_number(cli: Cli) -> None:
    words = ("mapping", "create", "--volume", "new", "--host", "esx1", "--lun", "1")
    assert "LUN 1 of esx1 belonged to volume old until it was unmapped" in cli(*words, "--dry-run").out
    for refused in (cli(*words), cli(*words, "--confirm", "new")):
        assert refused.code == exits.USAGE, refused.transcript
        assert "Hosts may still associate LUN 1 of esx1 with volume old" in refused.err
        assert "use --confirm old" in refused.err
    assert luns(cli) == {}
    done = cli(*words, "--confirm", "old")
    assert done.code == exits.OK, done.transcript
    assert luns(cli) == {"new": 1}


def test_without_a_number_no_confirmation_is_needed(cli: Cli) -> None:
    assert cli("mapping", "create", "--volume", "new", "--host", "esx1").code == exits.OK
    assert cli("mapping", "create", "--volume", "old", "--host", "esx1", "--lun", "1").code == exits.OK
    assert luns(cli) == {"new": 2, "old": 1}
