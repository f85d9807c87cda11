"""Alerts are sent over real connections: once, in order, to trusted servers, and without delaying others."""

import datetime as dt
import hashlib
import hmac
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from backend.tests.engine.listeners import (
    PASSWORD,
    USER,
    Authority,
    HttpServer,
    https_server,
    log_server,
    mail_server,
)
from backend.tests.wiring import AwayAgent
from lunette.domain.alerts import Severity
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.messages import Message, MessageKind
from lunette.domain.settings import Channel, SettingsPatch, SyslogSettings
from lunette.engine.alerts import board
from lunette.engine.changes import settings
from lunette.engine.context.outcome import Actor
from lunette.engine.control import Control
from lunette.engine.notifications import delivery, syslog
from lunette.engine.notifications.delivery import NotificationService
from lunette.engine.notifications.failure import DeliveryFailed
from lunette.store.database import Store
from lunette.store.journal import Alert
from lunette.store.schema import utc_now
from lunette.store.settings import Delivery, SettingsRow
from tests.machines.sockets import free_port

ADMIN = Actor(name="admin")
SECRET = "a-webhook-secret-of-ours"
FIRE = board.Cause(key="clock.unset", severity=Severity.CRITICAL, message="It burns", cause="fire", fix="water")


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


class Rig:
    """Settings, alerts and the post on a store; the clock is the test's."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.control = Control(store, AwayAgent())
        self.now = utc_now()
        self.post = NotificationService(store, now=lambda: self.now)

    def set(self, **spec: Any) -> list[str]:
        with self.store.write() as tx:
            plan = settings.patch(self.control.change(tx, ADMIN), SettingsPatch.model_validate(spec)).plan
        return [f"{change.name}: {change.detail}" for change in plan.changes]

    def raise_(self, cause: board.Cause = FIRE) -> None:
        with self.store.write() as tx:
            board.raise_alert(tx, cause, self.now)

    def resolve(self) -> None:
        with self.store.write() as tx:
            board.resolve(tx, FIRE.key, self.now)

    def carry(self, channel: Channel) -> None:
        self.post.round()
        self.post.couriers[channel].round()

    def later(self, **span: float) -> None:
        self.now += dt.timedelta(**span)

    def rows(self) -> list[Delivery]:
        with self.store.read() as tx:
            return list(tx.scalars(select(Delivery).order_by(Delivery.seq)))

    def open(self) -> list[str]:
        with self.store.read() as tx:
            return list(tx.scalars(select(Alert.key).where(Alert.resolved_at.is_(None)).order_by(Alert.key)))


@pytest.fixture
def rig(sqlite_store: Store) -> Rig:
    return Rig(sqlite_store)


def mail(port: int, **changes: Any) -> dict[str, Any]:
    return {
        "server": "localhost",
        "port": port,
        "user": USER,
        "password": PASSWORD,
        "sender": "san@example.com",
        "recipients": ["ops@example.com", "night@example.com"],
        **changes,
    }


def hook(port: int, **changes: Any) -> dict[str, Any]:
    return {"url": f"https://127.0.0.1:{port}/lunette?x=1", "secret": SECRET, **changes}


def texts(server: HttpServer) -> list[tuple[str, str]]:
    return [(found["kind"], found["text"]) for found in (json.loads(one.body) for one in server.posts)]


def test_an_alert_is_mailed_once_when_it_is_raised_and_once_when_it_is_over(store: Store, authority: Authority) -> None:
    rig = Rig(store)
    with mail_server(authority) as server:
        rig.set(mail=mail(server.port), trusted_ca=authority.pem, name="san1")
        rig.raise_()
        rig.raise_()
        rig.raise_(FIRE.model_copy(update={"cause": "a larger fire"}))
        for _ in range(3):
            rig.carry(Channel.MAIL)
        rig.resolve()
        rig.post = NotificationService(store, now=lambda: rig.now)
        rig.carry(Channel.MAIL)
    assert [one["Subject"] for one in server.mails] == ["[san1] It burns", "[san1] Resolved: It burns"]
    assert "What to do: water" in server.mails[0].as_string()
    assert server.mails[0]["To"] == "ops@example.com, night@example.com"
    assert len({one["Message-ID"] for one in server.mails}) == 2
    assert {row.outcome for row in rig.rows()} == {f"localhost:{server.port} accepted the message"}


def test_a_webhook_is_signed_and_queued_messages_are_sent_in_order_after_an_outage(
    rig: Rig, authority: Authority
) -> None:
    port = free_port()
    rig.set(webhook=hook(port), trusted_ca=authority.pem)
    rig.raise_()
    for _ in range(3):
        rig.carry(Channel.WEBHOOK)
        rig.later(minutes=20)
    assert rig.open() == ["clock.unset", "delivery.failed:webhook"]
    rig.resolve()
    with https_server(authority, port) as server:
        rig.carry(Channel.WEBHOOK)
        assert texts(server) == [("raised", "It burns"), ("resolved", "It burns")]
    posted = server.posts[0]
    signed = posted.headers["X-Lunette-Timestamp"].encode() + b"." + posted.body
    right = hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
    assert posted.headers["X-Lunette-Signature"] == f"sha256={right}"
    assert posted.headers["X-Lunette-Delivery"] == json.loads(posted.body)["id"]
    assert rig.open() == [], "that the channel does not work is over too, and was not told over that channel"


def test_pauses_between_attempts_grow_and_no_server_is_tried_early(rig: Rig, authority: Authority) -> None:
    with https_server(authority) as server:
        server.status = 500
        rig.set(webhook=hook(server.port), trusted_ca=authority.pem)
        rig.raise_()
        for _ in range(200):
            rig.carry(Channel.WEBHOOK)
            rig.later(seconds=10)
        # after 0, 10, 30, 70, 150, 310, 630 and 1270 of 2000 s
        assert len(server.posts) == 8
        server.status = 200
        rig.later(minutes=20)
        rig.carry(Channel.WEBHOOK)
    assert rig.rows()[0].is_told


def test_a_message_refused_for_an_hour_is_dropped_and_the_next_is_sent(rig: Rig, authority: Authority) -> None:
    with https_server(authority) as server:
        server.status = 400
        rig.set(webhook=hook(server.port), trusted_ca=authority.pem)
        rig.raise_()
        rig.resolve()
        for _ in range(delivery.REFUSALS):
            rig.carry(Channel.WEBHOOK)
            rig.later(minutes=20)
        server.status = 200
        rig.carry(Channel.WEBHOOK)
    first, second = rig.rows()
    assert (first.is_told, "given up after 10 attempts" in first.outcome) == (False, True)
    assert second.is_told


def test_two_processes_report_it_once(rig: Rig, authority: Authority) -> None:
    """The other one looks while this one sends."""
    other = NotificationService(rig.store, now=lambda: rig.now)
    with https_server(authority) as server:
        rig.set(webhook=hook(server.port), trusted_ca=authority.pem)
        rig.raise_()
        assert rig.post.couriers[Channel.WEBHOOK]._claim() is not None
        other.couriers[Channel.WEBHOOK].round()
        assert server.posts == []
        rig.later(minutes=3)
        other.couriers[Channel.WEBHOOK].round()
    assert len(server.posts) == 1, "whoever died while sending is stood in for"


def test_a_server_that_never_answers_holds_up_no_other_channel_and_no_change(
    rig: Rig, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The threads run for real: a mail server that accepts and is silent, and a webhook that works."""
    monkeypatch.setattr("lunette.engine.notifications.mail.TIMEOUT_S", 1000.0)
    with socket.create_server(("127.0.0.1", 0)) as silent, https_server(authority) as server:
        rig.set(
            mail=mail(silent.getsockname()[1], security="starttls"), webhook=hook(server.port), trusted_ca=authority.pem
        )
        rig.post.start()
        started = time.monotonic()
        rig.raise_()
        rig.resolve()
        while len(server.posts) < 2 or any(row.channel == "webhook" and row.over_at is None for row in rig.rows()):
            assert time.monotonic() - started < 60, "the webhook waited for the mail"
            time.sleep(0.02)
        rig.post._loop.stop()
    assert {row.channel for row in rig.rows() if row.over_at is None} == {"mail"}


