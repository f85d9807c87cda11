"""`lunette adopt`: a look at every object, a question, and targets of others that are ours."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from backend.tests.faults.foreign_targets import DB, DB_TARGET, PORTAL, two_targets
from lunette.cli import exits


@pytest.fixture
def lunette(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    with appliance(tmp_path, sqlite_url) as cli:
        cli.settle()
        yield cli


def test_targets_of_others_are_taken_over_after_a_look(lunette: Cli) -> None:
    nothing = lunette("adopt", "--dry-run")
    assert (nothing.code, "0 targets can be taken over" in nothing.out) == (exits.OK, True), nothing.out + nothing.err
    two_targets(lunette.machine, lunette.machine.blocks.disks[:2])
    fabric = lunette.machine.iscsi
    assert fabric is not None
    fabric.login(DB, DB_TARGET, PORTAL, ("db", "secret-of-db"))

    looked = lunette("adopt", "--dry-run")
    assert (looked.code, f"✓ /iscsi/{DB_TARGET}" in looked.out) == (exits.OK, True), looked.out + looked.err
    assert "LUN 5 of db" in looked.out
    assert "secret" not in looked.out
    assert json.loads(lunette("host", "list", "--json").out) == []
    unasked = lunette("adopt")
    assert (unasked.code, "give --yes" in unasked.err) == (exits.USAGE, True)
    done = lunette("adopt", "--yes")
    assert (done.code, "Lunette serves them now" in done.err) == (exits.OK, True), done.out + done.err
    assert len(json.loads(lunette("mapping", "list", "--json").out)) == 3
    (session,) = fabric.sessions
    assert session.initiator == DB
