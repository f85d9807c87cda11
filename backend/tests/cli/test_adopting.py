"""`lunette adopt`: a look at every object, a question, and targets of others that are ours."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from backend.tests.faults.foreign_targets import DB, DB_TARGET, PORTAL, UUID, make_group, two_targets
from lunette.cli import exits


@pytest.fixture
def lunette(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    with appliance(tmp_path, sqlite_url) as cli:
        cli.settle()
        yield cli


def test_foreign_targets_are_adopted_after_a_dry_run(lunette: Cli) -> None:
    nothing = lunette("adopt", "--dry-run")
    assert (nothing.code, "can be adopted: 0." in nothing.out) == (exits.OK, True), nothing.out + nothing.err
    two_targets(lunette.machine, lunette.machine.blocks.disks[:2])
    fabric = lunette.machine.iscsi
    assert fabric is not None
    fabric.login(DB, DB_TARGET, PORTAL, ("db", "secret-of-db"))

    looked = lunette("adopt", "--dry-run")
    assert (looked.code, f"✓ /iscsi/{DB_TARGET}" in looked.out) == (exits.OK, True), looked.out + looked.err
    assert "LUN 5 of db" in looked.out
    assert "secret" not in looked.out
    assert json.loads(lunette("host", "list", "--json").out) == []
    not_asked = lunette("adopt")
    assert (not_asked.code, "use --yes" in not_asked.err) == (exits.USAGE, True)
    done = lunette("adopt", "--yes")
    assert (done.code, "Lunette now serves" in done.err) == (exits.OK, True), done.out + done.err
    assert len(json.loads(lunette("mapping", "list", "--json").out)) == 3
    (session,) = fabric.sessions
    assert session.initiator == DB


def test_an_array_of_another_machine_is_inspected_started_and_adopted(lunette: Cli) -> None:
    machine = lunette.machine
    make_group(machine, machine.blocks.disks[:2], ("db", "web"))
    machine.run(["vgchange", "-an", "srv"])
    machine.run(["mdadm", "--stop", "/dev/md/0"])
    looked = lunette("foreign-array", "list")
    assert (looked.code, UUID in looked.out, "start" in looked.out) == (exits.OK, True, True), looked.err
    planned = lunette("foreign-array", "start", UUID, "--dry-run")
    assert "start md array old:0 read-only" in planned.out + planned.err
    assert lunette("foreign-array", "start", UUID).code == exits.OK
    inside = lunette("foreign-array", "volumes", UUID)
    assert ("db" in inside.out, "web" in inside.out) == (True, True)
    done = lunette("foreign-array", "adopt", UUID, "--volume", "db", "--name", "archive")
    assert done.code == exits.OK, done.out + done.err
    (volume,) = json.loads(lunette("volume", "list", "--json").out)
    assert (volume["name"], volume["array"]) == ("db", "archive")
    left = lunette("foreign-array", "volumes", UUID)
    assert ("db" in left.out, "web" in left.out) == (False, True)
    assert lunette("foreign-array", "adopt", UUID).code == exits.OK
    gone = lunette("foreign-array", "volumes", UUID)
    assert (gone.code, f"No foreign array has the ID {UUID}" in gone.err) == (exits.USAGE, True)
