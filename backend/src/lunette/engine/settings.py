"""Reads and changes the settings. Secrets are sealed before they reach the row, and opened only to be used."""

from zoneinfo import ZoneInfo

from pydantic import BaseModel, SecretStr
from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from lunette.domain.errors import FieldProblem, Invalid
from lunette.domain.plans import Action, Change, Plan
from lunette.domain.settings import SECRETS, Channel, Settings, SettingsPatch, same_peer
from lunette.engine import alerts, exportset
from lunette.engine.desk import Desk
from lunette.engine.outcome import Actor, Outcome
from lunette.engine.telling.outbox import HEARTBEAT, trouble_key
from lunette.engine.undoing.keeping import recorded
from lunette.planner import firewall
from lunette.store.database import after_commit, store_of
from lunette.store.resources import Meta
from lunette.store.schema import utc_now
from lunette.store.settings import APPLIANCE, Delivery, SettingsRow, settings_row


def zone(settings: Settings) -> ZoneInfo:
    return ZoneInfo(settings.time_zone)


def patch(tx: Session, desk: Desk, actor: Actor, wish: SettingsPatch, dry_run: bool) -> Outcome:
    """Changes what the wish names. A channel that is taken away tells nothing more, not even what waits."""
    row = settings_row(tx)
    before = Settings.model_validate(row.document)
    given = {name: getattr(wish, name) for name in wish.model_fields_set}
    bare = {name: _without_secret(name, value) for name, value in given.items()}
    after = before.model_copy(update=bare)
    secrets = _secrets(tx, row, before, given)
    plan = _plan(before, after, [name for name in SECRETS if secrets.get(name) != row.sealed.get(name)])
    if after.firewall != before.firewall:
        plan = plan.model_copy(update={"warnings": firewall.words(after.firewall, desk.seen())})
    if dry_run or not plan.changes:
        return Outcome(plan=plan)
    if tx.get(SettingsRow, APPLIANCE) is None:
        tx.add(row)
        tx.flush()
    with recorded(tx, actor, "setting.changed", plan, [APPLIANCE]):
        row.document, row.sealed = after.model_dump(mode="json"), secrets
        row.touch()
        if after.heartbeat != before.heartbeat:
            tx.execute(delete(Meta).where(Meta.key == HEARTBEAT))
        for channel in set(before.channels()) - set(after.channels()):
            silence(tx, channel)
        if after.firewall != before.firewall:
            exportset.changed(tx, desk)
    after_commit(tx, desk.wake_scheduler)
    return Outcome(plan=plan)


def _without_secret(name: str, value: object) -> object:
    return value.model_copy(update={SECRETS[name]: None}) if isinstance(value, BaseModel) and name in SECRETS else value


def _secrets(tx: Session, row: SettingsRow, before: Settings, given: dict[str, object]) -> dict[str, str]:
    """The sealed secrets as they will be. One that is kept goes to the server it was given for, and to no other."""
    box, sealed = store_of(tx).box, dict(row.sealed)
    for name, field in SECRETS.items():
        if name not in given:
            continue
        new = given[name]
        secret: SecretStr | None = getattr(new, field, None)
        held = sealed.get(name)
        if secret is not None:
            if held is None or box.open(held).get_secret_value() != secret.get_secret_value():
                sealed[name] = box.seal(secret)
        elif new is None or not same_peer(getattr(before, name), new):  # type: ignore[arg-type]
            sealed.pop(name, None)
        if getattr(new, "user", None) is not None and name not in sealed:
            message = "it is not known for this server and user: give it once, it is kept from then on"
            problem = FieldProblem(field=f"{name}.{field}", value=None, message=message)
            raise Invalid(f"The settings were not changed: {name}.{field}: {message}.", errors=(problem,))
    return sealed


def _plan(before: Settings, after: Settings, secrets: list[str]) -> Plan:
    changes = [
        Change(
            action=Action.CHANGE, noun="setting", name=name, detail=_words(getattr(before, name), getattr(after, name))
        )
        for name in Settings.model_fields
        if getattr(before, name) != getattr(after, name)
    ]
    changes += [
        Change(action=Action.CHANGE, noun="setting", name=name, detail=f"its {SECRETS[name]} changes")
        for name in secrets
    ]
    names = ", ".join(dict.fromkeys(change.name for change in changes))
    title = f"Change the settings: {names}" if names else "Change the settings: nothing"
    return Plan(title=title, changes=tuple(changes), steps=())


def _words(before: object, after: object) -> str:
    return f"{_shown(before)} becomes {_shown(after)}"


def _shown(value: object) -> str:
    if isinstance(value, BaseModel):
        held = value.model_dump(mode="json", exclude=set(SECRETS.values()), exclude_none=True)
        return ", ".join(f"{name} {' '.join(one) if isinstance(one, list) else one}" for name, one in held.items())
    return "none" if value is None else f"{str(value)[:60]}"


def silence(tx: Session, channel: Channel) -> None:
    """Nothing more is told over a channel, not even what waits."""
    waiting = (Delivery.channel == channel.value, Delivery.over_at.is_(None))
    tx.execute(update(Delivery).where(*waiting).values(over_at=utc_now(), outcome="the channel is not used any more"))
    alerts.resolve(tx, trouble_key(channel), utc_now())
