"""The address of the webhook is sealed, shown by its server alone, and stays where only that is sent back."""

import json
from typing import Any

import pytest
from sqlalchemy import func, select, text

from backend.tests.engine.conftest import ADMIN
from backend.tests.engine.listeners import Authority, https_server
from backend.tests.engine.test_notifications import FIRE, SECRET, Bench
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
def bench(sqlite_store: Store) -> Bench:
    return Bench(sqlite_store)


def held(bench: Bench) -> tuple[str | None, str | None]:
    """The address that is posted to, and the secret that signs."""
    with bench.store.write() as tx:
        hook = with_secrets(tx).webhook
    if hook is None:
        return None, None
    return hook.url.get_secret_value(), hook.secret.get_secret_value() if hook.secret else None


def hook(url: str, secret: str | None = None) -> dict[str, Any]:
    return {"url": url, **({"secret": secret} if secret else {})}


def everything(bench: Bench) -> str:
    """All rows of the database."""
    with bench.store.engine.connect() as connection:
        tables = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars()
        return "\n".join(str(row) for table in tables for row in connection.execute(text(f'SELECT * FROM "{table}"')))


def undo_last(bench: Bench) -> None:
    with bench.store.write() as tx:
        seq = tx.scalar(select(func.max(KeptState.event_seq)))
        undoing.undo(bench.control.change(tx, ADMIN), seq or 0)


def test_the_document_the_event_and_the_undo_record_contain_only_the_server(bench: Bench) -> None:
    assert bench.set(webhook=hook(WHOLE, SECRET)) == [
        f"webhook: none becomes url {SERVER}",
        "webhook: its secret changes",
    ]
    assert held(bench) == (WHOLE, SECRET)
    with bench.store.read() as tx:
        row = tx.scalars(select(SettingsRow)).one()
        assert row.document["webhook"] == {"url": SERVER}
        assert bench.store.box.open(row.sealed["webhook.url"]).get_secret_value() == WHOLE
    assert TOKEN not in everything(bench)


@pytest.mark.parametrize("same", [WHOLE, SERVER, "https://HOOKS.example.com:443"])
def test_the_same_address_and_what_is_shown_of_it_change_nothing(bench: Bench, same: str) -> None:
    bench.set(webhook=hook(WHOLE, SECRET))
    assert bench.set(webhook=hook(same)) == []
    assert bench.set(webhook=hook(same, SECRET)) == []
    assert held(bench) == (WHOLE, SECRET)


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
    bench: Bench, other: str, posted: str, reported: str
) -> None:
    bench.set(webhook=hook(WHOLE, SECRET))
    assert bench.set(webhook=hook(other)) == [f"webhook: {reported}", "webhook: its secret changes"]
    assert held(bench) == (posted, None)
    undo_last(bench)
    assert held(bench) == (WHOLE, SECRET), "undo brings back all of it"
    assert TOKEN not in everything(bench)
    undo_last(bench)
    assert held(bench) == (posted, None)


def test_a_removed_channel_is_restored_completely(bench: Bench) -> None:
    bench.set(webhook=hook(WHOLE, SECRET))
    assert bench.set(webhook=None) == [f"webhook: url {SERVER} becomes none", "webhook: its secret changes"]
    assert bench.set(webhook=hook(SERVER)) == [f"webhook: none becomes url {SERVER}"]
    assert held(bench) == (f"{SERVER}/", None), "what was taken away is not stored any more"
    undo_last(bench)
    with bench.store.write() as tx:
        undoing.undo(
            bench.control.change(tx, ADMIN),
            tx.scalars(select(KeptState.event_seq).order_by(KeptState.event_seq)).all()[1],
        )
    assert held(bench) == (WHOLE, SECRET)


def test_what_the_site_exports_applies_without_a_change_and_a_whole_address_by_a_job(bench: Bench) -> None:
    bench.set(webhook=hook(WHOLE, SECRET))
    with bench.store.read() as tx:
        exported = bench.control.site(tx).model_dump(mode="json", exclude_unset=True)
    assert exported["settings"]["webhook"] == {"url": SERVER}

    def apply(url: str) -> tuple[list[str], str | None]:
        site = {"settings": {**exported["settings"], "webhook": {"url": url}}}
        with bench.store.write() as tx:
            outcome = site_changes.apply(bench.control.change(tx, ADMIN), SiteRequest.model_validate({"site": site}))
        return [change.detail for change in outcome.plan.changes], outcome.job_id

    assert apply(SERVER) == ([], None)
    assert apply(WHOLE) == ([], None)
    changes, job = apply(f"{SERVER}/services/{OTHER}")
    assert changes == ["its url changes", "its secret changes"]
    assert OTHER not in everything(bench)
    assert bench.control.run_job(job or "") is JobState.SUCCEEDED
    assert held(bench) == (f"{SERVER}/services/{OTHER}", None)
    assert apply(f"{SERVER}/")[0] == ["its url changes"]
    assert OTHER not in everything(bench)


@pytest.mark.parametrize("status", [302, 404])
def test_messages_go_to_the_whole_address_and_what_its_server_quotes_is_reported_nowhere(
    bench: Bench, authority: Authority, status: int
) -> None:
    with https_server(authority) as server:
        server.status, server.quotes = status, True
        address = f"https://127.0.0.1:{server.port}"
        bench.set(webhook=hook(f"{address}/hook/{TOKEN}?key={OTHER}%21"), trusted_ca=authority.pem)
        bench.raise_(FIRE)
        for _ in range(delivery.TROUBLE_AT):
            bench.carry(Channel.WEBHOOK)
            bench.later(minutes=20)
        (found,) = bench.control.test_alerts("admin")
        assert {one.path for one in server.posts} == {f"/hook/{TOKEN}?key={OTHER}%21"}
        server.quotes = False
        (silent,) = bench.control.test_alerts("admin")
        server.status = 204
        (taken,) = bench.control.test_alerts("admin")
    words = f"{address} answers {status}: its response is omitted because it quotes the secret address"
    with bench.store.read() as tx:
        cause = tx.scalars(select(Alert.cause).where(Alert.key == "delivery.failed:webhook")).one()
        outcomes = tx.scalars(select(Delivery.outcome)).all()
    assert {found.detail, cause, *outcomes} == {words}
    assert silent.detail == f"{address} answers {status}: "
    assert taken.detail == f"{address} answered 204"
    assert not [one for one in (TOKEN, OTHER) if one in everything(bench)]


def test_an_unreachable_address_is_not_quoted_either(bench: Bench) -> None:
    for odd in (f"{SERVER}:port/{TOKEN}", f"https://127.0.0.1:9/\x7f{TOKEN}", f"https://127.0.0.1:9/\u2603{TOKEN}"):
        bench.set(webhook=hook(odd))
        (found,) = bench.control.test_alerts("admin")
        assert (found.accepted, TOKEN in found.detail) == (False, False), found.detail
        assert "127.0.0.1:9" in found.detail or SERVER in found.detail


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def test_a_plan_and_a_dry_run_say_no_more(bench: Bench) -> None:
    spec = SettingsPatch.model_validate({"webhook": hook(WHOLE, SECRET)})
    with bench.store.write() as tx:
        plan = settings.patch(bench.control.change(tx, ADMIN, dry_run=True), spec).plan
    assert TOKEN not in json.dumps(plan.model_dump(mode="json")) + repr(spec) + str(plan)
    assert held(bench) == (None, None)