@pytest.mark.parametrize("kind", ["udp", "tcp", "tls"])
def test_syslog_is_rfc_5424(rig: Rig, authority: Authority, kind: str) -> None:
    transport = socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM
    with log_server(transport, authority if kind == "tls" else None) as (port, came):
        server = {"transport": kind, "server": "127.0.0.1", "port": port}
        rig.set(syslog=server, trusted_ca=authority.pem, name="san1")
        rig.raise_()
        rig.carry(Channel.SYSLOG)
    (whole,) = came
    if kind != "udp":
        count, _, rest = whole.partition(b" ")
        assert int(count) == len(rest), "octets are counted"
        whole = rest
    head, _, text = whole.decode().partition("] ")
    assert head.startswith("<26>1 20"), "facility daemon, severity critical, version 1"
    assert head.split(" ")[2:4] == ["san1", "lunette"]
    assert text == "\ufeff[san1] It burns | fire | water"


def test_the_own_log_takes_a_line(tmp_path: Path) -> None:
    message = Message(id="1", kind=MessageKind.TEST, at=utc_now(), appliance="san1", text="two\nlines")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(str(tmp_path / "log"))
        syslog.send(SyslogSettings.model_validate({"transport": "local"}), message, None, tmp_path / "log")
        assert log.recv(4096) == b"<30>lunette: [san1] two lines"
    with pytest.raises(DeliveryFailed, match="does not accept the message"):
        syslog.send(SyslogSettings.model_validate({"transport": "local"}), message, None, tmp_path / "gone")


