"""`lunette restart` and `power-off`: the plan first, and nothing without a yes."""

from pathlib import Path

import pytest

from backend.tests.cli.appliance import appliance


@pytest.mark.parametrize(
    ("command", "verb", "title"),
    [("restart", "reboot", "Restart the appliance"), ("power-off", "poweroff", "Shut down the appliance")],
)
def test_it_shows_its_plan_asks_and_reports_a_machine_that_does_not_stop(
    tmp_path: Path, sqlite_url: str, command: str, verb: str, title: str
) -> None:
    with appliance(tmp_path, sqlite_url) as cli:
        rehearsed = cli(command, "--dry-run")
        assert title in rehearsed.out
        assert "All I/O stops" in rehearsed.out
        not_asked = cli(command)
        assert not_asked.code != 0
        assert "use --yes" in not_asked.err
        assert cli.machine.power.asked == []
        cli.machine.power.later = lambda _seconds, _dies: None
        cli.machine.pause_s = 0.0  # what is waited for happens on the machine's clock alone
        failed = cli(command, "--yes")
        assert cli.machine.power.asked == [verb]
        assert failed.code != 0
        assert "did not stop within 900 s" in failed.err
