"""Reads and changes the settings. Secrets are sealed before they are stored, and opened only to be used."""

from typing import NoReturn
from zoneinfo import ZoneInfo

from pydantic import BaseModel
from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from lunette.domain.errors import FieldProblem, Invalid
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.settings import (
    SECRETS,
    Channel,
    DiscoveryAuth,
    Settings,
    SettingsPatch,
    WebhookSettings,
    same_peer,
    secret_of,
    user_of,
    without_secrets,
)
from lunette.engine.alerts import board
from lunette.engine.alerts.outbox import HEARTBEAT, trouble_key
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.exports import exportset
from lunette.engine.records.recording import recorded
from lunette.planner.access import firewall
from lunette.store.database import after_commit, store_of
from lunette.store.resources import Meta
from lunette.store.schema import utc_now
from lunette.store.settings import (
    APPLIANCE,
    Delivery,
    SettingsRow,
    document_of,
    settings_of,
    settings_row,
    with_secrets,
)

_EXPORTED = ("host_name", "firewall", "disk_health_minutes", "short_test_days", "long_test_days")
"""Settings that the agent needs."""
_CERTIFICATE = (
    "The certificate of the web page and API does not change: if it does not contain the new host name, clients that "
    "connect by this name show a warning until the certificate is replaced."
)


def zone(settings: Settings) -> ZoneInfo:
    return ZoneInfo(settings.time_zone)


def patch(context: ChangeContext, spec: SettingsPatch) -> Outcome:
    """Changes the settings in the spec. A channel that is removed sends nothing more, not even queued messages."""
    tx, services = context.tx, context.services
    row = settings_row(tx)
    before = settings_of(row)
    given = {name: getattr(spec, name) for name in spec.model_fields_set}
    bare = {name: without_secrets(name, value) for name, value in given.items()}
    after = before.model_copy(update=bare)
    secrets = _secrets(tx, row, given)
    new_secrets = [key for key in SECRETS if secrets.get(key) != row.sealed.get(key)]
    plan = _plan(before, after, new_secrets)
    asks_again = after.discovery_auth != before.discovery_auth or any("discovery" in key for key in new_secrets)
    if asks_again:
        plan = plan.model_copy(update={"warnings": (*plan.warnings, *_discovery(after.discovery_auth))})
    if after.host_name not in (None, before.host_name):
        plan = plan.model_copy(update={"warnings": (*plan.warnings, _CERTIFICATE)})
    if after.firewall != before.firewall:
        words = firewall.words(after.firewall, services.seen())
        plan = plan.model_copy(update={"warnings": (*plan.warnings, *words)})
    if context.dry_run or not plan.changes:
        return Outcome(plan=plan)
    if tx.get(SettingsRow, APPLIANCE) is None:
        tx.add(row)
        tx.flush()
    with recorded(context, "setting.changed", plan, [APPLIANCE]):
        row.document, row.sealed = document_of(after), secrets
        row.touch()
        if after.heartbeat != before.heartbeat:
            tx.execute(delete(Meta).where(Meta.key == HEARTBEAT))
        for channel in set(before.channels()) - set(after.channels()):
            silence(tx, channel)
        is_exported = any(getattr(after, name) != getattr(before, name) for name in _EXPORTED)
        if is_exported or asks_again:
            exportset.changed(tx, services)
    after_commit(tx, services.wake_scheduler)
    after_commit(tx, services.wake_backups)
    return Outcome(plan=plan)


def _secrets(tx: Session, row: SettingsRow, given: dict[str, object]) -> dict[str, str]:
    """The sealed secrets after the change. A stored secret is only sent to the server for which it was set.

    Only secrets of changed settings are opened: one that was sealed with another key does not block other settings.
    """
    box, sealed, before = store_of(tx).box, dict(row.sealed), with_secrets(tx)
    for key, (name, field) in SECRETS.items():
        if name not in given:
            continue
        new, held = given[name], sealed.get(key)
        secret, known = secret_of(new, field), box.open_if_known(held) if held is not None else None
        if secret is not None:
            if known is None or known.get_secret_value() != secret.get_secret_value():
                sealed[key] = box.seal(secret)
        elif new is None or not _may_stay(key, getattr(before, name), new, is_lost=known is None):
            sealed.pop(key, None)
        elif held is not None and known is None:
            problem = "the stored value was sealed with a different key and cannot be read: enter it again"
            _refuse(f"{name}.{field}", problem)
        if user_of(key, new) is not None and key not in sealed:
            _refuse(f"{name}.{field}", "no value is stored for this server and user: enter it once")
    if given.get("backup") is not None and "backup.passphrase" not in sealed:
        _refuse("backup.passphrase", "no passphrase is stored: enter one")
    if "discovery_auth" in given:
        pair = [box.open(sealed[key]).get_secret_value() for key in SECRETS if "discovery" in key and key in sealed]
        if len(pair) > len(set(pair)):
            _refuse("discovery_auth.mutual_secret", "it must differ from secret (RFC 3720 section 8.2.1)")
    return sealed


def _may_stay(key: str, before: object, new: object, *, is_lost: bool) -> bool:
    """True if an omitted secret keeps its stored value. Of an address that was lost, only the server is known."""
    if is_lost and isinstance(before, WebhookSettings) and isinstance(new, WebhookSettings):
        return before.url.shown == new.url.shown
    return same_peer(key, before, new)


def _refuse(field: str, message: str) -> NoReturn:
    problem = FieldProblem(field=field, value=None, message=message)
    raise Invalid(f"The settings were not changed: {field}: {message}.", errors=(problem,))


def _discovery(wanted: DiscoveryAuth | None) -> tuple[str, ...]:
    """The effect on hosts that use discovery."""
    if wanted is None:
        return ("Any client that uses the initiator name of a host can discover that host's targets without a login.",)
    return (
        "A host can discover its targets only with this login. If it is logged in or knows them, it does not need it.",
        "LIO has one discovery login for the whole system: it also applies to targets that do not belong to Lunette.",
    )


def _plan(before: Settings, after: Settings, secrets: list[str]) -> Plan:
    changes = [
        PlannedChange(
            action=Action.CHANGE, noun="setting", name=name, detail=_words(getattr(before, name), getattr(after, name))
        )
        for name in Settings.model_fields
        if getattr(before, name) != getattr(after, name)
    ]
    changes += [
        PlannedChange(
            action=Action.CHANGE, noun="setting", name=SECRETS[key][0], detail=f"its {SECRETS[key][1]} changes"
        )
        for key in secrets
        if key != "webhook.url" or after.webhook == before.webhook
    ]
    names = ", ".join(dict.fromkeys(change.name for change in changes))
    title = f"Change the settings: {names}" if names else "Change the settings: no changes"
    return Plan(title=title, changes=tuple(changes), steps=())


def _words(before: object, after: object) -> str:
    return f"{_shown(before)} becomes {_shown(after)}"


def _shown(value: object) -> str:
    if isinstance(value, BaseModel):
        held = value.model_dump(mode="json", exclude_none=True)
        return ", ".join(f"{name} {' '.join(one) if isinstance(one, list) else one}" for name, one in held.items())
    return "none" if value is None else f"{str(value)[:60]}"


def silence(tx: Session, channel: Channel) -> None:
    """Drops the queued messages of a channel."""
    waiting = (Delivery.channel == channel.value, Delivery.over_at.is_(None))
    tx.execute(update(Delivery).where(*waiting).values(over_at=utc_now(), outcome="the channel is no longer used"))
    board.resolve(tx, trouble_key(channel), utc_now())
