"""The address of the webhook is sealed, shown by its server alone, and stays where only that is sent back."""

import json
from typing import Any

import pytest
from sqlalchemy import func, select, text

from backend.tests.engine.conftest import ADMIN
from backend.tests.engine.listeners import Authority, https_server
from backend.tests.engine.test_notifications import FIRE, SECRET, Rig
from lunette.domain.jobs import JobState
from lunette.domain.settings import Channel, SettingsPatch
from lunette.domain.site import SiteRequest
from lunette.engine.changes import settings
from lunette.engine.notifications import delivery
from lunette.engine.site import changes as site_changes
from lunette.engine.undo import undo as undoing
from lunette.store.database import Store
from lunette.store.journal import Alert
from lunette.store.settings import Delivery, SettingsRow, with_secrets
from lunette.store.undo import KeptState

SERVER = "https://hooks.example.com"
TOKEN, OTHER = "T0kenT0kenT0ken", "an0ther-one-here"
WHOLE = f"{SERVER}/services/{TOKEN}?key={TOKEN}"


@pytest.fixture
def rig(sqlite_store: Store) -> Rig:
    return Rig(sqlite_store)


def held(rig: Rig) -> tuple[str | None, str | None]:
    """The address that is posted to, and the secret that signs."""
    with rig.store.write() as tx:
        hook = with_secrets(tx).webhook
    if hook is None:
        return None, None
    return hook.url.get_secret_value(), hook.secret.get_secret_value() if hook.secret else None


def hook(url: str, secret: str | None = None) -> dict[str, Any]:
    return {"url": url, **({"secret": secret} if secret else {})}


def everything(rig: Rig) -> str:
    """All rows of the database."""
    with rig.store.engine.connect() as connection:
        tables = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars()
        return "\n".join(str(row) for table in tables for row in connection.execute(text(f'SELECT * FROM "{table}"')))


def undo_last(rig: Rig) -> None:
    with rig.store.write() as tx:
        seq = tx.scalar(select(func.max(KeptState.event_seq)))
        undoing.undo(rig.control.change(tx, ADMIN), seq or 0)


def test_the_document_the_event_and_the_undo_record_contain_only_the_server(rig: Rig) -> None:
    assert rig.set(webhook=hook(WHOLE, SECRET)) == [
        f"webhook: none becomes url {SERVER}",
        "webhook: its secret changes",
    ]
    assert held(rig) == (WHOLE, SECRET)
    with rig.store.read() as tx:
        row = tx.scalars(select(SettingsRow)).one()
        assert row.document["webhook"] == {"url": SERVER}
        assert rig.store.box.open(row.sealed["webhook.url"]).get_secret_value() == WHOLE
    assert TOKEN not in everything(rig)


@pytest.mark.parametrize("same", [WHOLE, SERVER, "https://HOOKS.example.com:443"])
def test_the_same_address_and_what_is_shown_of_it_change_nothing(rig: Rig, same: str) -> None:
    rig.set(webhook=hook(WHOLE, SECRET))
    assert rig.set(webhook=hook(same)) == []
    assert rig.set(webhook=hook(same, SECRET)) == []
    assert held(rig) == (WHOLE, SECRET)


@pytest.mark.parametrize(
    ("other", "posted", "reported"),
    [
        (f"{SERVER}/services/{OTHER}", f"{SERVER}/services/{OTHER}", "its url changes"),
        (f"{SERVER}/", f"{SERVER}/", "its url changes"),
        ("https://evil.example.com", "https://evil.example.com/", f"url {SERVER} becomes url https://evil.example.com"),
        (f"{SERVER}:8443", f"{SERVER}:8443/", f"url {SERVER} becomes url {SERVER}:8443"),
        (
            f"https://evil.example.com/{TOKEN}",
            f"https://evil.example.com/{TOKEN}",
            f"url {SERVER} becomes url https://evil.example.com",
        ),
    ],
)
def test_another_address_takes_neither_the_path_nor_the_secret_along(
    rig: Rig, other: str, posted: str, reported: str
) -> None:
    rig.set(webhook=hook(WHOLE, SECRET))
    assert rig.set(webhook=hook(other)) == [f"webhook: {reported}", "webhook: its secret changes"]
    assert held(rig) == (posted, None)
    undo_last(rig)
    assert held(rig) == (WHOLE, SECRET), "undo brings back all of it"
    assert TOKEN not in everything(rig)
    undo_last(rig)
    assert held(rig) == (posted, None)


