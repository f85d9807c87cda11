"""Earlier versions stored the webhook's address in clear, in the settings and in texts about them.

A migration has no key to seal it with, and an older program that runs again after a failed update may write another.
So this runs at every start and on every backup that is restored; where nothing is in clear it writes nothing.
"""

import re

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import Unavailable
from lunette.domain.jobs import JobKind
from lunette.domain.secret_urls import SecretUrl
from lunette.domain.settings import Channel
from lunette.store.database import store_of
from lunette.store.journal import Alert, Event, Job
from lunette.store.schema import Json
from lunette.store.secrets import SecretBox
from lunette.store.settings import APPLIANCE, Delivery, SettingsRow

_ADDRESS = re.compile(r"(https://[^\s/?#]+)[/?]\S*")
_TROUBLE = re.compile(r"^((?:(?!https://).)*https://[^\s/?#]+)/\S*( answer(?:s|ed) \d+)?.*", re.DOTALL)
"""How a delivery ended: the address, the status, and the words of a server that may have quoted the address."""


def seal_old_addresses(tx: Session) -> None:
    """Seals the webhook's address where it is in clear, and shortens it in events, jobs, alerts and deliveries."""
    _seal(tx)
    for event in tx.scalars(select(Event).where(Event.kind == "setting.changed")):
        event.data = {**event.data, **({"plan": _shortened(event.data["plan"])} if "plan" in event.data else {})}
    for job in tx.scalars(select(Job).where(Job.kind == JobKind.SITE_APPLY.value)):
        job.plan = _shortened(job.plan)
    mine = (Delivery.channel == Channel.WEBHOOK.value, Delivery.outcome.like("%https://%/%"))
    for delivery in tx.scalars(select(Delivery).where(*mine)):
        delivery.outcome = _trouble(delivery.outcome)
    for alert in tx.scalars(select(Alert).where(Alert.key == f"delivery.failed:{Channel.WEBHOOK.value}")):
        alert.cause = _trouble(alert.cause)
        for delivery in tx.scalars(select(Delivery).where(Delivery.message_id.like(f"{alert.id}.%"))):
            delivery.message = {**delivery.message, "cause": _trouble(delivery.message["cause"])}


def _seal(tx: Session) -> None:
    row = tx.get(SettingsRow, APPLIANCE)
    hook = row.document.get("webhook") if row is not None else None
    if row is None or not hook:
        return
    url, box, held = SecretUrl(hook["url"]), store_of(tx).box, row.sealed.get("webhook.url")
    if hook["url"] == url.shown and (held is None or _is_of(url, box, held)):
        return
    sealed = {key: value for key, value in row.sealed.items() if key != "webhook.url"}
    if url.has_path:
        sealed["webhook.url"] = box.seal(url)
    row.document, row.sealed = {**row.document, "webhook": {**hook, "url": url.shown}}, sealed


def _is_of(url: SecretUrl, box: SecretBox, sealed: str) -> bool:
    """False if the sealed address is of another server: an older program has changed the other, and leaves this one."""
    try:
        return SecretUrl(box.open(sealed).get_secret_value()).shown == url.shown
    except Unavailable:
        return True


def _shortened(plan: Json) -> Json:
    """A plan whose lines about the webhook show only its server."""
    lines = [
        {**line, "detail": _ADDRESS.sub(r"\1", line["detail"])}
        if (line["noun"], line["name"]) == ("setting", "webhook")
        else line
        for line in plan.get("changes", ())
    ]
    return {**plan, "changes": lines}


def _trouble(words: str) -> str:
    return _TROUBLE.sub(lambda found: f"{found[1]}{found[2] or ' did not take it'}", words)
