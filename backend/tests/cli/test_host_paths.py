"""`lunette host verify-paths` asks first; `host paths` tells what came of it; `initiator list` who has no host."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.scene import ADDRESS
from lunette.cli import exits

IQN, SECOND = "iqn.2026-01.com.example:db", "198.51.100.1"
OURS, STRANGER = "50:00:00:00:00:00:00:01", "10:00:00:00:00:00:00:77"


@pytest.fixture
def cli(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    """An appliance whose host `db` writes all the time over two portals."""
    with appliance(tmp_path, sqlite_url) as made:
        made.machine.addresses.add(SECOND)
        disks = [disk["id"] for disk in json.loads(made("disk", "list", "--json").out)][:2]
        for line in (
            f"array create tank --level raid1 --disk {disks[0]} --disk {disks[1]}",
            "volume create data --array tank --size 16MiB",
            f"host create db --iqn {IQN}",
            f"portal create front --address {ADDRESS}",
            f"portal create back --address {SECOND}",
            "mapping create --volume data --host db",
        ):
            ran = made(*line.split())
            assert ran.code == exits.OK, ran.err
        made.settle()
        target = json.loads(made("host", "show", "db", "--json").out)["target_iqn"]
        for address, peer in ((ADDRESS, "192.0.2.10"), (SECOND, "198.51.100.10")):
            made.machine.login(IQN, target, f"{address}:3260", peer=peer)

        def write() -> None:
            if made.machine.iscsi and made.machine.iscsi.sessions:
                made.machine.carry(made.machine.iscsi.sessions[-1], 1, Io(), commands=20)
            made.machine.later(0.5, write)

        write()
        yield made


def test_paths_are_taken_away_only_after_a_yes_and_what_came_of_it_is_shown(cli: Cli) -> None:
    asked = cli("host", "verify-paths", "db", "--away", "20")
    assert asked.code == exits.USAGE, asked.transcript
    assert json.loads(cli("host", "paths", "db", "--json").out)["verification"] is None
    done = cli("host", "verify-paths", "db", "--away", "20", "--yes")
    assert done.code == exits.OK, done.transcript
    shown = cli("host", "paths", "db")
    assert shown.code == exits.OK, shown.transcript
    assert ": passed." in shown.out
    assert shown.out.count("was blocked for 20 s: the host continued over its other paths") == 2


def test_a_dry_run_takes_no_path_away(cli: Cli) -> None:
    plan = cli("host", "verify-paths", "db", "--dry-run")
    assert plan.code == exits.OK, plan.transcript
    assert "portal back (198.51.100.1:3260) from 198.51.100.10 is interrupted for 45 s" in plan.out
    assert json.loads(cli("host", "paths", "db", "--json").out)["verification"] is None


def test_a_port_on_the_fabric_that_is_of_no_host_is_listed(cli: Cli) -> None:
    cli.plug_fc(OURS)
    cli.machine.fc.join(STRANGER, cli.machine.fc.ports[0])
    cli.machine.changed()
    cli.wait_for("/initiators")
    reported = cli("initiator", "list")
    assert reported.code == exits.OK, reported.transcript
    assert reported.out.splitlines()[1].split()[:2] == [STRANGER, "wwpn"]