def test_a_message_of_any_text_arrives_everywhere(rig: Rig, authority: Authority) -> None:
    """Line breaks that could make headers, quotes, other alphabets, and more than a datagram holds."""
    text = 'a\r\nBcc: x@example.com\n"]\\ \N{SNOWMAN}' + "\N{SNOWMAN}" * 30_000
    with mail_server(authority) as post, log_server(socket.SOCK_DGRAM) as (port, came):
        log = {"transport": "udp", "server": "127.0.0.1", "port": port}
        rig.set(mail=mail(post.port), syslog=log, trusted_ca=authority.pem, name="san1")
        rig.raise_(FIRE.model_copy(update={"message": text, "key": 'test."]\\x'}))
        rig.carry(Channel.MAIL)
        rig.carry(Channel.SYSLOG)
    assert [row.is_told for row in rig.rows()] == [True, True], [row.outcome for row in rig.rows()]
    assert post.mails[0]["Bcc"] is None
    assert b"\n" not in came[0]
    assert b'key="test.\\"\\]\\\\x"]' in came[0]


@pytest.fixture
def three(rig: Rig, authority: Authority) -> Iterator[tuple[Rig, Any, HttpServer]]:
    """Mail and webhook set up and trusted, syslog to a port without a listener."""
    with mail_server(authority) as post, https_server(authority) as web:
        rig.set(
            mail=mail(post.port),
            webhook=hook(web.port),
            trusted_ca=authority.pem,
            syslog={"transport": "tcp", "server": "127.0.0.1", "port": free_port()},
        )
        yield rig, post, web


