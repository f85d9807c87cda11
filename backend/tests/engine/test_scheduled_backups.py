"""Scheduled backups over real connections: whole or not at all, in time, and never at the cost of an older one."""

import datetime as dt
import re
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError
from sqlalchemy import select

from backend.tests.engine.listeners import PASSWORD, USER, Authority
from backend.tests.engine.webdav_server import WebDav, webdav_server
from backend.tests.wiring import AwayAgent
from lunette.domain.backups import BackupRecord
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.settings import SettingsPatch
from lunette.engine.changes import settings
from lunette.engine.context.outcome import Actor
from lunette.engine.control import Control
from lunette.engine.notifications import outward
from lunette.engine.recovery import backups
from lunette.engine.recovery.backups import Backups
from lunette.store.database import Store
from lunette.store.journal import Alert, Event
from lunette.store.settings import SettingsRow, with_secrets
from tests.machines.sockets import free_port

ADMIN = Actor(name="admin")
PASSPHRASE = "correct horse battery"
MIDNIGHT = dt.datetime(2026, 11, 28, 0, 0, 30, tzinfo=dt.UTC)
"""The backups are due at 3:00."""


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def server(authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebDav]:
    monkeypatch.setattr(outward, "FORBIDDEN", (ip_network("127.0.0.2"),))
    with webdav_server(authority, tmp_path / "dav") as found:
        yield found


class Rig:
    """An appliance with its backups; the clock is the test's."""

    def __init__(self, store: Store, authority: Authority) -> None:
        self.store = store
        self.control = Control(store, AwayAgent())
        self.now = MIDNIGHT
        self.backups = self.another()
        self.made = 0
        self.set(name="san-1", trusted_ca=authority.pem)

    def another(self) -> Backups:
        """What one more process runs."""
        fresh = Backups(self.store, now=lambda: self.now)
        fresh.make = self.make
        return fresh

    def make(self, passphrase: SecretStr, certificate: bool) -> bytes:
        self.made += 1
        return f"{passphrase.get_secret_value()}, {certificate}, {self.made} ".encode() * 5000

    def set(self, **spec: Any) -> list[str]:
        with self.store.write() as tx:
            plan = settings.patch(self.control.change(tx, ADMIN), SettingsPatch.model_validate(spec)).plan
        return [f"{change.name}: {change.detail}" for change in plan.changes]

    def later(self, **span: float) -> None:
        self.now += dt.timedelta(**span)
        self.backups.round()

    def record(self) -> BackupRecord:
        with self.store.read() as tx:
            found = backups.record_of(tx)
        assert found is not None
        return found

    def alerts(self) -> list[tuple[str, str]]:
        with self.store.read() as tx:
            open_ = select(Alert.severity, Alert.cause).where(Alert.resolved_at.is_(None))
            return [(severity, cause) for severity, cause in tx.execute(open_)]

    def events(self) -> list[tuple[str, str]]:
        with self.store.read() as tx:
            kinds = select(Event.kind, Event.actor).where(Event.noun == "appliance").order_by(Event.seq)
            return [(kind, actor) for kind, actor in tx.execute(kinds)]


def to(server: WebDav, **more: Any) -> dict[str, Any]:
    return {"url": server.url, "user": USER, "password": PASSWORD, "passphrase": PASSPHRASE, **more}


@pytest.fixture
def rig(sqlite_store: Store, authority: Authority, server: WebDav) -> Rig:
    """Backups were just set up."""
    made = Rig(sqlite_store, authority)
    made.set(backup=to(server))
    made.later()
    return made


