"""Alerts over the API: shown, acknowledged, silenced, opened again."""

import pytest
from sqlalchemy import select

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import disk_ids
from backend.tests.wiring import Api, add_token
from lunette.api.requests.services import ApiServices
from lunette.domain.alerts import YEAR_S, Severity
from lunette.domain.roles import Role
from lunette.engine.alerts import board
from lunette.store.journal import Alert, Job
from lunette.store.resources import Target
from lunette.store.schema import utc_now

KEY = "array.warm:tank"
CAUSE = board.Cause(key=KEY, severity=Severity.WARNING, message="It is warm", cause="sun", fix="shade")


@pytest.fixture
def warm(services: ApiServices) -> str:
    """The id of an open alert."""
    with services.store.write() as tx:
        board.raise_alert(tx, CAUSE, utc_now())
        tx.flush()
        return tx.scalars(select(Alert.id).where(Alert.key == KEY)).one()


def test_an_alert_is_acknowledged_silenced_and_opened_again(api: Api, warm: str) -> None:
    assert api.get(f"/alerts/{warm}")["acknowledged_by"] is None
    planned = api.post(f"/alerts/{warm}:acknowledge", {"note": "a fan comes"}, dry_run=True)
    assert (planned.status_code, planned.json()["changes"][0]["name"]) == (200, KEY)
    assert api.get(f"/alerts/{warm}")["acknowledged_by"] is None, "a plan changes nothing"
    for _ in range(2):
        answer = api.post(f"/alerts/{warm}:acknowledge", {"note": "a fan comes"})
        assert answer.status_code == 200, answer.text
    shown = api.get(f"/alerts/{warm}")
    assert shown == answer.json()
    assert shown["note"] == "a fan comes"
    assert shown["acknowledged_by"].startswith("token:administrator")
    assert [one["id"] for one in api.items("/alerts", acknowledged=True)] == [warm]
    assert api.items("/alerts", acknowledged=False, ref="tank") == []
    silent = api.post(f"/alerts/{warm}:silence", {"duration_s": 3600}).json()
    assert silent["silenced_until"] > shown["acknowledged_at"]
    again = api.post(f"/alerts/{warm}:reopen").json()
    assert (again["acknowledged_by"], again["note"], again["silenced_until"]) == (None, "", None)


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("acknowledge", {"note": "x" * 1001}),
        ("acknowledge", {"until": 1}),
        ("silence", {}),
        ("silence", {"duration_s": 59}),
        ("silence", {"duration_s": YEAR_S + 1}),
    ],
)
def test_a_wrong_request_is_refused_and_changes_nothing(
    api: Api, warm: str, verb: str, body: dict[str, object]
) -> None:
    before = api.get(f"/alerts/{warm}")
    assert api.post(f"/alerts/{warm}:{verb}", body).status_code == 422
    assert api.get(f"/alerts/{warm}") == before


def test_what_is_not_there_or_over_is_refused_also_in_a_plan(api: Api, services: ApiServices, warm: str) -> None:
    assert api.post("/alerts/none:silence", {"duration_s": 60}).status_code == 404
    with services.store.write() as tx:
        board.resolve(tx, KEY, utc_now())
    for dry_run in (True, False):
        refused = api.post(f"/alerts/{warm}:acknowledge", {}, dry_run=dry_run)
        assert (refused.status_code, "is already resolved" in refused.json()["detail"]) == (409, True)


def test_a_viewer_may_only_read(api: Api, services: ApiServices, warm: str) -> None:
    viewer = Api(api.http, add_token(services.store, Role.VIEWER))
    assert viewer.get(f"/alerts/{warm}")["message"] == "It is warm"
    assert viewer.post(f"/alerts/{warm}:silence", {"duration_s": 60}).status_code == 403
    assert api.get(f"/alerts/{warm}")["silenced_until"] is None