def test_the_test_button_says_for_each_channel_what_its_server_said(three: tuple[Rig, Any, HttpServer]) -> None:
    rig, post, web = three
    found = {one.channel: one for one in rig.control.test_alerts("admin")}
    assert [found[channel].accepted for channel in Channel] == [True, True, False]
    assert "cannot be reached" in found[Channel.SYSLOG].detail
    assert (len(post.mails), texts(web)[0][0]) == (1, "test")
    assert rig.rows() == [], "a test is not repeated"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"password": "wrong"}, "refuses user lunette"),
        ({"server": "127.0.0.2"}, "cannot be reached"),
        ({"security": "tls"}, "cannot be reached"),
    ],
)
def test_the_test_button_says_why_mail_was_not_taken(
    three: tuple[Rig, Any, HttpServer], wrong: dict[str, str], words: str
) -> None:
    rig, post, _ = three
    rig.set(mail=mail(post.port, **wrong), webhook=None, syslog=None)
    (found,) = rig.control.test_alerts("admin")
    assert (found.accepted, words in found.detail, PASSWORD in found.detail) == (False, True, False), found.detail


def test_a_certificate_that_is_not_trusted_gets_no_password_and_no_message(
    three: tuple[Rig, Any, HttpServer],
) -> None:
    rig, post, web = three
    rig.set(trusted_ca=Authority().pem, syslog=None)
    for found in rig.control.test_alerts("admin"):
        assert (found.accepted, "not trusted" in found.detail or "certificate" in found.detail) == (False, True)
    assert (post.mails, post.logins, web.posts) == ([], [], [])


def test_no_channel_is_said_so(rig: Rig) -> None:
    with pytest.raises(Conflict, match="set mail, webhook or syslog first"):
        rig.control.test_alerts("admin")


def test_a_secret_is_sealed_and_stored_and_sent_to_no_other_server(rig: Rig) -> None:
    rig.set(mail=mail(2525))
    with rig.store.read() as tx:
        row = tx.scalars(select(SettingsRow)).one()
        assert PASSWORD not in json.dumps([row.document, row.sealed])
        sealed = row.sealed["mail"]
    again = mail(2525, recipients=["ops@example.com"])
    del again["password"]
    reported = rig.set(mail=again)
    assert len(reported) == 1
    with rig.store.read() as tx:
        assert tx.scalars(select(SettingsRow)).one().sealed["mail"] == sealed
    with pytest.raises(Invalid, match=r"mail\.password: no value is stored for this server"):
        rig.set(mail=again | {"server": "evil.example.com"})
    assert rig.set(mail=mail(2525, recipients=["ops@example.com"])) == [], "the same secret is no change"
    gone = rig.set(mail=None)
    assert gone[0].endswith("recipients ops@example.com becomes none")
    assert gone[1] == "mail: its password changes"


def test_a_removed_channel_sends_nothing_more(rig: Rig) -> None:
    rig.set(webhook=hook(free_port()))
    rig.raise_()
    for _ in range(delivery.TROUBLE_AT):
        rig.carry(Channel.WEBHOOK)
        rig.later(minutes=20)
    assert "delivery.failed:webhook" in rig.open()
    rig.set(webhook=None)
    assert rig.open() == ["clock.unset"]
    assert [row.over_at is None for row in rig.rows()] == [False]


def test_the_heartbeat_is_sent_once_a_day_and_once_after_a_week_of_silence(rig: Rig, authority: Authority) -> None:
    rig.now = rig.now.replace(hour=6, minute=0)
    with https_server(authority) as server:
        rig.set(webhook=hook(server.port), trusted_ca=authority.pem, heartbeat="07:00", name="san1")
        rig.carry(Channel.WEBHOOK)
        assert server.posts == []
        for _ in range(12):
            rig.later(minutes=10)
            rig.carry(Channel.WEBHOOK)
        assert texts(server) == [("heartbeat", "san1 is up, and no alert is active")]
        rig.later(days=7)
        rig.post = NotificationService(rig.store, now=lambda: rig.now)
        for _ in range(3):
            rig.carry(Channel.WEBHOOK)
            rig.later(minutes=1)
        assert len(server.posts) == 2
        rig.set(heartbeat=None)
        rig.later(days=7)
        rig.carry(Channel.WEBHOOK)
        rig.set(heartbeat="07:00")
        rig.carry(Channel.WEBHOOK)
        assert len(server.posts) == 2, "a day that was not asked for is not made up for"
