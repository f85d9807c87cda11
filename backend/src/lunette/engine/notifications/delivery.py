"""Delivers messages to their channels, in order, until they are accepted.

Each channel has its own thread and nothing is sent within a transaction: a server that hangs delays neither another
channel nor the control plane. Accepted messages are recorded, so a restart does not send them again; only a process
that dies between the server's reply and the record repeats one message, under the same ID.
"""

import datetime as dt
from collections.abc import Callable, Collection

from sqlalchemy import Select, delete, select

from lunette.domain.alerts import Severity
from lunette.domain.messages import Message
from lunette.domain.settings import SECRETS, Channel, Settings
from lunette.engine.alerts import board, outbox
from lunette.engine.changes import settings
from lunette.engine.context.loop import Loop
from lunette.engine.notifications import mail, syslog, webhook
from lunette.engine.notifications.failure import DeliveryFailed
from lunette.planner.system import calendar
from lunette.store.database import Store
from lunette.store.resources import Meta
from lunette.store.schema import utc_now
from lunette.store.settings import Delivery, lost_secrets, read_settings, with_secrets

PERIOD_S = 5.0
IDLE_S = 3600.0
LEASE = dt.timedelta(minutes=2)
"""Lease time: for this long a message belongs to one process."""
FIRST_RETRY = dt.timedelta(seconds=10)
LONGEST_RETRY = dt.timedelta(minutes=15)
REFUSALS = 10
"""A message that a server refuses this often is dropped (after about an hour), so that later ones get their turn."""
GIVE_UP_AFTER = dt.timedelta(days=3)
TROUBLE_AT = 3
"""After this many attempts an alert reports that the channel does not work."""
KEPT = dt.timedelta(days=30)


def send(channel: Channel, wanted: Settings, message: Message, lost: Collection[str] = ()) -> str:
    """Sends one message now; returns the result in words. Raises DeliveryFailed, whatever goes wrong.

    `lost`: keys of secrets that cannot be read. Without its secret, a message is not sent.
    """
    if fields := [field for key, (name, field) in SECRETS.items() if key in lost and name == channel.value]:
        words = " and ".join(fields)
        raise DeliveryFailed(f"the stored {words} was sealed with a different key: enter it again", was_answered=False)
    try:
        return _send(channel, wanted, message)
    except DeliveryFailed:
        raise
    except Exception as error:
        # A message that cannot even be written must not block the channel: it is dropped in the end.
        raise DeliveryFailed(f"it cannot be sent: {type(error).__name__}: {error}", was_answered=True) from error


def _send(channel: Channel, wanted: Settings, message: Message) -> str:
    if channel is Channel.MAIL and wanted.mail:
        return mail.send(wanted.mail, message, wanted.trusted_ca)
    if channel is Channel.WEBHOOK and wanted.webhook:
        return webhook.send(wanted.webhook, message, wanted.trusted_ca)
    if channel is Channel.SYSLOG and wanted.syslog:
        return syslog.send(wanted.syslog, message, wanted.trusted_ca)
    raise DeliveryFailed(f"{channel.value} is not set up", was_answered=True)


class NotificationService:
    """Checks the queue and lets each channel's thread deliver; files the daily heartbeat."""

    def __init__(self, store: Store, now: Callable[[], dt.datetime] = utc_now) -> None:
        self._store = store
        self._now = now
        self._loop = Loop("post", self.round)
        self.couriers = {channel: ChannelWorker(store, channel, now) for channel in Channel}
        self._threads = {
            channel: Loop(f"post-{channel.value}", courier.round) for channel, courier in self.couriers.items()
        }

    def start(self) -> None:
        for loop in (*self._threads.values(), self._loop):
            loop.start()

    def stop(self) -> None:
        for loop in (self._loop, *self._threads.values()):
            loop.stop()

    def round(self) -> float:
        """Wakes the channels with queued messages."""
        now = self._now()
        board.end_silences(self._store, now)
        with self._store.read() as tx:
            waiting = tx.scalars(select(Delivery.channel).where(Delivery.over_at.is_(None)).distinct()).all()
            wanted = read_settings(tx)
            said = tx.get(Meta, outbox.HEARTBEAT)
        for channel in waiting:
            self._threads[Channel(channel)].wake()
        if wanted.heartbeat and wanted.channels():
            self._beat(wanted, said.value if said else None, now)
        return PERIOD_S

    def _beat(self, wanted: Settings, said: str | None, now: dt.datetime) -> None:
        """Once a day at its time. The first day begins when it is enabled."""
        hour, _, minute = (wanted.heartbeat or "").partition(":")
        zone, last = settings.zone(wanted), dt.datetime.fromisoformat(said) if said else None
        if last is not None and not calendar.is_set_back(last, now):
            if calendar.due(f"{int(minute)} {int(hour)} * * *", zone, last, now) is None:
                return
            with self._store.write() as tx:
                row = tx.get_one(Meta, outbox.HEARTBEAT)
                if row.value == said:
                    row.value = now.isoformat()
                    outbox.post_heartbeat(tx, now)
            return
        with self._store.write() as tx:
            tx.merge(Meta(key=outbox.HEARTBEAT, value=now.isoformat()))