def remedy_of(api: Api, services: ApiServices, key: str) -> dict[str, str] | None:
    """The remedy of an alert with this key, without empty values. Raised again if it is resolved or reworded."""
    cause = board.Cause(key=key, severity=Severity.CRITICAL, message="It is broken", cause="rust", fix="mend")
    for _ in range(20):
        with services.store.write() as tx:
            board.raise_alert(tx, cause, utc_now())
            tx.flush()
            id_ = tx.scalars(select(Alert.id).where(Alert.key == key, Alert.resolved_at.is_(None))).one()
        shown = api.get(f"/alerts/{id_}")
        listed = next(one for one in api.items("/alerts") if one["id"] == id_)
        if listed == shown and shown["resolved_at"] is None:
            return {name: value for name, value in shown["remedy"].items() if value} if shown["remedy"] else None
    raise AssertionError(f"the list never shows {key} as it is shown alone: {listed}, {shown}")


def test_a_lost_disk_is_to_be_replaced_and_one_that_fails_before_it_is_lost(
    standing: tuple[Api, ApiServices], machine: FakeSystem
) -> None:
    api, services = standing
    disks = disk_ids(api)[:3]
    api.done(api.made("/arrays", {"name": "tank", "level": "raid5", "disks": disks}))
    machine.advance(10_000.0)
    api.until(lambda: api.get("/arrays/tank")["health"] == "clean")
    array_id = api.get("/arrays/tank")["id"]
    replace = {"action": "replace_disk", "array": "tank", "disk": disks[0]}
    assert remedy_of(api, services, f"disk.failing:{disks[0]}") == replace
    assert remedy_of(api, services, f"disk.temperature:{disks[0]}") is None
    assert remedy_of(api, services, f"disk.failing:{disk_ids(api)[5]}") is None
    assert remedy_of(api, services, f"array.health:{array_id}") is None
    machine.pull(next(one for one in machine.blocks.disks if one.serial == api.get(f"/disks/{disks[0]}")["serial"]))
    api.until(lambda: api.get("/arrays/tank")["health"] == "degraded")
    assert remedy_of(api, services, f"array.health:{array_id}") == replace
    assert remedy_of(api, services, f"disk.failing:{disks[1]}") is None, "the array would lose a second disk"


def test_a_remedy_names_its_object_as_the_page_and_the_commands_do(standing: tuple[Api, ApiServices]) -> None:
    api, services = standing
    api.done(api.made("/arrays", {"name": "tank", "level": "raid1", "disks": disk_ids(api)[:2]}))
    api.made("/hosts", {"name": "db"})
    api.made("/schedules", {"name": "weekly", "action": "scrub", "arrays": ["tank"], "when": "0 3 * * 0"})
    ids = {path: api.get(f"/{path}")["id"] for path in ("arrays/tank", "hosts/db", "schedules/weekly")}
    locked = remedy_of(api, services, f"array.locked:{ids['arrays/tank']}")
    assert locked == {"action": "unlock_array", "array": "tank"}
    secrets = remedy_of(api, services, f"host.secret:{ids['hosts/db']}")
    assert secrets == {"action": "set_host_secrets", "host": "db"}
    failed = remedy_of(api, services, f"schedule.failed:{ids['schedules/weekly']}")
    assert failed == {"action": "run_schedule", "schedule": "weekly"}
    assert remedy_of(api, services, "job.stuck:that-is-forgotten") is None
    assert remedy_of(api, services, "clock.unset") is None


def test_the_status_counts_alerts_by_severity_and_those_that_nobody_sees_to(
    api: Api, services: ApiServices, warm: str
) -> None:
    before = api.get("/status")["counts"]
    remedy_of(api, services, "clock.unset")
    api.post(f"/alerts/{warm}:acknowledge", {})
    after = api.get("/status")["counts"]
    names = ("alerts", "critical_alerts", "warning_alerts", "unacknowledged_alerts")
    assert [after[name] - before[name] for name in names] == [1, 1, 0, 0]


