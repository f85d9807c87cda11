"""Alerts over the API: shown, acknowledged, silenced, opened again."""

import pytest
from sqlalchemy import select

from backend.tests.wiring import Api, add_token
from lunette.api.requests.services import ApiServices
from lunette.domain.alerts import YEAR_S, Severity
from lunette.domain.roles import Role
from lunette.engine.alerts import board
from lunette.store.journal import Alert
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


def test_a_viewer_may_only_look(api: Api, services: ApiServices, warm: str) -> None:
    viewer = Api(api.http, add_token(services.store, Role.VIEWER))
    assert viewer.get(f"/alerts/{warm}")["message"] == "It is warm"
    assert viewer.post(f"/alerts/{warm}:silence", {"duration_s": 60}).status_code == 403
    assert api.get(f"/alerts/{warm}")["silenced_until"] is None