class ChannelWorker:
    """One channel."""

    def __init__(self, store: Store, channel: Channel, now: Callable[[], dt.datetime]) -> None:
        self._store = store
        self._channel = channel
        self._now = now

    def round(self) -> float:
        """Delivers queued messages, the oldest first, until there are none or the server refuses."""
        while (claimed := self._claim()) is not None:
            seq, message, wanted, lost = claimed
            try:
                words = send(self._channel, wanted, message, lost)
            except DeliveryFailed as error:
                self._failed(seq, error)
                return IDLE_S
            self._reported(seq, words)
        return IDLE_S

    def _claim(self) -> tuple[int, Message, Settings, Collection[str]] | None:
        """The oldest message, now leased to this process; None if there is none, or its time has not come."""
        now = self._now()
        with self._store.read() as tx:
            if tx.scalars(self._oldest()).one_or_none() is None:
                return None
        with self._store.write() as tx:
            row = tx.scalars(self._oldest()).one_or_none()
            if row is None:
                return None
            wanted = with_secrets(tx)
            if wanted.channel(self._channel) is None:
                settings.silence(tx, self._channel)
                return None
            if row.lease_until is not None and now < row.lease_until < now + calendar.SET_BACK:
                return None
            row.lease_until, row.attempts = now + LEASE, row.attempts + 1
            return row.seq, Message.model_validate(row.message), wanted, lost_secrets(tx)

    def _oldest(self) -> Select[Delivery]:
        mine = (Delivery.channel == self._channel.value, Delivery.over_at.is_(None))
        return select(Delivery).where(*mine).order_by(Delivery.seq).limit(1)

    def _reported(self, seq: int, words: str) -> None:
        with self._store.write() as tx:
            row = tx.get_one(Delivery, seq)
            row.over_at, row.lease_until, row.outcome, row.is_told = self._now(), None, words, True
            board.resolve(tx, outbox.trouble_key(self._channel), self._now())
            tx.execute(delete(Delivery).where(Delivery.over_at < self._now() - KEPT))

    def _failed(self, seq: int, error: DeliveryFailed) -> None:
        now = self._now()
        with self._store.write() as tx:
            row = tx.get_one(Delivery, seq)
            row.outcome = error.detail
            row.lease_until = now + min(LONGEST_RETRY, FIRST_RETRY * 2 ** min(row.attempts - 1, 16))
            is_old = abs(now - row.created_at) > GIVE_UP_AFTER
            if is_old or (error.was_answered and row.attempts >= REFUSALS):
                row.over_at, row.outcome = now, f"given up after {row.attempts} attempts: {error.detail}"
            if row.attempts >= TROUBLE_AT:
                board.raise_alert(tx, self._trouble(error), now)

    def _trouble(self, error: DeliveryFailed) -> board.Cause:
        name = self._channel.value
        return board.Cause(
            key=outbox.trouble_key(self._channel),
            severity=Severity.WARNING,
            message=f"Alerts cannot be sent by {name}",
            cause=error.detail,
            fix=(
                f"Correct the settings of {name} and send a test. Queued messages are sent as soon as they are "
                "accepted."
            ),
        )
