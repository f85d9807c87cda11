"""Schedules and settings over the whole control plane, with its threads, as clients see them."""

import json
from datetime import datetime, timedelta

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import make_array
from backend.tests.wiring import Api, add_token
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.store.schedules import ScheduleState

MIB = 1024**2
NIGHTLY = {"name": "nightly", "action": "snapshot", "volumes": ["t1"], "when": "0  3 * * *", "keep": {"last": 1}}


@pytest.fixture
def thin(appliance: Api) -> Api:
    """An array with a thin volume `t1`."""
    make_array(appliance)
    appliance.made("/volumes", {"name": "t1", "array": "tank", "size_bytes": 64 * MIB, "provisioning": "thin"})
    return appliance


def test_a_schedule_is_made_run_changed_and_deleted(thin: Api) -> None:
    plan = thin.post("/schedules", NIGHTLY, dry_run=True)
    assert (plan.status_code, "first on" in plan.text, thin.items("/schedules")) == (200, True, [])
    made = thin.made("/schedules", NIGHTLY)
    assert (made["when"], made["volumes"], made["last_run"], made["snapshots"]) == ("0 3 * * *", ["t1"], None, 0)
    assert len(made["next_runs"]) == 3
    assert made["next_runs"][0].endswith("T03:00:00Z")
    for _ in range(2):
        job = thin.made("/schedules/nightly:run", None)
    assert [step["state"] for step in job["steps"]] == ["done", "done"]
    shown = thin.get("/schedules/nightly")
    assert (shown["last_run"]["state"], shown["last_run"]["job_id"], shown["snapshots"]) == ("succeeded", job["id"], 1)
    assert {one["actor"] for one in thin.items("/jobs") if "snapshot" in one["kind"]} == {"schedule nightly"}
    etag = thin.call("GET", "/schedules/nightly").headers["ETag"]
    thin.made("/schedules/nightly:run", None)
    changed = thin.patch("/schedules/nightly", {"enabled": False}, etag)
    assert (changed.status_code, changed.json()["next_runs"]) == (200, []), "a run makes no ETag old"
    assert thin.patch("/schedules/nightly", {"enabled": True}, etag).status_code == 412
    assert thin.call("PATCH", "/schedules/nightly", json={"enabled": True}).status_code == 428
    assert thin.delete("/schedules/nightly").status_code == 204
    assert len(thin.items("/snapshots")) == 1


def test_the_clock_alone_runs_a_schedule(appliance_on_sqlite: tuple[Api, ApiServices]) -> None:
    """The thread that looks at the clock files the run; it last looked two days ago, as after a time without power."""
    api, services = appliance_on_sqlite
    make_array(api)
    api.made("/volumes", {"name": "t1", "array": "tank", "size_bytes": 64 * MIB, "provisioning": "thin"})
    made = api.made("/schedules", NIGHTLY)
    with services.store.write() as tx:
        tx.get_one(ScheduleState, made["id"]).anchor_at -= timedelta(days=2)
    assert api.patch("/schedules/nightly", {"description": "wakes the thread"}).is_success
    api.until(lambda: (api.get("/schedules/nightly")["last_run"] or {}).get("state") == "succeeded")
    assert api.get("/schedules/nightly")["snapshots"] == 1


def test_the_site_document_holds_schedules_and_settings(thin: Api) -> None:
    thin.made("/schedules", NIGHTLY)
    mail = {
        "server": "mail.example.com",
        "user": "u",
        "password": "p",
        "sender": "a@example.com",
        "recipients": ["b@example.com"],
    }
    assert thin.patch("/settings", {"mail": mail, "time_zone": "Europe/Berlin"}).is_success
    site = thin.get("/site")
    assert "password" not in json.dumps(site["settings"])
    assert [one["name"] for one in site["schedules"]] == ["nightly"]
    assert thin.made("/site:plan", {"site": site})["changes"] == [], "what is exported is what is there"
    site["schedules"][0]["keep"] = {"last": 5}
    site["schedules"].append(NIGHTLY | {"name": "hourly", "when": "0 * * * *"})
    site["settings"]["session_hours"] = 3
    site["settings"]["mail"]["recipients"] = ["c@example.com"]
    thin.made("/site:apply", {"site": site})
    assert {one["name"]: one["keep"]["last"] for one in thin.items("/schedules")} == {"nightly": 5, "hourly": 1}
    settings = thin.get("/settings")
    assert (settings["session_hours"], settings["mail"]["recipients"]) == (3, ["c@example.com"])
    assert settings["mail"]["has_password"] is True, "a password that the document leaves out stays"
    assert thin.made("/site:plan", {"site": site})["changes"] == []
    gone = {"site": {"schedules": []}, "destroy": ["schedule/hourly"]}
    thin.made("/site:apply", gone)
    assert [one["name"] for one in thin.items("/schedules")] == ["nightly"]
    moved = site | {"settings": {"mail": {**site["settings"]["mail"], "server": "other.example.com"}}}
    refused = thin.post("/site:plan", {"site": moved})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "settings.mail.password")


