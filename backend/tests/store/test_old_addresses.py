"""A database of a version that stored the webhook's address in plain text: it is sealed and no longer quoted."""

import json
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select, text

from lunette.domain.alerts import Severity
from lunette.domain.jobs import JobState
from lunette.domain.settings import Settings
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.journal import Alert, Event, Job
from lunette.store.old_addresses import seal_old_addresses
from lunette.store.schema import utc_now
from lunette.store.secrets import SecretBox
from lunette.store.settings import APPLIANCE, Delivery, SettingsRow, settings_row, with_secrets

SERVER, TOKEN = "https://hooks.example.com", "T0kenT0kenT0ken"
WHOLE = f"{SERVER}/services/{TOKEN}?key={TOKEN}"
AT = f"{SERVER}/services/{TOKEN}"
QUOTED = f"{AT} answers 404: Cannot POST /services/{TOKEN}"


def line(name: str, detail: str) -> dict[str, str]:
    return {"action": "change", "noun": "setting", "name": name, "detail": detail}


def plan(*lines: dict[str, str]) -> dict[str, Any]:
    return {"title": "Apply the site document", "changes": list(lines), "hosts_interrupted": [], "warnings": []}


OTHERS = (line("mail", "none becomes server https://mail.example.com/x"), line("webhook", "its secret changes"))
LONG = line("webhook", f"url {WHOLE} becomes url {SERVER}:8443?{TOKEN}")
SHORT = line("webhook", f"url {SERVER} becomes url {SERVER}:8443")


@pytest.fixture
def old(store: Store) -> Store:
    """Rows as the version before wrote them."""
    with store.write() as tx:
        row = settings_row(tx)
        row.document = {**Settings().model_dump(mode="json"), "webhook": {"url": WHOLE, "secret": None}}
        row.sealed = {"webhook": "of-its-secret"}
        tx.add(row)
        emit(tx, "setting.changed", "Change the settings: webhook", data={"plan": plan(LONG, *OTHERS)})
        emit(tx, "setting.changed", "the time zone is UTC, as chosen at installation", ref=APPLIANCE)
        tx.add(
            Job(
                id="j1",
                kind="site.apply",
                title="Apply the site document",
                resource_kind="site",
                resource_ids=[],
                plan=plan(*OTHERS, LONG),
                actor="admin",
                steps_total=1,
                state=JobState.SUCCEEDED.value,
            )
        )
        tx.add(
            Alert(
                id="a1",
                key="delivery.failed:webhook",
                severity=Severity.WARNING.value,
                cause=QUOTED,
                message="Alerts cannot be sent",
                fix="Correct it",
                raised_at=utc_now(),
            )
        )
        told = {"message": "Alerts cannot be sent", "cause": QUOTED, "fix": "Correct it"}
        tx.add(Delivery(channel="mail", message_id="a1.1.raised", message=told, outcome="mail.example.com:25 took it"))
        for number, outcome in enumerate(
            (f"{AT} answered 200", QUOTED, f"given up after 10 attempts: {QUOTED}", f"{AT} cannot be reached (x)")
        ):
            tx.add(Delivery(channel="webhook", message_id=f"b.{number}", message={}, outcome=outcome))
    return store


def rows(store: Store) -> str:
    tables = ("settings", "event", "job", "alert", "delivery")
    with store.engine.connect() as connection:
        return "\n".join(str(row) for name in tables for row in connection.execute(text(f"SELECT * FROM {name}")))


def seal(store: Store) -> None:
    with store.write() as tx:
        seal_old_addresses(tx)


def test_the_address_is_sealed_and_shortened_wherever_it_was_reported(old: Store) -> None:
    assert rows(old).count(TOKEN) > 10
    seal(old)
    assert TOKEN not in rows(old)
    with old.read() as tx:
        row = tx.scalars(select(SettingsRow)).one()
        assert row.document["webhook"] == {"url": SERVER, "secret": None}
        assert old.box.open(row.sealed.pop("webhook.url")).get_secret_value() == WHOLE
        assert row.sealed == {"webhook": "of-its-secret"}
        assert tx.scalars(select(Event.data).order_by(Event.seq)).all() == [{"plan": plan(SHORT, *OTHERS)}, {}]
        assert tx.scalars(select(Job.plan)).one() == plan(*OTHERS, SHORT)
        assert tx.scalars(select(Alert.cause)).one() == f"{SERVER} answers 404"
        assert tx.scalars(select(Delivery.message).where(Delivery.channel == "mail")).one()["fix"] == "Correct it"
        told = tx.scalars(select(Delivery.outcome).where(Delivery.channel == "webhook").order_by(Delivery.seq)).all()
    assert told == [
        f"{SERVER} answered 200",
        f"{SERVER} answers 404",
        f"given up after 10 attempts: {SERVER} answers 404",
        f"{SERVER} did not take it",
    ]


def test_the_next_start_writes_nothing_and_leaves_what_this_version_reported(old: Store) -> None:
    seal(old)
    with old.write() as tx:
        words = f"{SERVER} answers 404: see https://docs.example.com/errors"
        tx.add(Delivery(channel="webhook", message_id="c", message={}, outcome=words))
    before = rows(old)
    seal(old)
    assert rows(old) == before


def test_what_is_cut_off_in_the_middle_leaves_all_as_it_was(old: Store) -> None:
    before = rows(old)
    with old.write() as tx:
        seal_old_addresses(tx)
        tx.flush()
        tx.rollback()
    assert rows(old) == before
    seal(old)
    assert TOKEN not in rows(old)


def test_until_it_is_sealed_the_address_works_and_is_not_shown(old: Store) -> None:
    with old.write() as tx:
        tx.scalars(select(SettingsRow)).one().sealed = {}
    with old.write() as tx:
        found = with_secrets(tx).webhook
    assert found is not None
    assert found.url.get_secret_value() == WHOLE
    assert TOKEN not in found.model_dump_json() + str(found)


@pytest.mark.parametrize("bare", [SERVER, f"{SERVER}/"])
def test_an_old_address_without_a_path_stays_the_root_and_seals_nothing(store: Store, bare: str) -> None:
    with store.write() as tx:
        row = settings_row(tx)
        row.document = {**row.document, "webhook": {"url": bare, "secret": None}}
        tx.add(row)
    seal(store)
    with store.write() as tx:
        row, found = tx.scalars(select(SettingsRow)).one(), with_secrets(tx).webhook
    assert (row.document["webhook"]["url"], json.dumps(row.sealed)) == (SERVER, "{}")
    assert found is not None
    assert found.url.get_secret_value() == f"{SERVER}/"


def test_a_server_that_an_older_program_chose_meanwhile_is_sent_to_not_the_one_that_is_sealed(old: Store) -> None:
    """It knows of no sealed address, and leaves that where it is."""
    seal(old)
    with old.write() as tx:
        row = settings_row(tx)
        row.document = {**row.document, "webhook": {"url": "https://other.example.com", "secret": None}}
        row.sealed = {key: value for key, value in row.sealed.items() if key == "webhook.url"}
    seal(old)
    with old.read() as tx:
        found = with_secrets(tx, old.box).webhook
    assert found is not None
    assert found.url.get_secret_value() == "https://other.example.com/"


def test_a_sealed_address_that_this_key_does_not_open_stays(old: Store) -> None:
    seal(old)
    before = rows(old)
    old.box = SecretBox(Fernet.generate_key())
    seal(old)
    assert rows(old) == before


def test_an_empty_database_has_nothing_to_seal(store: Store) -> None:
    seal(store)
    assert rows(store) == ""