def test_a_backup_is_stored_when_its_time_has_come_and_not_before(rig: Rig, server: WebDav) -> None:
    rig.later(hours=2, minutes=59)
    assert server.asked == []
    rig.later(minutes=1)
    (name,) = server.names()
    assert re.fullmatch(r"san-1-[0-9a-f]{8}-20261128T030030Z\.lunette-backup", name)
    assert (server.root / name).read_bytes() == f"{PASSPHRASE}, True, 1 ".encode() * 5000
    assert [one.split()[0] for one in server.asked] == ["PUT", "GET", "MOVE"]
    rig.later(minutes=5)
    rig.later(hours=23, minutes=50)
    assert len(server.names()) == 1
    rig.later(minutes=5)
    assert len(server.names()) == 2
    assert rig.events() == [("appliance.backup_stored", "system")] * 2
    assert [one.name for one in rig.record().stored] == server.names()
    assert {one.size_bytes for one in rig.record().stored} == {len(f"{PASSPHRASE}, True, 1 ") * 5000}


def test_the_oldest_go_and_only_what_this_appliance_stored(rig: Rig, server: WebDav) -> None:
    foreign = server.root / "san-1-0badcafe-20250101T000000Z.lunette-backup"
    foreign.write_bytes(b"of another appliance")
    rig.set(backup={"url": server.url, "user": USER, "keep": 2, "certificate": False})
    for _ in range(4):
        rig.later(days=1)
    assert [one.made_at.day for one in rig.record().stored] == [1, 2]
    assert [one.name for one in rig.record().stored] == [name for name in server.names() if name != foreign.name]
    assert foreign.exists()
    assert b"False, 4" in (server.root / rig.record().stored[-1].name).read_bytes()


def test_a_full_server_costs_no_older_backup_and_is_tried_again(rig: Rig, server: WebDav) -> None:
    rig.set(backup={"url": server.url, "user": USER, "keep": 1})
    rig.later(hours=3)
    before = server.names()
    server.answers["PUT"] = 507
    rig.later(days=1)
    rig.later(minutes=14)
    assert server.names() == before
    assert [one.split()[0] for one in server.asked].count("PUT") == 2
    (alert,) = rig.alerts()
    assert alert[0] == "warning"
    assert "answers 507" in alert[1]
    assert "no space left" in alert[1]
    rig.later(minutes=1)
    assert [one.split()[0] for one in server.asked].count("PUT") == 3
    server.answers.clear()
    rig.later(minutes=15)
    assert rig.alerts() == []
    assert len(server.names()) == 1
    assert server.names() != before
    kinds = [kind for kind, _ in rig.events()]
    assert kinds == ["appliance.backup_stored", "appliance.backup_failed", "appliance.backup_stored"]


def test_a_broken_upload_is_under_no_name_of_a_backup_and_is_cleared_away(rig: Rig, server: WebDav) -> None:
    server.cut = 1000
    rig.later(hours=3)
    (partial,) = server.names()
    assert partial.endswith(".lunette-backup.partial")
    assert rig.record().stored == ()
    server.cut = None
    rig.later(minutes=15)
    assert server.names() == [one.name for one in rig.record().stored]
    assert partial not in server.names()
    assert rig.record().begun is None


def test_what_cannot_be_read_back_is_not_renamed(rig: Rig, server: WebDav) -> None:
    server.spoils = True
    rig.later(hours=3)
    assert server.whole() == []
    assert "does not return what was uploaded" in rig.alerts()[0][1]


def test_a_backup_whose_last_answer_was_lost_counts(rig: Rig, server: WebDav) -> None:
    """It is whole: it would otherwise stay on the server for ever."""
    server.lost = {"MOVE"}
    rig.later(hours=3)
    (name,) = server.whole()
    assert rig.record().stored == ()
    server.lost = set()
    rig.later(minutes=15)
    assert [one.name for one in rig.record().stored] == server.names()
    assert rig.record().stored[0].name == name


def test_a_backup_that_is_too_old_is_worse_than_one_that_failed_once(rig: Rig, server: WebDav) -> None:
    rig.later(hours=3)
    server.answers["PUT"] = 403
    rig.later(days=1)
    assert [severity for severity, _ in rig.alerts()] == ["warning"]
    rig.later(days=1)
    (alert,) = rig.alerts()
    assert alert[0] == "critical"
    assert alert[1].startswith("The newest is of 2026-11-28 03:00 UTC: ")
    assert "may not write to this folder" in alert[1]


