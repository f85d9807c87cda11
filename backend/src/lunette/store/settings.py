"""Settings of the appliance, and queued messages."""

import datetime as dt

from sqlalchemy import JSON, BigInteger, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, Session, mapped_column

from lunette.domain.base import Model
from lunette.domain.settings import SECRETS, DiscoveryAuth, Settings, WebhookSettings, with_secret
from lunette.store.database import store_of
from lunette.store.schema import Base, Json, Resource, utc_now
from lunette.store.secrets import SecretBox

APPLIANCE = "appliance"


class SettingsRow(Resource, Base):
    """The one row: what may be read in `document`, secrets sealed in `sealed` by their place, such as `mail`."""

    __tablename__ = "settings"

    document: Mapped[Json] = mapped_column(JSON)
    sealed: Mapped[Json] = mapped_column(JSON)


class Delivery(Base):
    """One message for one channel. `lease_until`: a process is sending it. It is retained for a while once it is
    done.
    """

    __tablename__ = "delivery"
    __table_args__ = (UniqueConstraint("channel", "message_id"), {"sqlite_autoincrement": True})

    seq: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)
    channel: Mapped[str] = mapped_column(String(16))
    message_id: Mapped[str] = mapped_column(String(127))
    message: Mapped[Json] = mapped_column(JSON)
    created_at: Mapped[dt.datetime] = mapped_column(default=utc_now)
    attempts: Mapped[int] = mapped_column(default=0)
    lease_until: Mapped[dt.datetime | None]
    over_at: Mapped[dt.datetime | None] = mapped_column(index=True)
    is_told: Mapped[bool] = mapped_column(default=False)
    outcome: Mapped[str] = mapped_column(Text, default="")
    """How it ended, or why the last attempt failed, in words."""


def settings_row(tx: Session) -> SettingsRow:
    """The row; on an appliance where nothing was ever set, one with the defaults that is not stored yet."""
    row = tx.get(SettingsRow, APPLIANCE)
    if row is None:
        now = utc_now()
        document = document_of(Settings())
        row = SettingsRow(id=APPLIANCE, version=1, created_at=now, updated_at=now, document=document, sealed={})
    return row


def document_of(settings: Settings) -> Json:
    """What the row stores: only what differs from the default, for the version before refuses settings it has not."""
    return settings.model_dump(mode="json", exclude_defaults=True)


def settings_of(row: SettingsRow) -> Settings:
    """The settings of the row, without secrets. Those that only a newer version has are left out."""
    known = {name: row.document[name] for name in Settings.model_fields if name in row.document}
    if asked := known.get("discovery_auth"):
        known["discovery_auth"] = DiscoveryAuth.model_construct(**asked)  # an older version took more names
    return Settings.model_validate(known)


def read_settings(tx: Session) -> Settings:
    """The settings without their secrets."""
    return settings_of(settings_row(tx))


def with_secrets(tx: Session, box: SecretBox | None = None) -> Settings:
    """The settings with their secrets, to use them. Those that were sealed with another key are left out."""
    row = settings_row(tx)
    box = box or store_of(tx).box
    plain = read_settings(tx)
    found: dict[str, Model] = {}
    for key, (name, field) in SECRETS.items():
        held: Model | None = found.get(name, getattr(plain, name))
        secret = box.open_if_known(row.sealed[key]) if key in row.sealed else None
        if held is not None and secret is not None:
            found[name] = with_secret(held, field, secret)
        elif (
            key == "webhook.url" and key not in row.sealed and isinstance(held, WebhookSettings) and not held.url.hidden
        ):
            found[name] = held.model_copy(update={"url": held.url.root})
    return plain.model_copy(update=found)


def lost_secrets(tx: Session, box: SecretBox | None = None) -> tuple[str, ...]:
    """Keys in SECRETS of values that were sealed with another key: they must be entered again."""
    row, box = settings_row(tx), box or store_of(tx).box
    return tuple(key for key in SECRETS if key in row.sealed and box.open_if_known(row.sealed[key]) is None)