def test_a_removed_channel_is_restored_completely(rig: Rig) -> None:
    rig.set(webhook=hook(WHOLE, SECRET))
    assert rig.set(webhook=None) == [f"webhook: url {SERVER} becomes none", "webhook: its secret changes"]
    assert rig.set(webhook=hook(SERVER)) == [f"webhook: none becomes url {SERVER}"]
    assert held(rig) == (f"{SERVER}/", None), "what was taken away is not stored any more"
    undo_last(rig)
    with rig.store.write() as tx:
        undoing.undo(
            rig.control.change(tx, ADMIN),
            tx.scalars(select(KeptState.event_seq).order_by(KeptState.event_seq)).all()[1],
        )
    assert held(rig) == (WHOLE, SECRET)


def test_what_the_site_exports_applies_without_a_change_and_a_whole_address_by_a_job(rig: Rig) -> None:
    rig.set(webhook=hook(WHOLE, SECRET))
    with rig.store.read() as tx:
        exported = rig.control.site(tx).model_dump(mode="json", exclude_unset=True)
    assert exported["settings"]["webhook"] == {"url": SERVER}

    def apply(url: str) -> tuple[list[str], str | None]:
        site = {"settings": {**exported["settings"], "webhook": {"url": url}}}
        with rig.store.write() as tx:
            outcome = site_changes.apply(rig.control.change(tx, ADMIN), SiteRequest.model_validate({"site": site}))
        return [change.detail for change in outcome.plan.changes], outcome.job_id

    assert apply(SERVER) == ([], None)
    assert apply(WHOLE) == ([], None)
    changes, job = apply(f"{SERVER}/services/{OTHER}")
    assert changes == ["its url changes", "its secret changes"]
    assert OTHER not in everything(rig)
    assert rig.control.run_job(job or "") is JobState.SUCCEEDED
    assert held(rig) == (f"{SERVER}/services/{OTHER}", None)
    assert apply(f"{SERVER}/")[0] == ["its url changes"]
    assert OTHER not in everything(rig)


@pytest.mark.parametrize("status", [302, 404])
def test_messages_go_to_the_whole_address_and_what_its_server_quotes_is_reported_nowhere(
    rig: Rig, authority: Authority, status: int
) -> None:
    with https_server(authority) as server:
        server.status, server.quotes = status, True
        address = f"https://127.0.0.1:{server.port}"
        rig.set(webhook=hook(f"{address}/hook/{TOKEN}?key={OTHER}%21"), trusted_ca=authority.pem)
        rig.raise_(FIRE)
        for _ in range(delivery.TROUBLE_AT):
            rig.carry(Channel.WEBHOOK)
            rig.later(minutes=20)
        (found,) = rig.control.test_alerts("admin")
        assert {one.path for one in server.posts} == {f"/hook/{TOKEN}?key={OTHER}%21"}
        server.quotes = False
        (silent,) = rig.control.test_alerts("admin")
        server.status = 204
        (taken,) = rig.control.test_alerts("admin")
    words = f"{address} answers {status}: its response is omitted because it quotes the secret address"
    with rig.store.read() as tx:
        cause = tx.scalars(select(Alert.cause).where(Alert.key == "delivery.failed:webhook")).one()
        outcomes = tx.scalars(select(Delivery.outcome)).all()
    assert {found.detail, cause, *outcomes} == {words}
    assert silent.detail == f"{address} answers {status}: "
    assert taken.detail == f"{address} answered 204"
    assert not [one for one in (TOKEN, OTHER) if one in everything(rig)]


def test_an_unreachable_address_is_not_quoted_either(rig: Rig) -> None:
    for odd in (f"{SERVER}:port/{TOKEN}", f"https://127.0.0.1:9/\x7f{TOKEN}", f"https://127.0.0.1:9/\u2603{TOKEN}"):
        rig.set(webhook=hook(odd))
        (found,) = rig.control.test_alerts("admin")
        assert (found.accepted, TOKEN in found.detail) == (False, False), found.detail
        assert "127.0.0.1:9" in found.detail or SERVER in found.detail


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def test_a_plan_and_a_dry_run_say_no_more(rig: Rig) -> None:
    spec = SettingsPatch.model_validate({"webhook": hook(WHOLE, SECRET)})
    with rig.store.write() as tx:
        plan = settings.patch(rig.control.change(tx, ADMIN, dry_run=True), spec).plan
    assert TOKEN not in json.dumps(plan.model_dump(mode="json")) + repr(spec) + str(plan)
    assert held(rig) == (None, None)
