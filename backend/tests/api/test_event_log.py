"""The log filtered by who, what, when and how it ended, and the same part of it as a file."""

import csv
import io
import json
from datetime import timedelta

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import make_array
from backend.tests.wiring import Api
from lunette.api.requests.services import ApiServices
from lunette.domain.events import EventOutcome, outcome_of
from lunette.store.events import emit
from lunette.store.journal import Event
from lunette.store.schema import utc_now


def kinds(api: Api, **filters: object) -> set[str]:
    return {event["kind"] for event in api.items("/events", **filters)}


def fill(api: Api) -> None:
    """Create an array and a host, and change the host; the job of the array adds events of its own."""
    make_array(api)
    api.made("/hosts", {"name": "h1", "os_type": "linux", "iqns": ["iqn.2001-04.com.example:h1"]})
    assert api.patch("/hosts/h1", {"description": "=cmd()"}).status_code == 200


def test_the_outcome_is_that_of_the_kind() -> None:
    reported = {kind: outcome_of(kind) for kind in ("volume.creating", "job.created", "host.created", "disk.gone")}
    assert list(reported.values()) == [EventOutcome.BEGUN, EventOutcome.BEGUN, EventOutcome.DONE, EventOutcome.DONE]
    failed = ("volume.create_failed", "array.stuck", "site.stopped", "schedule.missed", "schedule.failed")
    assert {outcome_of(kind) for kind in failed} == {EventOutcome.FAILED}


def test_filters_distinguish_actor_subject_and_result(appliance: Api) -> None:
    fill(appliance)
    assert kinds(appliance, outcome="begun") == {"array.creating", "job.created"}
    assert kinds(appliance, noun="host", outcome="done") == {"host.created", "host.changed"}
    assert kinds(appliance, outcome="failed") == set()
    assert {"host.created", "host.changed"} <= kinds(appliance, text="h1")
    assert kinds(appliance, text="h1", noun="array") == set()
    assert kinds(appliance, kind="host.changed") == {"host.changed"}
    (event,) = appliance.items("/events", kind="host.created")
    assert event["outcome"] == "done"
    assert kinds(appliance, actor=event["actor"], noun="host") == {"host.created", "host.changed"}
    assert kinds(appliance, actor="nobody*") == set()
    every = {one["actor"] for one in appliance.items("/events")}
    assert {one["actor"] for one in appliance.items("/events", people=True)} == every - {"system"}


def test_a_span_begins_with_its_first_moment_and_ends_before_its_last(appliance: Api) -> None:
    fill(appliance)
    (made,) = appliance.items("/events", kind="host.created")
    assert "host.created" in kinds(appliance, since=made["at"])
    assert "host.created" not in kinds(appliance, until=made["at"])
    later = (utc_now() + timedelta(hours=1)).isoformat()
    assert kinds(appliance, since=later) == set()
    assert appliance.call("GET", "/events", params={"since": "2026-11-23T07:00:00"}).status_code == 422
    assert appliance.call("GET", "/events", params={"since": "yesterday"}).status_code == 422


def operations(api: Api) -> list[tuple[str, str]]:
    """Kind and outcome of the event that stands for each operation, oldest first."""
    return [(one["kind"], one["outcome"]) for one in api.items("/events", operations=True, people=True, sort="seq")]


def test_an_operation_is_one_event_which_is_the_last_of_its_job(appliance: Api, machine: FakeSystem) -> None:
    fill(appliance)
    assert operations(appliance) == [("array.created", "done"), ("host.created", "done"), ("host.changed", "done")]
    (array,) = appliance.items("/events", kind="array.created")
    of_job = [one["kind"] for one in appliance.items("/events", job=array["job_id"], sort="seq")]
    assert of_job == ["array.creating", "job.created", "array.created", "job.finished"]
    machine.faults.break_calls(lambda call: call.detail.startswith("lvcreate"))
    wanted = {"name": "t1", "array": "tank", "size_bytes": 64 * 1024**2}
    filed = appliance.post("/volumes", wanted).json()
    appliance.until(lambda: appliance.get(f"/jobs/{filed['id']}")["state"] not in ("pending", "running"))
    assert operations(appliance)[3:] == [("volume.create_failed", "failed")]
    (failed,) = appliance.items("/events", job=filed["id"], operations=True)
    assert failed["kind"] == "volume.create_failed"


def test_an_operation_that_runs_is_the_event_of_its_start(appliance: Api, machine: FakeSystem) -> None:
    make_array(appliance)
    hang = machine.faults.hang(lambda line: line.startswith("lvcreate"))
    filed = appliance.post("/volumes", {"name": "t1", "array": "tank", "size_bytes": 64 * 1024**2}).json()
    assert operations(appliance)[1:] == [("volume.creating", "begun")]
    hang.let_go()
    appliance.done(filed)
    assert operations(appliance)[1:] == [("volume.created", "done")]


def test_a_run_of_a_schedule_and_each_of_its_snapshots_is_an_operation(appliance: Api) -> None:
    make_array(appliance)
    appliance.made("/volumes", {"name": "t1", "array": "tank", "size_bytes": 64 * 1024**2, "provisioning": "thin"})
    schedule = {"name": "nightly", "action": "snapshot", "volumes": ["t1"], "when": "0 3 * * *", "keep": {"last": 1}}
    appliance.made("/schedules", schedule)
    appliance.made("/schedules/nightly:run", None)
    kinds = [kind for kind, _ in operations(appliance)]
    assert kinds[:3] == ["array.created", "volume.created", "schedule.created"]
    assert sorted(kinds[3:]) == ["schedule.ran", "snapshot.created"]


def test_the_file_holds_what_the_filter_shows_with_the_lines_of_the_plans(appliance: Api) -> None:
    fill(appliance)
    answer = appliance.call("GET", "/events:export", params={"noun": "host"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-disposition"].startswith('attachment; filename="lunette-events-')
    shown = appliance.items("/events", noun="host")
    assert [one["seq"] for one in answer.json()] == [one["seq"] for one in shown]
    assert answer.json()[0]["changes"][0]["name"] == "h1"
    empty = appliance.call("GET", "/events:export", params={"text": "no such words"})
    assert empty.json() == []


def test_the_table_has_a_line_of_titles_and_no_formula(appliance_on_sqlite: tuple[Api, ApiServices]) -> None:
    appliance, services = appliance_on_sqlite
    fill(appliance)
    with services.store.write() as tx:
        emit(tx, "host.changed", "=HYPERLINK(1)", actor="@someone")
    answer = appliance.call("GET", "/events:export", params={"noun": "host", "format": "csv"})
    assert answer.headers["content-type"].startswith("text/csv")
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    assert lines[0]["message"] == "'=HYPERLINK(1)"
    assert lines[0]["actor"] == "'@someone"
    assert lines[-1]["outcome"] == "done"
    assert "create host h1: " in lines[-1]["changes"]
    assert appliance.call("GET", "/events:export", params={"format": "xml"}).status_code == 422


def test_a_long_log_is_reported_to_its_end_once(appliance_on_sqlite: tuple[Api, ApiServices]) -> None:
    appliance, services = appliance_on_sqlite
    with services.store.write() as tx:
        tx.add_all(Event(kind="host.changed", noun="host", actor="a", message=str(one), data={}) for one in range(2500))
    found = json.loads(appliance.call("GET", "/events:export", params={"actor": "a"}).text)
    assert [one["message"] for one in found] == [str(one) for one in reversed(range(2500))]
