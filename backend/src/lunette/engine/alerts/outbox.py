"""Queued messages: written in the transaction of the event they report, so none is lost or duplicated."""

import datetime as dt
import socket

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.alerts import Severity
from lunette.domain.messages import Message, MessageKind
from lunette.domain.settings import Channel, Settings
from lunette.store.journal import Alert
from lunette.store.settings import Delivery, read_settings

HEARTBEAT = "heartbeat_at"
"""Key of the last heartbeat, or of the time when it was enabled."""


def trouble_key(channel: Channel) -> str:
    """The alert that a channel does not work. It is not sent over that channel."""
    return f"delivery.failed:{channel.value}"


def appliance_name(settings: Settings) -> str:
    return settings.shown_name(socket.gethostname())


def post_alert(tx: Session, row: Alert, kind: MessageKind, now: dt.datetime) -> None:
    """Queues a message on every enabled channel: an alert was raised, is repeated, or is resolved; not while it is
    silenced.
    """
    if row.silenced_until is not None and now < row.silenced_until:
        return
    settings = read_settings(tx)
    moment = now if kind is MessageKind.RAISED else row.raised_at
    message = Message(
        id=f"{row.id}.{int(moment.timestamp() * 1000)}.{kind.value}",
        kind=kind,
        at=now,
        appliance=appliance_name(settings),
        severity=Severity(row.severity),
        key=row.key,
        text=row.message,
        cause=row.cause,
        fix=row.fix,
    )
    post(tx, message, [one for one in settings.channels() if row.key != trouble_key(one)])


def post_heartbeat(tx: Session, now: dt.datetime) -> None:
    """The daily heartbeat, with the open alerts."""
    settings = read_settings(tx)
    rows = tx.scalars(select(Alert).where(Alert.resolved_at.is_(None)).order_by(Alert.raised_at)).all()
    open_alerts = [f"{row.message} (acknowledged)" if row.acknowledged_at else row.message for row in rows]
    count = f"{len(open_alerts)} alert{'s are' if len(open_alerts) != 1 else ' is'}" if open_alerts else "no alert is"
    message = Message(
        id=f"heartbeat.{now:%Y%m%dT%H%M%S}",
        kind=MessageKind.HEARTBEAT,
        at=now,
        appliance=appliance_name(settings),
        text=f"{appliance_name(settings)} is up, and {count} active",
        cause="; ".join(open_alerts[:20]),
    )
    post(tx, message, settings.channels())


def post(tx: Session, message: Message, channels: list[Channel] | tuple[Channel, ...]) -> None:
    """Adds a row for each channel, once."""
    known = select(Delivery.channel).where(Delivery.message_id == message.id)
    there = set(tx.scalars(known)) if channels else set()
    document = message.model_dump(mode="json")
    tx.add_all(
        Delivery(channel=channel.value, message_id=message.id, message=document)
        for channel in channels
        if channel.value not in there
    )
