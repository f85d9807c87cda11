"""The second factor: set up, asked for at each login, replaced, lost, removed, and required by the settings."""

import base64
import datetime as dt
import re
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from fastapi.testclient import TestClient
from sqlalchemy import select

from backend.tests.wiring import Api, add_token, add_user
from lunette.api.auth import second_factor
from lunette.api.auth.first_user import reset_first_user
from lunette.api.auth.identity import COOKIE
from lunette.api.auth.passwords import LoginLimit
from lunette.api.requests.services import ApiServices
from lunette.api.routes import second_factor as routes
from lunette.domain.roles import Role
from lunette.domain.second_factor import PERIOD_S, base32, matching_period, new_recovery_codes, tidy
from lunette.store.access import SecondFactor
from lunette.store.journal import Event

PASSWORD = "correct horse battery"


class Clock:
    """The time that codes are checked by; it stands, so that no test depends on where a period begins."""

    def __init__(self) -> None:
        self.now = float(int(time.time() // PERIOD_S) * PERIOD_S + 10)

    def next_period(self) -> None:
        self.now += PERIOD_S


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (second_factor, routes):
        monkeypatch.setattr(module, "utc_now", lambda: dt.datetime.fromtimestamp(made.now, dt.UTC))
    return made


class Person:
    """The operator `ann` with a browser, a password, and perhaps an authenticator app."""

    def __init__(self, browser: TestClient, clock: Clock) -> None:
        self.browser, self.clock = browser, clock
        self.key = b""
        self.headers: dict[str, str] = {}

    def code(self) -> str:
        return TOTP(self.key, 6, SHA1(), PERIOD_S).generate(int(self.clock.now)).decode()

    def log_in(self, code: str | None = None, username: str = "ann") -> Any:
        body = {"username": username, "password": PASSWORD} | ({"code": code} if code else {})
        answer = self.browser.post("/api/v1/login", json=body)
        if answer.is_success:
            self.headers = {"X-CSRF-Token": answer.json()["csrf_token"]}
        return answer

    def elsewhere(self) -> "Person":
        """The same person at another browser."""
        other = Person(TestClient(self.browser.app, base_url="https://testserver"), self.clock)
        other.key = self.key
        return other

    def post(self, verb: str = "", **body: Any) -> Any:
        return self.browser.post(f"/api/v1/second-factor{verb}", json=body, headers=self.headers)

    def scan(self, **proof: str) -> dict[str, str]:
        """Begins to set up an app and reads its QR code."""
        offer = self.post(current_password=PASSWORD, **proof)
        assert offer.status_code == 200, offer.text
        asked = parse_qs(urlsplit(offer.json()["address"]).query)
        self.key = base64.b32decode(asked["secret"][0])
        return {name: values[0] for name, values in asked.items()}

    def set_up(self) -> list[str]:
        """Returns the recovery codes."""
        self.scan()
        confirmed = self.post(":confirm", code=self.code())
        assert confirmed.status_code == 200, confirmed.text
        self.clock.next_period()
        codes: list[str] = confirmed.json()["recovery_codes"]
        return codes


@pytest.fixture
def ann(http: TestClient, services: ApiServices, clock: Clock) -> Person:
    add_user(services.store, "ann", Role.OPERATOR, PASSWORD)
    person = Person(http, clock)
    assert person.log_in().status_code == 200
    return person


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if each attempt came some minutes after the one before."""
    monkeypatch.setattr(LoginLimit, "attempt", lambda *_given: None)


def kinds(services: ApiServices) -> list[str]:
    with services.store.read() as tx:
        return [*tx.scalars(select(Event.kind).order_by(Event.seq))]


@pytest.mark.parametrize(
    ("seconds", "code"),
    [(59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (1234567890, "005924"), (20000000000, "353130")],
)
def test_codes_are_those_of_rfc_6238(seconds: int, code: str) -> None:
    """Appendix B, with six digits instead of eight."""
    assert matching_period(b"12345678901234567890", code, seconds, 0) == seconds // 30


def test_a_code_is_good_around_its_period_and_never_twice() -> None:
    key, now = b"12345678901234567890", 1111111111
    code = TOTP(key, 6, SHA1(), PERIOD_S).generate(now).decode()
    assert [matching_period(key, code, now + away, 0) for away in (-60, -30, 0, 30, 60)] == [
        None,
        now // 30,
        now // 30,
        now // 30,
        None,
    ]
    assert matching_period(key, code, now, now // 30) is None
    assert matching_period(key, "081804", now, now // 30 - 1) is None, "an older one than the last"


def test_a_login_needs_a_code_once_an_app_was_set_up(ann: Person, services: ApiServices) -> None:
    assert ann.browser.get("/api/v1/me").json()["has_second_factor"] is False
    asked = ann.scan()
    assert (asked["digits"], asked["period"], asked["issuer"]) == ("6", "30", services.name())
    assert ann.elsewhere().log_in().status_code == 200, "nothing is asked for before a code was shown"
    assert ann.post(":confirm", code=ann.code()).status_code == 200
    ann.clock.next_period()
    without = ann.log_in()
    assert (without.status_code, without.json()["type"]) == (401, "code-required")
    assert ann.log_in("000000").json()["type"] == "unauthenticated"
    entered = ann.log_in(f" {ann.code()[:3]} {ann.code()[3:]} ")
    assert (entered.status_code, entered.json()["has_second_factor"]) == (200, True)
    assert "user.second_factor_set" in kinds(services)


def test_a_code_lets_in_once(ann: Person) -> None:
    ann.set_up()
    code = ann.code()
    assert ann.log_in(code).status_code == 200
    again = ann.log_in(code)
    assert (again.status_code, "used before" in again.json()["detail"]) == (401, True)


def test_a_wrong_password_with_a_right_code_says_nothing_of_either(ann: Person) -> None:
    ann.set_up()
    body = {"username": "ann", "password": "not the password", "code": ann.code()}
    refused = ann.browser.post("/api/v1/login", json=body)
    assert (refused.status_code, refused.json()["detail"]) == (401, "The user name or the password is incorrect.")
    assert ann.log_in(ann.code()).status_code == 200, "the code was not used up"


def test_each_recovery_code_lets_in_once_and_leaves_an_event(ann: Person, services: ApiServices) -> None:
    first, second, *_ = ann.set_up()
    assert ann.log_in(first.upper()).status_code == 200
    assert ann.log_in(first).status_code == 401
    assert ann.log_in(tidy(second)).status_code == 200
    with services.store.read() as tx:
        used = tx.scalars(select(Event.data).where(Event.kind == "user.recovery_code_used").order_by(Event.seq)).all()
    assert used == [{"left": 9}, {"left": 8}]


def test_recovery_codes_recreated_replace_those_before(ann: Person) -> None:
    old, *_ = ann.set_up()
    renewed = ann.post(":renew-codes", current_password=PASSWORD, code=ann.code())
    assert renewed.status_code == 200
    assert ann.log_in(old).status_code == 401
    assert ann.log_in(renewed.json()["recovery_codes"][0]).status_code == 200


def test_another_app_takes_the_place_of_the_first_when_it_is_confirmed(ann: Person) -> None:
    recovery = ann.set_up()
    assert ann.post(current_password=PASSWORD).json()["errors"][0]["field"] == "code"
    elsewhere, first = ann.elsewhere(), ann.key
    ann.scan(code=recovery[0])
    second = ann.key
    assert elsewhere.log_in(elsewhere.code()).status_code == 200, "the first holds until then"
    assert ann.post(":confirm", code=ann.code()).status_code == 200
    ann.clock.next_period()
    ann.key = first
    assert ann.log_in(ann.code()).status_code == 401
    ann.key = second
    assert ann.log_in(ann.code()).status_code == 200


def test_setting_one_up_ends_the_other_logins(ann: Person) -> None:
    elsewhere = ann.browser.cookies[COOKIE]
    assert ann.log_in().status_code == 200
    ann.set_up()
    assert ann.browser.get("/api/v1/me").status_code == 200
    assert ann.browser.get("/api/v1/me", headers={"Cookie": f"{COOKIE}={elsewhere}"}).status_code == 401


@pytest.mark.parametrize("verb", ["", ":renew-codes", ":remove"])
def test_an_open_login_alone_changes_nothing(ann: Person, verb: str, unlimited: None) -> None:
    ann.set_up()
    code = ann.code()
    wrong = ann.post(verb, current_password="not the password", code=code)
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "current_password")
    for proof in ({}, {"code": "000000"}):
        refused = ann.post(verb, current_password=PASSWORD, **proof)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "code")
    assert ann.log_in(code).status_code == 200, "it is still asked for, and the code was not used up"


def test_the_owner_removes_it_with_password_and_code(ann: Person, services: ApiServices) -> None:
    ann.set_up()
    assert ann.post(":remove", current_password=PASSWORD, code=ann.code()).status_code == 204
    assert ann.log_in().json()["has_second_factor"] is False
    assert ann.post(":remove", current_password=PASSWORD).status_code == 409
    assert "user.second_factor_removed" in kinds(services)


def test_confirming_needs_one_that_is_being_set_up_and_a_code_of_it(ann: Person) -> None:
    assert ann.post(":confirm", code="123456").status_code == 409
    ann.scan()
    assert ann.post(":confirm", code="000000").json()["errors"][0]["field"] == "code"
    assert ann.log_in().status_code == 200


@pytest.mark.parametrize("code", ["12345", "1234567", "١٢٣٤٥٦", "abcd-efgh", "", "x" * 41])
def test_what_cannot_be_a_code_is_refused_as_such(ann: Person, code: str) -> None:
    refused = ann.browser.post("/api/v1/login", json={"username": "ann", "password": PASSWORD, "code": code})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "code")


def test_an_administrator_removes_it_for_who_has_lost_everything(ann: Person, api: Api) -> None:
    ann.set_up()
    assert api.get("/users/ann")["has_second_factor"] is True
    assert [one["has_second_factor"] for one in api.items("/users") if one["username"] == "ann"] == [True]
    plan = api.ask(
        "PATCH", "/api/v1/users/ann?dry_run=true", json={"remove_second_factor": True}, headers={"If-Match": "*"}
    )
    assert "no second factor" in plan.json()["changes"][0]["detail"]
    changed = api.patch("/users/ann", {"remove_second_factor": True})
    assert changed.json()["has_second_factor"] is False
    assert ann.log_in().status_code == 200
    again = api.ask(
        "PATCH", "/api/v1/users/ann?dry_run=true", json={"remove_second_factor": True}, headers={"If-Match": "*"}
    )
    assert again.json()["changes"] == []


def test_another_password_leaves_the_second_factor(ann: Person, api: Api) -> None:
    ann.set_up()
    fresh = "another horse battery"
    assert api.patch("/users/ann", {"password": fresh}).status_code == 200
    body = {"username": "ann", "password": fresh}
    assert ann.browser.post("/api/v1/login", json=body).json()["type"] == "code-required"
    assert ann.browser.post("/api/v1/login", json=body | {"code": ann.code()}).status_code == 200


def test_the_way_back_in_on_the_console_removes_it(http: TestClient, services: ApiServices, clock: Clock) -> None:
    add_user(services.store, "admin", Role.ADMINISTRATOR, PASSWORD)
    admin = Person(http, clock)
    assert admin.log_in(username="admin").status_code == 200
    admin.set_up()
    password = reset_first_user(services.store, services.passwords, services.one_time)
    entered = http.post("/api/v1/login", json={"username": "admin", "password": password})
    assert (entered.status_code, entered.json()["has_second_factor"]) == (200, False)


def test_an_api_token_still_works_and_cannot_change_it(ann: Person, services: ApiServices) -> None:
    ann.set_up()
    asking = Api(ann.browser, add_token(services.store, Role.ADMINISTRATOR))
    assert asking.get("/me")["second_factor_required"] is False
    assert asking.post("/second-factor", {"current_password": PASSWORD}).status_code == 403


def test_where_it_is_required_nothing_else_is_possible_before(ann: Person, api: Api) -> None:
    required = api.patch("/settings", {"second_factor_required": True})
    assert required.status_code == 200, required.text
    assert ann.log_in().json()["second_factor_required"] is True
    refused = ann.browser.get("/api/v1/hosts")
    assert (refused.status_code, refused.json()["type"]) == (403, "second-factor-required")
    made = ann.browser.post("/api/v1/tokens", json={"name": "t"}, headers=ann.headers)
    assert made.json()["type"] == "second-factor-required"
    assert api.call("GET", "/hosts").status_code == 200, "an API token is for automation, which has no app"
    ann.set_up()
    assert ann.browser.get("/api/v1/hosts").status_code == 200
    stays = ann.post(":remove", current_password=PASSWORD, code=ann.code())
    assert (stays.status_code, "second_factor_required" in stays.json()["detail"]) == (409, True)
    ann.clock.next_period()
    assert ann.log_in(ann.code()).json()["second_factor_required"] is False


def test_guessing_codes_is_slow_where_the_password_is_known(
    ann: Person, services: ApiServices, unlimited: None
) -> None:
    ann.set_up()
    statuses = [ann.log_in(f"{number:06}").status_code for number in range(12)]
    assert set(statuses[:10]) == {401}
    assert statuses[10:] == [429, 429]
    assert ann.log_in(ann.code()).status_code == 429
    assert "user.login_failed" in kinds(services)


def test_a_refused_code_says_how_long_to_wait(ann: Person, unlimited: None) -> None:
    ann.set_up()
    for number in range(10):
        ann.log_in(f"{number:06}")
    refused = ann.log_in(ann.code())
    assert refused.status_code == 429
    assert 3500 < int(refused.headers["Retry-After"]) <= 3600
    assert "wait 60 minutes" in refused.json()["detail"]


def test_a_user_with_another_second_factor_has_another_etag(ann: Person, api: Api) -> None:
    """A client that read ann before her second factor changed must not change her on that basis."""
    before = api.call("GET", "/users/ann").headers["ETag"]
    recovery = ann.set_up()
    after = api.call("GET", "/users/ann").headers["ETag"]
    assert api.patch("/users/ann", {"role": "viewer"}, before).status_code == 412
    assert ann.post(":remove", current_password=PASSWORD, code=recovery[0]).status_code == 204
    assert len({before, after, api.call("GET", "/users/ann").headers["ETag"]}) == 3
    ann.set_up()
    with_one = api.call("GET", "/users/ann").headers["ETag"]
    assert api.patch("/users/ann", {"remove_second_factor": True}).headers["ETag"] != with_one


def test_attackers_do_not_lock_the_user_out_of_the_usual_computer() -> None:
    limit = LoginLimit(codes=2)
    for address in ("192.0.2.1", "192.0.2.2"):
        limit.code_attempt(address, "ann", lambda: False)
    with pytest.raises(Exception, match="Too many codes"):
        limit.code_attempt("192.0.2.3", "ann", lambda: False)
    limit.code_attempt("192.0.2.9", "ann", lambda: True)


def test_nothing_of_it_lies_readable_in_the_database_the_events_or_the_answers(
    ann: Person, services: ApiServices
) -> None:
    recovery = ann.set_up()
    with services.store.read() as tx:
        row = tx.scalars(select(SecondFactor)).one()
        stored = f"{row.secret_sealed} {row.next_sealed} {row.recovery_hashes}"
        stored += " ".join(f"{event.message} {event.data}" for event in tx.scalars(select(Event)))
    shown = ann.browser.get("/api/v1/me").text
    for secret in (base32(ann.key), ann.key.hex(), *recovery, *map(tidy, recovery)):
        assert secret not in stored
        assert secret not in shown


def test_recovery_codes_are_easy_to_type_and_differ() -> None:
    codes = new_recovery_codes()
    assert len(set(codes)) == 10
    assert all(re.fullmatch(r"[a-hj-km-np-z2-9]{4}(-[a-hj-km-np-z2-9]{4}){2}", code) for code in codes)
