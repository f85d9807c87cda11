"""`lunette session`: by ID or by initiator, after a confirmation, with a message if there is nothing left to end."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from backend.tests.scene import ADDRESS
from lunette.cli import exits

IQN = "iqn.2026-01.com.example:db"


@pytest.fixture
def cli(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    """An appliance whose host `db` is logged in."""
    with appliance(tmp_path, sqlite_url) as made:
        disks = [disk["id"] for disk in json.loads(made("disk", "list", "--json").out)][:2]
        for line in (
            f"array create tank --level raid1 --disk {disks[0]} --disk {disks[1]}",
            "volume create data --array tank --size 16MiB",
            f"host create db --iqn {IQN}",
            f"portal create front --address {ADDRESS}",
            "mapping create --volume data --host db",
        ):
            ran = made(*line.split())
            assert ran.code == exits.OK, ran.err
        made.settle()
        log_in(made)
        yield made


def log_in(cli: Cli) -> None:
    target = json.loads(cli("host", "show", "db", "--json").out)["target_iqn"]
    cli.machine.login(IQN, target, f"{ADDRESS}:3260")


def ids(cli: Cli) -> list[str]:
    return [one["id"] for one in json.loads(cli("session", "list", "--json").out)]


def test_the_list_shows_the_traffic_of_each_session(cli: Cli) -> None:
    table = cli("session", "list")
    assert table.code == exits.OK, table.err
    head, row = table.out.splitlines()
    assert head.split()[:3] == ["ID", "HOST", "INITIATOR"]
    assert head.split()[-3:] == ["COMMANDS", "READ", "WRITE"]
    assert row.split()[:3] == [ids(cli)[0], "db", IQN]


def test_a_session_is_ended_by_its_id_or_its_initiator(cli: Cli) -> None:
    for name in (ids(cli)[0], IQN):
        asked = cli("session", "disconnect", name)
        assert (asked.code, len(ids(cli))) == (exits.USAGE, 1), asked.transcript
        done = cli("session", "disconnect", name, "--yes")
        assert (done.code, ids(cli)) == (exits.OK, []), done.transcript
        log_in(cli)


def test_a_plan_is_shown_and_nothing_ends(cli: Cli) -> None:
    plan = cli("session", "disconnect", IQN, "--dry-run")
    assert plan.code == exits.OK
    assert "logs in again automatically" in plan.out
    assert len(ids(cli)) == 1


def test_what_has_ended_is_not_found(cli: Cli) -> None:
    gone = cli("session", "disconnect", "0123456789abcdef", "--yes")
    assert (gone.code, "has ended" in gone.err) == (exits.NOT_FOUND, True)