def about(api: Api, services: ApiServices, *keys: str) -> dict[str, tuple[str, str] | None]:
    """The object of each alert with these keys, as noun and name; its ID finds the alert again."""
    with services.store.write() as tx:
        for key in keys:
            cause = board.Cause(key=key, severity=Severity.WARNING, message=f"Look at {key}", cause="rust", fix="mend")
            board.raise_alert(tx, cause, utc_now())
        tx.flush()
    found: dict[str, tuple[str, str] | None] = {}
    for one in api.items("/alerts"):
        if one["key"] not in keys:
            continue
        thing = one["about"]
        found[one["key"]] = (thing["noun"], thing["name"]) if thing else None
        assert api.get(f"/alerts/{one['id']}")["about"] == thing
        if thing:
            assert one["key"] in [alert["key"] for alert in api.items("/alerts", ref=thing["id"])]
    assert found.keys() == set(keys)
    return found


def test_an_alert_names_its_object_whatever_its_key_has(standing: tuple[Api, ApiServices]) -> None:
    api, services = standing
    disk = disk_ids(api)[0]
    api.done(api.made("/arrays", {"name": "tank", "level": "raid1", "disks": disk_ids(api)[:2]}))
    api.done(api.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "16MiB"}))
    api.made("/hosts", {"name": "db", "iqns": ["iqn.2026-01.com.example:db"]})
    api.made("/host-groups", {"name": "cluster", "hosts": ["db"]})
    api.made("/portals", {"name": "front", "address": "192.0.2.1"})
    api.made("/mappings", {"volume": "data", "host": "db"})
    api.made("/schedules", {"name": "weekly", "action": "scrub", "arrays": ["tank"], "when": "0 3 * * 0"})
    paths = ("arrays/tank", "volumes/data", "hosts/db", "host-groups/cluster", "schedules/weekly")
    array, volume, host, group, schedule = (api.get(f"/{path}")["id"] for path in paths)
    mapping, portal, job = (api.items(f"/{path}")[0]["id"] for path in ("mappings", "portals", "jobs"))
    with services.store.read() as tx:
        owned = {row.host_id or row.host_group_id: row.id for row in tx.scalars(select(Target))}
        title = tx.get_one(Job, job).title
    expected = {
        f"array.size:{array}": ("array", "tank"),
        f"array.disk:{array}:{disk}": ("array", "tank"),
        f"array.scrub:{array}:data": ("array", "tank"),
        f"thin_pool.space:{array}": ("array", "tank"),
        f"sealed_copy.stale:{array}": ("array", "tank"),
        f"disk.wear:{disk}": ("disk", disk),
        f"host.secret:{host}": ("host", "db"),
        f"target.partial:{owned[host]}": ("host", "db"),
        f"subsystem.blocked:{owned[group]}": ("host_group", "cluster"),
        f"mapping.reservations:{group}": ("host_group", "cluster"),
        f"mapping.blocks:{mapping}": ("volume", "data"),
        f"mapping.shared:{volume}": ("volume", "data"),
        "initiator.twins:iqn.2026-01.com.example:db": ("host", "db"),
        f"portal.blocked:{portal}": ("portal", "front"),
        f"schedule.failed:{schedule}": ("schedule", "weekly"),
        f"job.stuck:{job}": ("job", title),
        "interface.link:eth9": ("interface", "eth9"),
        "host.secret:that-is-deleted": None,
        "system.update": None,
    }
    assert about(api, services, *expected) == expected
    assert {one["about"]["name"] for one in api.items("/alerts", ref=host)} == {"db"}


def test_alerts_are_found_by_what_they_say(api: Api, services: ApiServices, warm: str) -> None:
    def found(text: str) -> list[str]:
        return [one["id"] for one in api.items("/alerts", text=text)]

    assert found("is WARM") == found("sun") == found("i*warm") == [warm]
    assert found("shade") == found("100%") == []
