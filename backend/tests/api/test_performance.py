"""The JSON of performance and capacity: now, and in the past."""

import datetime as dt
from collections.abc import Iterator

import pytest

from backend.tests.api.test_metrics import MIB, Serving, serving, stand, standing, value
from backend.tests.fakemachine.network.traffic import Io
from lunette.domain.capacity import CapacityDay
from lunette.engine.counters.keeper import tell_loss

__all__ = ["serving", "standing"]


def measured(serving: Serving, io: Io) -> None:
    """Do I/O as a host between two passes of the recorder; the next requests get the result of the last pass."""
    recorder = serving.services.control.performance
    serving.scrape()
    serving.machine.carry(serving.session, 1, io)
    serving.scrape()
    recorder.fresh_s = 3600.0


def test_each_kind_is_listed_with_its_rates(serving: Serving) -> None:
    measured(serving, Io(reads=100, read_bytes=10 * MIB, writes=50, write_bytes=5 * MIB, read_ms=100, write_ms=200))
    page = serving.api.get("/performance")
    (volume,) = page["items"]
    assert (volume["of"], volume["name"], volume["host"]) == ("volume", "data", None)
    assert volume["read_iops"] == 2 * volume["write_iops"] > 0
    assert (volume["read_latency_ms"], volume["write_latency_ms"], volume["latency_ms"]) == (1, 4, 2)
    assert volume["read_bytes_s"] * page["seconds"] == 10 * MIB
    (session,) = serving.api.get("/performance", of="session")["items"]
    assert (session["host"], session["protocol"], session["latency_ms"]) == ("db", "iscsi", None)
    assert session["write_bytes_s"] * page["seconds"] == 5 * MIB
    (appliance,) = serving.api.get("/performance", of="appliance")["items"]
    assert (appliance["id"], appliance["iops"], appliance["name"]) == ("appliance", volume["iops"], "test")
    assert serving.api.get("/performance", of="array")["items"][0]["name"] == "tank"
    assert serving.api.get("/performance", of="disk")["total"] == len(serving.api.items("/disks"))


def test_a_list_is_sorted_paged_and_filtered(serving: Serving) -> None:
    measured(serving, Io(writes=64, write_bytes=MIB))
    disks = serving.api.items("/performance", of="disk", sort="-iops", limit=3)
    assert [one["iops"] for one in disks] == sorted((one["iops"] for one in disks), reverse=True)
    assert len({one["id"] for one in disks}) == len(disks)
    assert serving.api.get("/performance", name="dat?")["total"] == 1
    assert serving.api.get("/performance", of="session", name="db")["total"] == 1
    assert serving.api.get("/performance", name="other*")["total"] == 0


def test_a_host_is_the_sum_of_its_sessions(serving: Serving) -> None:
    measured(serving, Io(reads=100, read_bytes=10 * MIB))
    (host,) = serving.api.get("/performance", of="host")["items"]
    (session,) = serving.api.get("/performance", of="session")["items"]
    assert (host["name"], host["iops"], host["read_bytes_s"]) == ("db", session["iops"], session["read_bytes_s"])
    assert (host["read_iops"], host["latency_ms"], host["host"]) == (None, None, None)
    assert serving.api.get(f"/performance/{host['id']}")["now"] == host


@pytest.fixture(scope="module")
def unread(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """An appliance of which no test reads a volume."""
    with stand(tmp_path_factory.mktemp("unread")) as found:
        yield found


@pytest.mark.parametrize(
    ("range_", "step", "length"), [("1h", 10, 360), ("24h", 60, 1440), ("7d", 600, 1008), ("30d", 3600, 720)]
)
def test_one_thing_is_shown_with_its_history(unread: Serving, range_: str, step: int, length: int) -> None:
    serving = unread
    serving.services.control.performance.fresh_s = 0.0
    recorder = serving.services.control.performance
    volume_id = serving.api.get("/volumes/data")["id"]
    for io in (Io(), Io(writes=64, write_bytes=MIB), Io(writes=100, write_bytes=MIB, write_ms=300)):
        serving.machine.carry(serving.session, 1, io)
        serving.machine.advance(5.0)
        recorder.round()
    recorder.fresh_s = 3600.0
    shown = serving.api.get(f"/performance/{volume_id}", range=range_)
    assert (shown["of"], shown["name"], shown["now"]["name"]) == ("volume", "data", "data")
    assert (shown["range"], shown["step_seconds"], len(shown["times"])) == (range_, step, length)
    first, second = (dt.datetime.fromisoformat(at) for at in shown["times"][:2])
    assert (second - first).total_seconds() == step
    for figure in ("iops", "write_iops", "write_bytes_s", "latency_ms", "write_latency_ms"):
        mean, most = ([one for one in shown[figure][side] if one is not None] for side in ("mean", "max"))
        assert len(mean) == len(most) > 0
        assert max(most) >= max(mean) > 0
    assert {None, 0.0} >= set(shown["read_iops"]["mean"])
    assert serving.api.get("/performance/appliance")["range"] == "1h"
    assert serving.api.call("GET", "/performance/nothing").status_code == 404
    assert serving.api.call("GET", f"/performance/{volume_id}?range=2h").status_code == 422


def test_an_unmapped_volume_is_listed_without_measurements(serving: Serving) -> None:
    made = serving.api.made("/volumes", {"name": "alone", "array": "tank", "size_bytes": "16MiB"})
    shown = serving.api.get(f"/performance/{made['resource_ids'][0]}")
    assert (shown["name"], shown["now"], shown["times"], shown["iops"]["mean"]) == ("alone", None, [], [])


def test_capacity_has_a_day_and_in_a_week_a_trend(serving: Serving) -> None:
    keeper = serving.services.control.capacity
    keeper.round()
    array = serving.api.get("/arrays/tank")
    (today,) = serving.api.get("/arrays/tank/capacity")["days"]
    usable = array["usable_bytes"]
    assert (today["used_bytes"], today["usable_bytes"]) == (array["used_bytes"], usable)
    young = serving.api.get("/arrays/tank/capacity")
    assert (young["trend"], young["bytes_per_day"], young["full_on"]) == ("unknown", None, None)
    day = dt.date.fromisoformat(today["day"])
    for n in reversed(range(10)):
        now = CapacityDay(day - dt.timedelta(days=n), (20 - n) * usable // 40, usable)
        keeper.file.record(array["id"], now)
    old = serving.api.get("/arrays/tank/capacity")
    assert (len(old["days"]), old["trend"]) == (10, "growing")
    assert dt.date.fromisoformat(old["full_on"]) == day + dt.timedelta(days=20)
    assert serving.api.call("GET", "/arrays/nothing/capacity").status_code == 404


def test_a_damaged_history_is_told_in_an_event(serving: Serving) -> None:
    tell_loss(serving.services.store, "file is not a database")
    (event,) = serving.api.items("/events", kind="performance.history_lost")
    assert event["message"].endswith("begins again: file is not a database")


def test_a_session_has_the_same_numbers_in_the_list_of_sessions(serving: Serving) -> None:
    measured(serving, Io(reads=7, read_bytes=3 * MIB, writes=5, write_bytes=2 * MIB))
    (session,) = serving.api.items("/sessions")
    labels = {"host": "db", "volume": "data"}
    found = serving.scrape()
    reported = [
        value(found, f"lunette_session_{name}_total", **labels) for name in ("read_bytes", "written_bytes", "commands")
    ]
    assert [session["read_bytes"], session["write_bytes"], session["commands"]] == reported
    assert session["read_bytes"] >= 3 * MIB