def test_settings_are_shown_changed_and_act(appliance: Api) -> None:
    first = appliance.call("GET", "/settings")
    assert (first.json()["time_zone"], first.json()["mail"]) == ("UTC", None)
    etag = first.headers["ETag"]
    plan = appliance.patch("/settings", {"name": "san1"}, etag, dry_run=True)
    assert plan.json()["changes"][0]["detail"] == "none becomes san1"
    assert appliance.get("/settings")["name"] is None
    changed = appliance.patch("/settings", {"name": "san1", "session_hours": 2}, etag)
    assert (changed.status_code, appliance.get("/status")["name"]) == (200, "san1")
    assert appliance.patch("/settings", {"name": "san2"}, etag).status_code == 412, "the first change makes it old too"
    again = appliance.patch("/settings", {"name": "san1"}, changed.headers["ETag"])
    assert again.headers["ETag"] == changed.headers["ETag"], "nothing changed"
    assert appliance.patch("/settings", {"name": None}).json()["name"] is None


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"time_zone": "Mars/Olympus"}, "name of a time zone"),
        ({"time_zone": None}, "cannot be removed"),
        ({"webhook": {"url": "http://hooks.example.com/"}}, "expected an https URL"),
        ({"heartbeat": "25:00"}, "expected a time of day"),
        ({"trusted_ca": "-----BEGIN NOTHING-----"}, "PEM"),
        ({"syslog": {"transport": "udp"}}, "server: required for every transport except local"),
        ({"mail": {"server": "m", "sender": "a@b", "recipients": []}}, "recipients"),
        (
            {"mail": {"server": "m", "sender": "a@b", "recipients": ["a@b"], "security": "none", "user": "u"}},
            "unencrypted",
        ),
        ({"mail": {"server": "m", "sender": "a@b\r\nBcc: x@y", "recipients": ["a@b"]}}, "sender"),
    ],
)
def test_settings_that_cannot_be_are_refused(api: Api, spec: object, words: str) -> None:
    refused = api.patch("/settings", spec)
    assert (refused.status_code, words in refused.text) == (422, True), refused.text


def test_a_test_without_a_channel_says_what_to_do(api: Api) -> None:
    refused = api.post("/settings/alerts:test")
    assert (refused.status_code, "set mail, webhook or syslog" in refused.text) == (409, True)


def test_only_administrators_change_them(api: Api, services: ApiServices) -> None:
    operator = Api(api.http, add_token(services.store, Role.OPERATOR))
    assert operator.call("GET", "/settings").is_success
    assert operator.call("GET", "/schedules").is_success
    assert operator.patch("/settings", {"name": "x"}).status_code == 403
    assert operator.post("/schedules", NIGHTLY).status_code == 403
    assert operator.post("/settings/alerts:test").status_code == 403


def test_a_preview_shows_the_next_times_and_creates_nothing(api: Api) -> None:
    answer = api.get("/schedules:preview", when="30  6 * * MON-FRI")
    runs = [datetime.fromisoformat(run) for run in answer["next_runs"]]
    assert (answer["when"], answer["time_zone"], len(runs)) == ("30 6 * * MON-FRI", "UTC", 5)
    assert runs == sorted(runs)
    assert all((run.hour, run.minute) == (6, 30) and run.isoweekday() <= 5 for run in runs)
    assert api.items("/schedules") == []


@pytest.mark.parametrize("when", ["0 3 * *", "0 25 * * *", "0 3 30 2 *"])
def test_a_preview_of_no_cron_expression_is_refused_at_its_field(api: Api, when: str) -> None:
    refused = api.call("GET", "/schedules:preview", params={"when": when})
    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == ["when"]


def test_the_host_name_is_set_on_the_machine_and_names_the_appliance(appliance: Api, machine: FakeSystem) -> None:
    plan = appliance.patch("/settings", {"host_name": "san-1"}, dry_run=True).json()
    assert [change["detail"] for change in plan["changes"]] == ["none becomes san-1"]
    assert "The certificate of the web page and API does not change" in plan["warnings"][0]
    assert appliance.patch("/settings", {"host_name": "san-1"}).status_code == 200
    appliance.until(lambda: machine.hostname == "san-1")
    assert (appliance.get("/settings")["host_name"], appliance.get("/status")["name"]) == ("san-1", "san-1")
    assert appliance.patch("/settings", {"name": "rack4"}).status_code == 200
    assert appliance.get("/status")["name"] == "rack4"
    refused = appliance.patch("/settings", {"host_name": "san.example.com"})
    assert (refused.status_code, "a host name without a domain" in refused.text) == (422, True)
    assert appliance.patch("/settings", {"host_name": None}, dry_run=True).json()["warnings"] == []
    assert appliance.patch("/settings", {"host_name": None}).status_code == 200
    assert machine.hostname == "san-1", "it is left as it is"


def test_a_snapshot_names_the_schedule_that_took_it(thin: Api) -> None:
    thin.made("/schedules", NIGHTLY)
    thin.made("/schedules/nightly:run", None)
    thin.made("/snapshots", {"name": "by-hand", "volume": "t1"})
    assert {row["name"]: row["schedule"] for row in thin.items("/snapshots") if row["name"] == "by-hand"} == {
        "by-hand": None
    }
    (taken,) = thin.items("/snapshots", schedule="nightly")
    assert (taken["schedule"], thin.get(f"/snapshots/{taken['id']}")["schedule"]) == ("nightly", "nightly")
    assert thin.items("/snapshots", schedule="weekly") == []
    assert thin.delete("/schedules/nightly").status_code == 204
    assert [row["schedule"] for row in thin.items("/snapshots")] == [None, None]
