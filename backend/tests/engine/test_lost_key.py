"""The key file is lost or another one: what it sealed is entered again, one by one, and holds up nothing else."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr
from sqlalchemy import func, select

from backend.tests.engine.conftest import ADMIN, Appliance
from backend.tests.engine.listeners import Authority, https_server, mail_server
from backend.tests.engine.memory_agent import MemoryAgent
from backend.tests.engine.test_notifications import SECRET, Rig, hook, mail
from lunette.domain.dhchap import DhChap
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.hosts import Chap, HostPatch
from lunette.domain.settings import Channel
from lunette.engine.background.sealer import Sealer
from lunette.engine.changes import hosts
from lunette.engine.undo import undo as undoing
from lunette.store.database import Store
from lunette.store.journal import Alert
from lunette.store.secrets import SecretBox
from lunette.store.settings import lost_secrets, read_settings, settings_row, with_secrets
from lunette.store.undo import KeptState

DISCOVERY = {"user": "scout", "secret": "discovery-secret", "mutual_user": "san", "mutual_secret": "another-secret-x"}


def lose_key(store: Store) -> None:
    store.box = SecretBox(Fernet.generate_key())


def undo_last(rig: Rig) -> None:
    with rig.store.write() as tx:
        undoing.undo(rig.control.change(tx, ADMIN), tx.scalar(select(func.max(KeptState.event_seq))) or 0)


def alerts(store: Store) -> dict[str, str]:
    with store.read() as tx:
        return dict(tx.execute(select(Alert.key, Alert.message).where(Alert.resolved_at.is_(None))).all())


@pytest.fixture
def rig(sqlite_store: Store) -> Rig:
    """Mail, webhook and discovery login with secrets; then the key file is another one."""
    made = Rig(sqlite_store)
    made.set(mail=mail(25), webhook=hook(1), discovery_auth=DISCOVERY)
    lose_key(made.store)
    return made


def test_every_other_setting_changes_and_what_is_sealed_waits_for_its_key(rig: Rig) -> None:
    assert rig.set(name="san2", time_zone="Europe/Berlin", session_hours=2)
    undo_last(rig)
    with rig.store.read() as tx:
        assert read_settings(tx).name is None, "undone"
        sealed = dict(settings_row(tx).sealed)
        assert set(lost_secrets(tx, rig.store.box)) == set(sealed)
    assert len(sealed) == 5


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"mail": mail(25, password=None, recipients=["new@example.com"])}, "mail.password"),
        ({"webhook": {"url": "https://127.0.0.1:1", "secret": SECRET}}, "webhook.url"),
        ({"webhook": {"url": "https://127.0.0.1:1/lunette?x=1"}}, "webhook.secret"),
        ({"discovery_auth": {**DISCOVERY, "secret": None}}, "discovery_auth.secret"),
        ({"discovery_auth": {**DISCOVERY, "mutual_secret": None}}, "discovery_auth.mutual_secret"),
    ],
)
def test_an_omitted_secret_is_named_and_requested(rig: Rig, spec: dict[str, Any], field: str) -> None:
    """A webhook must not be sent to the root of its server, nor unsigned, because its settings cannot be read."""
    with pytest.raises(Invalid, match="sealed with a different key and cannot be read: enter it again") as refused:
        rig.set(**spec)
    assert [one.field for one in refused.value.errors] == [field]


def test_what_is_entered_again_is_good_and_can_be_undone(rig: Rig) -> None:
    rig.set(mail=mail(25))
    rig.set(webhook=hook(1))
    rig.set(discovery_auth=DISCOVERY)
    with rig.store.read() as tx:
        assert lost_secrets(tx, rig.store.box) == ()
        held = with_secrets(tx, rig.store.box)
    assert held.webhook is not None
    assert held.webhook.url.get_secret_value().endswith("/lunette?x=1")
    rig.set(mail=None)
    undo_last(rig)
    with rig.store.read() as tx:
        assert with_secrets(tx, rig.store.box).mail is not None


def test_a_setting_is_taken_away_and_its_undo_says_what_to_enter(rig: Rig) -> None:
    rig.set(mail=None)
    with pytest.raises(Conflict, match=r"mail\.password"):
        undo_last(rig)
    assert rig.set(mail=mail(26))


def test_nothing_is_sent_without_its_secret_and_it_is_said_why(sqlite_store: Store) -> None:
    rig, authority = Rig(sqlite_store), Authority()
    with mail_server(authority) as mailer, https_server(authority) as web:
        rig.set(mail=mail(mailer.port), webhook=hook(web.port), trusted_ca=authority.pem)
        lose_key(rig.store)
        found = {one.channel: one for one in rig.control.test_alerts("admin")}
        assert {one.accepted for one in found.values()} == {False}
        assert "the stored url and secret was sealed with a different key" in found[Channel.WEBHOOK].detail
        rig.raise_()
        for _ in range(3):
            rig.carry(Channel.MAIL)
            rig.later(hours=1)
        assert "delivery.failed:mail" in rig.open()
        rig.set(mail=mail(mailer.port))
        rig.carry(Channel.MAIL)
        assert len(mailer.mails) >= 1
        assert web.posts == []


def test_what_cannot_be_read_is_an_alert_that_names_it_until_it_is_entered(rig: Rig) -> None:
    sealer = Sealer(rig.store, MemoryAgent())
    sealer.round()
    found = {key: text for key, text in alerts(rig.store).items() if key.startswith("setting.")}
    assert sorted(found) == [
        "setting.secret:discovery_auth.mutual_secret",
        "setting.secret:discovery_auth.secret",
        "setting.secret:mail.password",
        "setting.secret:webhook.secret",
        "setting.secret:webhook.url",
    ]
    assert found["setting.secret:mail.password"] == (
        "The stored password of the setting mail cannot be read: enter it again"
    )
    rig.set(mail=mail(25), webhook=hook(1), discovery_auth=None)
    sealer.round()
    assert not [key for key in alerts(rig.store) if key.startswith("setting.")]


def test_a_host_takes_its_secrets_again_and_is_named_until_then(lone: Appliance) -> None:
    chap = Chap(user="u", secret=SecretStr("secret-12345"))
    key = DhChap(secret=SecretStr("DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"))
    control = lone.control

    def patch(name: str, **spec: Any) -> None:
        with lone.store.write() as tx:
            hosts.patch(control.change(tx, ADMIN), name, HostPatch(**spec))

    for name in ("h1", "h2"):
        lone.host(name)
        patch(name, chap=chap, dhchap=key)
    lose_key(lone.store)
    sealer = Sealer(lone.store, MemoryAgent())
    sealer.round()
    assert sorted(alerts(lone.store).values()) == [
        f"The CHAP or DH-CHAP secret of host {name} cannot be read: set it again" for name in ("h1", "h2")
    ]
    patch("h1", description="another rack")
    patch("h1", chap=chap, dhchap=key)
    sealer.round()
    assert len(alerts(lone.store)) == 1
    with lone.store.write() as tx, pytest.raises(Conflict, match=r"could not be read\. Enter it again"):
        undoing.undo(control.change(tx, ADMIN), tx.scalar(select(func.max(KeptState.event_seq))) or 0)
