"""The JSON of performance: now, and in the last hour."""

from backend.tests.api.test_metrics import MIB, Serving, serving, standing, value
from backend.tests.fakemachine.network.traffic import Io

__all__ = ["serving", "standing"]


def measured(serving: Serving, io: Io) -> None:
    """Let a host do something between two passes, and let what is asked next be told of the last of them."""
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


def test_one_thing_is_shown_with_its_last_hour(serving: Serving) -> None:
    recorder = serving.services.control.performance
    volume_id = serving.api.get("/volumes/data")["id"]
    for io in (Io(), Io(writes=64, write_bytes=MIB), Io(writes=100, write_bytes=MIB, write_ms=300)):
        serving.machine.carry(serving.session, 1, io)
        serving.machine.advance(5.0)
        recorder.round()
    recorder.fresh_s = 3600.0
    shown = serving.api.get(f"/performance/{volume_id}")
    assert (shown["of"], shown["name"], shown["now"]["name"]) == ("volume", "data", "data")
    assert [point["latency_ms"] for point in shown["points"]][-2:] == [0, 3]
    assert serving.api.get("/performance/appliance")["points"][-1]["iops"] > 0
    assert serving.api.call("GET", "/performance/nothing").status_code == 404


def test_a_volume_that_nobody_has_is_known_and_measured_by_nobody(serving: Serving) -> None:
    made = serving.api.made("/volumes", {"name": "alone", "array": "tank", "size_bytes": "16MiB"})
    shown = serving.api.get(f"/performance/{made['resource_ids'][0]}")
    assert (shown["name"], shown["now"], shown["points"]) == ("alone", None, [])


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