def test_backups_that_never_worked_are_too_old_as_well(rig: Rig, server: WebDav) -> None:
    server.answers["PUT"] = 401
    rig.later(hours=3)
    rig.later(days=1)
    (alert,) = rig.alerts()
    assert alert == ("critical", f"None was stored since the start: {rig.record().trouble}")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (301, "answers 301 to PUT: "),
        (405, "does not support WebDAV"),
        (409, "the folder does not exist: create it on the server"),
        (500, "the disk of the server is on fire"),
    ],
)
def test_what_a_server_answers_is_told_to_who_asked(rig: Rig, server: WebDav, status: int, words: str) -> None:
    server.answers["PUT"] = status
    with pytest.raises(Conflict, match=words):
        rig.backups.run("admin")
    assert (server.names(), len(server.asked)) == ([], 1)
    assert rig.events() == [("appliance.backup_failed", "admin")]


def test_a_wrong_password_is_told(rig: Rig, server: WebDav) -> None:
    rig.set(backup=to(server, password="wrong"))
    with pytest.raises(Conflict, match="check user and password"):
        rig.backups.run("admin")
    assert server.names() == []


def test_an_address_of_this_machine_alone_is_not_asked(rig: Rig, server: WebDav) -> None:
    rig.set(backup=to(server, url=f"https://127.0.0.2:{server.port}/dav/san1"))
    with pytest.raises(Conflict, match="not allowed"):
        rig.backups.run("admin")


def test_a_certificate_that_changed_is_not_trusted(rig: Rig, server: WebDav) -> None:
    rig.set(trusted_ca=Authority().pem)
    with pytest.raises(Conflict, match="is not trusted"):
        rig.backups.run("admin")
    assert server.asked == []


def test_a_server_that_is_away_is_an_alert(rig: Rig) -> None:
    rig.set(backup={"url": f"https://127.0.0.1:{free_port()}/x", "passphrase": PASSPHRASE})
    rig.later()
    rig.later(hours=3)
    assert "cannot be reached" in rig.alerts()[0][1]


def test_a_clock_that_was_years_ahead_stops_nothing_and_deletes_nothing(rig: Rig, server: WebDav) -> None:
    rig.later(hours=3)
    rig.later(days=3650)
    assert len(server.names()) == 2, "one for all that it seems to have missed"
    rig.later(days=-3650)
    rig.later(minutes=1)
    assert len(server.names()) == 2
    assert rig.alerts() == []
    rig.later(days=1)
    assert len(server.names()) == 3
    server.answers["PUT"] = 507
    for _ in range(3):
        rig.later(days=1)
    assert [severity for severity, _ in rig.alerts()] == ["critical"], "the one of the future is not the newest"


def test_only_one_run_at_a_time_in_any_process(rig: Rig, server: WebDav) -> None:
    other = rig.another()
    refused = []

    def make(_passphrase: SecretStr, _certificate: bool) -> bytes:
        for one in (rig.backups, other):
            with pytest.raises(Conflict, match="is being stored now"):
                one.run("admin")
            refused.append(one)
        rig.backups.round()
        return b"content"

    rig.backups.make = make
    rig.backups.run("admin")
    assert refused == [rig.backups, other]
    assert len(server.names()) == 1
    rig.later(seconds=5)
    other.run("admin")
    assert len(server.names()) == 2


def test_a_process_that_ended_amid_a_run_does_not_hold_the_next_for_ever(rig: Rig, server: WebDav) -> None:
    class Killed(BaseException):
        pass

    def make(_passphrase: SecretStr, _certificate: bool) -> bytes:
        raise Killed

    rig.backups.make = make
    with pytest.raises(Killed):
        rig.backups.run("admin")
    rig.backups = rig.another()
    with pytest.raises(Conflict, match="is being stored now"):
        rig.backups.run("admin")
    rig.now += backups.LEASE
    rig.backups.run("admin")
    assert len(server.names()) == 1


