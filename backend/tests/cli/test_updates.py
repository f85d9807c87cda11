"""`lunette update`: what runs, what a bundle would do, and words where there are no slots."""

import time
from pathlib import Path

from backend.tests.cli.appliance import appliance
from backend.tests.fakemachine.slots import FakeSlots
from tests.machines.pace import deadline


def test_a_server_without_slots_says_how_it_is_updated(tmp_path: Path, sqlite_url: str) -> None:
    with appliance(tmp_path, sqlite_url) as cli:
        reported = cli("update", "show")
        assert reported.code == 0
        assert "an appliance that was installed from the ISO" in reported.out
        assert cli("update", "roll-back", "--yes").code != 0
        bundle = tmp_path / "x.raucb"
        bundle.write_bytes(b"x")
        refused = cli("update", "install", str(bundle), "--yes")
        assert refused.code != 0
        assert "an appliance that was installed from the ISO" in refused.err
        assert "Cannot read" in cli("update", "install", str(tmp_path / "none.raucb"), "--yes").err


def test_slots_are_shown_with_what_runs(tmp_path: Path, sqlite_url: str) -> None:
    with appliance(tmp_path, sqlite_url) as cli:
        cli.machine.slots = FakeSlots(cli.machine)
        cli.machine.changed()
        end = deadline(60)
        while "slot a" not in cli("update", "show").out:
            assert time.monotonic() < end, "it was not seen"
            time.sleep(0.2)
        reported = cli("update", "show").out.splitlines()
        assert reported[:2] == ["slot a: 1.0, running, next to start", "slot b: empty"]
        assert "outage of exports during a restart: not measured yet" in reported
        assert "no version to go back to" in cli("update", "roll-back", "--yes").err
