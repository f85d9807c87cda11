"""`lunette top`, against a real server over a fake machine with a host that works."""

import json
import time
from collections.abc import Callable, Iterator
from io import StringIO

import httpx2
import pytest

from backend.tests.api.test_metrics import MIB, Serving
from backend.tests.cli.appliance import Ran
from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.wiring import Api, add_token, make_services, serving
from lunette.agent.core import Agent
from lunette.cli import exits
from lunette.cli.main import run as lunette
from lunette.cli.screen import Screen
from lunette.domain.roles import Role

Run = Callable[..., Ran]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs one command as a viewer. Between two passes the host has read 20 MiB and written 10, within 5 s."""
    machine = FakeSystem()
    machine.clock = time.time() // 60 * 60  # the set-up and the pass before the work are in one minute
    machine.add_disks(8)
    services = make_services(tmp_path_factory.mktemp("top"), Agent(machine))
    with serving(services) as (where, _server), httpx2.Client(base_url=where) as http:
        recorder = services.control.performance
        recorder.stop()
        recorder.fresh_s = 0.0
        working = Serving(Api(http, add_token(services.store, Role.ADMINISTRATOR)), machine, services)
        # The span of the host's work is the only one that ends in its minute.
        machine.advance((58.0 - machine.clock) % 60)
        recorder.round()
        io = Io(reads=1000, read_bytes=20 * MIB, writes=500, write_bytes=10 * MIB, read_ms=750, write_ms=3750)
        machine.carry(working.session, 1, io)
        machine.advance(5.0)
        recorder.round()
        services.control.capacity.round()
        recorder.fresh_s = 3600.0
        env = {"LUNETTE_URL": where, "LUNETTE_TOKEN": add_token(services.store, Role.VIEWER)}

        def run(*words: str, command: str = "top") -> Ran:
            out, err = StringIO(), StringIO()
            code = lunette([*command.split(), *words], Screen(out, err, env, StringIO()), env)
            return Ran(code, out.getvalue(), err.getvalue())

        yield run


def about(words: list[str]) -> list[object]:
    """Figures within a tenth: what the appliance does between the two passes takes time of the machine's clock too."""
    return [pytest.approx(float(word), rel=0.1) if word[0].isdigit() else word for word in words]


def read(line: str) -> list[object]:
    return [float(word) if word[0].isdigit() else word for word in line.replace("%", " %").split()]


def test_volumes_and_sessions_are_shown_under_the_total(run: Run) -> None:
    lines = [read(line) for line in run("--once").out.splitlines() if line.strip()]
    figures = "300 4 MiB/s 2 MiB/s"
    total = "test IOPS 300 READ/S 4 MiB/s WRITTEN/S 2 MiB/s LATENCY 3.00 ms IN FLIGHT 0 BUSY -"
    assert lines[0] == about(total.split())
    assert lines[1][0] == "VOLUME"
    assert lines[2] == about(f"data {figures} 3.00 ms 0 90 %".split())
    assert lines[3][0] == "SESSION"
    assert lines[4] == about(f"db iqn.2026-01.com.example:db {figures} - - -".split())


def test_scripts_get_json_with_the_same_numbers(run: Run) -> None:
    found = json.loads(run("volume", "disk", "--once", "--json").out)
    assert found.keys() == {"at", "seconds", "appliance", "volumes", "disks", "unseen"}
    assert [one["name"] for one in found["volumes"]] == ["data"]
    assert found["volumes"][0]["iops"] * found["seconds"] == pytest.approx(1500)
    assert len(found["disks"]) == 8


def test_rows_are_in_the_requested_order(run: Run) -> None:
    found = json.loads(run("disk", "--once", "--json", "--sort", "name").out)
    names = [one["name"] for one in found["disks"]]
    assert names == sorted(names)


@pytest.mark.parametrize("words", [["port"], ["--interval", "1"], ["--sort", "size"]])
def test_a_wrong_kind_figure_or_interval_is_wrong_usage(run: Run, words: list[str]) -> None:
    assert run(*words).code == exits.USAGE


def test_the_history_has_a_line_for_each_interval_that_was_measured(run: Run) -> None:
    head, *lines = run("appliance", "--range", "24h", command="performance").out.splitlines()
    assert head.split() == ["TIME", "IOPS", "IOPS", "MAX", "READ/S", "WRITTEN/S", "LATENCY", "LATENCY", "MAX"]
    assert len(lines) in {1, 2}  # the minute of the work, and that of the set-up if there were two passes in it
    figures = ["300", "300", "4", "MiB/s", "2", "MiB/s", "3.00", "ms", "3.00", "ms"]
    assert read(lines[-1].split(maxsplit=1)[1]) == about(figures)
    found = json.loads(run("appliance", "--json", command="performance").out)
    assert (found["range"], found["step_seconds"]) == ("1h", 10)
    assert run("nothing", command="performance").code == exits.NOT_FOUND


def test_the_capacity_of_an_array_has_its_trend_and_a_line_for_each_day(run: Run) -> None:
    lines = run("tank", command="array capacity").out.splitlines()
    assert lines[:3] == ["trend: unknown", "growth: - per day", "full on: -"]
    assert lines[4].split() == ["DAY", "USED", "USABLE"]
    assert len(lines) == 6
    assert json.loads(run("tank", "--json", command="array capacity").out)["days"][0]["used_bytes"] > 0
