"""Tokens in addresses, of the webhook and of updates, are planted and then looked for wherever anybody can look."""

import http.server
import re
import threading
import time
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import structlog
from httpx2 import Client, Response
from sqlalchemy import select, text, update

from backend.tests.api.test_backup import back_up, restored
from backend.tests.api.test_main import started
from backend.tests.api.test_support import unpacked
from backend.tests.engine.listeners import Authority, HttpServer, https_server
from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.slots import FakeSlots
from backend.tests.wiring import Api, add_token, make_services, running
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices, Files
from lunette.api.server.log import set_up_log
from lunette.domain.alerts import Severity
from lunette.domain.roles import Role
from lunette.domain.updates import BundleFacts
from lunette.engine.alerts import board
from lunette.engine.notifications import outward
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.journal import Event
from lunette.store.schema import utc_now
from lunette.store.secrets import SecretBox
from lunette.store.settings import Delivery, SettingsRow, settings_row, with_secrets
from tests.machines.pace import deadline

MARK = "T0kenT0ken"
"""Begins every planted token."""
SERVER = "https://hooks.example.com"
WHOLE = f"{SERVER}/services/{MARK}Path?key={MARK}Query"
FIRE = board.Cause(key="clock.unset", severity=Severity.CRITICAL, message="It burns", cause="fire", fix="water")
ENDLESS = "event_stream"
"""It carries what event_list answers, for ever."""


class Listening(Api):
    """Notes all that is answered, to everybody who asks through one of these."""

    heard: dict[str, str]

    def __init__(self, http: Client, token: str, heard: dict[str, str]) -> None:
        super().__init__(http, token)
        self.heard = heard

    def ask(self, method: str, path: str, **options: Any) -> Response:
        answer = super().ask(method, path, **options)
        self.heard[f"{len(self.heard)} {method} {path}"] = f"{answer.headers} {answer.content.decode(errors='replace')}"
        return answer


class _Updates(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        what = self.path.split("/")[1]
        target = {"file": f"file:///etc/{MARK}", "odd": f"http://127.0.0.1:{MARK}/x", "loop": self.path}.get(what)
        if what == "gone":
            self.send_error(404, f"There is no {self.path}")
            return
        if what == "garbage":
            self.wfile.write(f"what is {self.path}?\r\n\r\n".encode())
            return
        self.send_response(302 if target else 200)
        if target:
            self.send_header("Location", target)
        self.send_header("Content-Length", "9" if what == "half" else "6")
        self.end_headers()
        self.wfile.write(b"abcdef")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def updates() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Updates) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{made.server_address[1]}"
        made.shutdown()
        thread.join()


