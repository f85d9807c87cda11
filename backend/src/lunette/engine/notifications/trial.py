"""The test button: sends one message now over every channel that is set up, and returns the reply of each server."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor

from lunette.domain.base import Model
from lunette.domain.errors import Conflict
from lunette.domain.identity import IdentitySource
from lunette.domain.messages import Message, MessageKind
from lunette.domain.settings import Channel, Settings
from lunette.engine.alerts.outbox import appliance_name
from lunette.engine.notifications.delivery import send
from lunette.engine.notifications.failure import DeliveryFailed
from lunette.store.database import Store
from lunette.store.schema import utc_now
from lunette.store.settings import lost_secrets, with_secrets


class Trial(Model):
    """Result of a test over one channel; `detail` is the server's reply, or why nothing could be sent."""

    channel: Channel
    accepted: bool
    detail: str


def try_all(store: Store, actor: str) -> tuple[Trial, ...]:
    """Sends a test over all channels concurrently, within no transaction. Raises Conflict if none is set up."""
    with store.read() as tx:
        wanted, lost = with_secrets(tx, store.box), lost_secrets(tx, store.box)
    channels = wanted.channels()
    if not channels:
        raise Conflict("No channel is set up: set mail, webhook or syslog first, then send a test.")
    name = appliance_name(wanted)
    message = Message(
        id=f"test.{IdentitySource().id()}",
        kind=MessageKind.TEST,
        at=utc_now(),
        appliance=name,
        text=f"A test of the alerts of {name}, requested by {actor}",
    )
    with ThreadPoolExecutor(len(channels)) as threads:
        return tuple(threads.map(lambda channel: _try_one(channel, wanted, message, lost), channels))


def _try_one(channel: Channel, wanted: Settings, message: Message, lost: Collection[str]) -> Trial:
    try:
        return Trial(channel=channel, accepted=True, detail=send(channel, wanted, message, lost))
    except DeliveryFailed as error:
        return Trial(channel=channel, accepted=False, detail=error.detail)