def test_old_backups_that_stay_are_an_alert_and_go_later(rig: Rig, server: WebDav) -> None:
    rig.set(backup={"url": server.url, "user": USER, "keep": 1})
    rig.later(hours=3)
    server.answers["DELETE"] = 403
    rig.later(days=1)
    assert len(server.names()) == 2
    assert [severity for severity, _ in rig.alerts()] == ["warning"]
    assert rig.record().trouble is None
    server.answers.clear()
    rig.later(days=1)
    assert len(server.names()) == 1
    assert rig.alerts() == []


def test_backups_that_ended_and_return_know_what_they_stored(rig: Rig, server: WebDav) -> None:
    rig.later(hours=3)
    server.answers["PUT"] = 507
    rig.later(days=1)
    rig.set(backup=None)
    rig.later()
    assert rig.alerts() == []
    rig.later(days=5)
    with pytest.raises(Conflict, match="No scheduled backups are set up"):
        rig.backups.run("admin")
    rig.set(backup=to(server))
    rig.later()
    server.answers.clear()
    rig.later()
    assert len(server.names()) == 1, "it waits for its time"
    assert [one.name for one in rig.record().stored] == server.names()


def test_secrets_stay_with_the_server_they_were_entered_for(rig: Rig, server: WebDav) -> None:
    with rig.store.read() as tx:
        row = tx.scalars(select(SettingsRow)).one()
        assert set(row.sealed) == {"backup", "backup.passphrase"}
        assert not {PASSWORD, PASSPHRASE} & set(str(row.document).split("'"))
    assert rig.set(backup={"url": f"{server.url}/deeper", "user": USER}) != []
    with pytest.raises(Invalid, match=r"backup\.password: no value is stored for this server and user"):
        rig.set(backup={"url": "https://nas.example.com/x", "user": USER})
    rig.set(backup={"url": "https://nas.example.com/x"})
    with rig.store.read() as tx:
        held = with_secrets(tx, rig.store.box).backup
    assert held is not None
    assert held.password is None
    assert held.passphrase == SecretStr(PASSPHRASE)


def test_a_passphrase_is_needed_once(rig: Rig, server: WebDav) -> None:
    rig.set(backup=None)
    with pytest.raises(Invalid, match=r"backup\.passphrase: no passphrase is stored"):
        rig.set(backup={"url": server.url})


def test_nothing_is_stored_with_secrets_that_cannot_be_read(rig: Rig, server: WebDav) -> None:
    with rig.store.write() as tx:
        row = tx.scalars(select(SettingsRow)).one()
        row.sealed = {**row.sealed, "backup.passphrase": "sealed with another key"}
    with pytest.raises(Conflict, match="sealed with a different key: enter it again"):
        rig.backups.run("admin")
    assert (server.asked, rig.made) == ([], 0)


@pytest.mark.parametrize(
    "backup",
    [
        {"url": "http://nas.example.com/x"},
        {"url": "https://user:secret@nas.example.com/x"},
        {"url": "https://nas.example.com/x?token=1"},
        {"url": "https://nas.example.com/a b"},
        {"url": "https://nas.example.com:port/x"},
        {"url": "https://nas.example.com/x\r\nHost: y"},
        {"url": "https://nas.example.com/x", "password": "alone"},
        {"url": "https://nas.example.com/x", "user": "a:b"},
        {"url": "https://nas.example.com/x", "passphrase": "short"},
        {"url": "https://nas.example.com/x", "when": "never"},
        {"url": "https://nas.example.com/x", "keep": 0},
    ],
)
def test_settings_that_cannot_work_are_refused(backup: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SettingsPatch.model_validate({"backup": backup})