@pytest.fixture
def services(
    tmp_path: Path, sqlite_url: str, machine: FakeSystem, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> ApiServices:
    """Of an installed appliance, whose bundles all are well."""
    machine.slots = FakeSlots(machine)
    monkeypatch.setattr(outward, "FORBIDDEN", (ip_network("127.0.0.2"),))
    monkeypatch.setattr(agent, "look_at_bundle", lambda **_: BundleFacts(compatible="lunette-x86_64", version="2.0"))
    made = make_services(tmp_path, agent, sqlite_url)
    object.__setattr__(made, "files", Files(tmp_path, tmp_path / "cert.pem", tmp_path / "key.pem", own=False))
    return made


def plant_in_webhook(admin: Listening, web: HttpServer, ca: str) -> None:
    """Sets it, changes it in each way there is, undoes that, and has its server quote what it is asked for."""
    server = f"https://127.0.0.1:{web.port}"
    spec: dict[str, Any] = {
        "webhook": {"url": f"{server}/{MARK}Path?key={MARK}Query", "secret": f"{MARK}-secret-of-16"},
        "trusted_ca": ca,
    }
    assert admin.patch("/settings", spec, dry_run=True).status_code == 200
    assert admin.patch("/settings", spec).status_code == 200
    for wrong in (f"http://h/{MARK}", f"https://{MARK}:{MARK}@h/x", f"https://h/{MARK} x", {"x": MARK}):
        assert admin.patch("/settings", {"webhook": {"url": wrong}}).status_code == 422
    request = {"site": {"settings": {"webhook": {"url": f"{server}/{MARK}Site"}}}}
    assert admin.post("/site:plan", request).status_code == 200
    admin.made("/site:apply", request)
    changed = admin.items("/events", kind="setting.changed")
    newest = max(event["seq"] for event in changed)
    assert admin.post(f"/events/{newest}:undo", dry_run=True).status_code == 200
    assert admin.post(f"/events/{newest}:undo").status_code == 201
    web.status, web.quotes = 404, True
    (tested,) = admin.post("/settings/alerts:test").json()["results"]
    assert "answers 404" in tested["detail"]
    assert f"/{MARK}Path?key={MARK}Query" in {post.path for post in web.posts}


def fail_to_deliver(admin: Listening, services: ApiServices) -> None:
    """An alert that the webhook's server refuses until an alert tells so."""
    with services.store.write() as tx:
        board.raise_alert(tx, FIRE, utc_now())
    admin.until(lambda: admin.get("/settings")["deliveries"][0]["trouble"] is not None)
    with services.store.write() as tx:
        tx.execute(update(Delivery).values(attempts=2, lease_until=None))
    admin.until(lambda: "delivery.failed:webhook" in {alert["key"] for alert in admin.items("/alerts")})


def plant_in_updates(admin: Listening, updates: str) -> None:
    """Fetch one bundle, then cause every kind of failed fetch."""
    end = deadline(60)
    while not admin.get("/updates")["available"]:
        assert time.monotonic() < end, "the slots were not seen"
        time.sleep(0.1)
    came = admin.post("/updates/bundle:fetch", {"url": f"{updates}/fine/{MARK}Bundle?sig={MARK}Sig"})
    assert came.status_code == 201, came.text
    for what in ("gone", "half", "file", "odd", "loop", "garbage"):
        url = f"{updates}/{what}/{MARK}Bundle?sig={MARK}Sig"
        assert admin.post("/updates/bundle:fetch", {"url": url}).status_code == 422, what
    for url in (
        f"http://127.0.0.1:port/{MARK}",
        f"{updates}/\x7f{MARK}",
        f"http://{MARK}:{MARK}@127.0.0.1/x",
        f"ftp://x/{MARK}",
        f"https://127.0.0.1:1/{MARK}?x={MARK}",
        f"http://127.0.0.2/{MARK}",
    ):
        assert admin.post("/updates/bundle:fetch", {"url": url}).status_code == 422, url


def places(api: Api, path: str) -> Iterator[str]:
    """A path of the document with what there is in place of its parameter; of much, the last few."""
    before, name, after = re.match(r"([^{]*)(?:\{(\w+)\})?(.*)", path).groups()  # type: ignore[union-attr]
    if name is None:
        yield path
        return
    for one in api.items(before.rstrip("/"))[:30]:
        for field in ("id", "seq", "kernel_name", "name"):
            if one.get(field) is not None:
                yield f"{before}{one[field]}{after}"
                break


def read_everything(api: Api, admin: Api) -> set[str]:
    """Calls every GET operation of the document; the names of those that answered."""
    answered = set()
    for path, operations in admin.ask("GET", "/api/v1/openapi.json").json()["paths"].items():
        if "get" not in operations or operations["get"]["operationId"] == ENDLESS:
            continue
        for place in places(admin, path.removeprefix("/api/v1")):
            if api.call("GET", place).status_code == 200:
                answered.add(operations["get"]["operationId"])
    return answered


@pytest.mark.timeout(600)
def test_a_token_in_an_address_is_found_nowhere(
    services: ApiServices, updates: str, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: dict[str, str] = {}
    before = structlog.get_config()
    set_up_log()
    try:
        authority = Authority()
        with https_server(authority) as web, running(services) as client:
            by_role = {role: Listening(client, add_token(services.store, role), heard) for role in Role}
            admin = by_role[Role.ADMINISTRATOR]
            plant_in_webhook(admin, web, authority.pem)
            fail_to_deliver(admin, services)
            plant_in_updates(admin, updates)
            answered = {role: read_everything(api, admin) for role, api in by_role.items()}
            support = unpacked(admin.post("/appliance:support", None))
            with services.store.read() as tx:
                names = tx.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'")).all()
                stored = {name: str(tx.execute(text(f'SELECT * FROM "{name}"')).all()) for name in names}
                assert tx.scalars(select(Delivery.outcome)).first() != ""
        captured = capsys.readouterr()
        reported = captured.out + captured.err
    finally:
        structlog.configure(**before)
    everything = heard | support | stored | {"log": reported}
    assert [where for where, said in everything.items() if MARK.lower() in said.lower()] == []
    server = f"https://127.0.0.1:{web.port}"
    showing = {"setting_show", "site_show", "event_list", "event_show", "job_show", "alert_show", "update_show"}
    for role in (Role.VIEWER, Role.OPERATOR, Role.ADMINISTRATOR):
        assert showing <= answered[role], "who looks nowhere finds nothing"
    for where in ("GET /api/v1/settings", "GET /api/v1/site", "GET /api/v1/events/"):
        assert [name for name, said in heard.items() if where in name and server in said], where
    assert server in support["database/site.json"]


def write_as_before(store: Store) -> None:
    """The settings and their event, as written by a version that stored the address in plain text."""
    with store.write() as tx:
        row = settings_row(tx)
        row.document, row.sealed = {**row.document, "webhook": {"url": WHOLE, "secret": None}}, {}
        tx.add(row)
        line = {"action": "change", "noun": "setting", "name": "webhook", "detail": f"none becomes url {WHOLE}"}
        emit(tx, "setting.changed", "Change the settings: webhook", data={"plan": {"changes": [line]}})


def check_sealed(store: Store) -> None:
    with store.write() as tx:
        row, hook = tx.scalars(select(SettingsRow)).one(), with_secrets(tx).webhook
        events = tx.scalars(select(Event.data).where(Event.kind == "setting.changed")).all()
    assert MARK not in f"{row.document} {row.sealed} {events}"
    assert SERVER in str(events)
    assert hook is not None
    assert hook.url.get_secret_value() == WHOLE


def test_a_start_seals_what_an_older_version_left(tmp_path: Path) -> None:
    with started(tmp_path):
        pass
    store = Store.open(f"sqlite:///{tmp_path}/data/lunette.db", SecretBox.at(tmp_path / "data/secret.key"))
    write_as_before(store)
    for _ in range(2):
        with started(tmp_path):
            pass
        check_sealed(store)
    store.close()


@pytest.mark.parametrize("is_old", [True, False])
def test_a_backup_brings_the_whole_address_back_sealed(
    tmp_path: Path, database_url: str, agent: Agent, *, is_old: bool
) -> None:
    made = make_services(tmp_path, agent, database_url)
    with running(made) as client:
        api = Api(client, add_token(made.store, Role.ADMINISTRATOR))
        if is_old:
            write_as_before(made.store)
        else:
            assert api.patch("/settings", {"webhook": {"url": WHOLE}}).status_code == 200
        file = back_up(api)
        assert api.patch("/settings", {"webhook": None}).status_code == 200
        restored(api, file)
        check_sealed(made.store)
        shown = api.get("/settings")["webhook"]
        assert (shown["url"], shown["has_path"]) == (SERVER, True)
