"""`lunette array force-start` destroys what it cannot know to be right, so it goes only after the array's name."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from lunette.cli import exits
from tests.machines.pace import deadline

REBUILD_S = 3600


@pytest.fixture
def cli(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    """A raid5 without a log that lost a disk and was cut off while it was written to."""
    with appliance(tmp_path, sqlite_url) as made:
        disks = [disk["id"] for disk in json.loads(made("disk", "list", "--json").out)][:3]
        named = [word for disk in disks for word in ("--disk", disk)]
        ran = made("array", "create", "tank", "--level", "raid5", "--write-hole", "bitmap", *named)
        assert ran.code == exits.OK, ran.err
        made.settle()
        machine = made.machine
        machine.advance(REBUILD_S)
        machine.pull(next(one for one in machine.blocks.disks if disks[1] in one.links()))
        machine.md.cut_while_written()
        machine.power_cut()
        machine.advance(REBUILD_S)
        yield made


def reported(cli: Cli) -> tuple[str, bool]:
    array = json.loads(cli("array", "show", "tank", "--json").out)
    return array["health"], array["observed"]["dirty_degraded"]


def until(cli: Cli, expected: tuple[str, bool]) -> None:
    end = deadline(60)
    while (now := reported(cli)) != expected:
        assert time.monotonic() < end, now
        time.sleep(0.1)


def test_a_dirty_array_starts_by_force_only_after_its_name(cli: Cli) -> None:
    until(cli, ("missing", True))
    assert cli("array", "force-start", "tank").code == exits.USAGE
    assert cli("array", "force-start", "tank", "--confirm", "tonk").code != exits.OK
    assert reported(cli) == ("missing", True)
    done = cli("array", "force-start", "tank", "--confirm", "tank")
    assert done.code == exits.OK, done.transcript
    until(cli, ("degraded", False))
