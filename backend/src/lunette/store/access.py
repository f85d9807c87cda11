"""Access: users, browser sessions, API tokens; and the responses stored for repeated requests."""

import datetime as dt

from sqlalchemy import JSON, BigInteger, ForeignKey, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from lunette.store.schema import Base, Resource, utc_now


class User(Resource, Base):
    __tablename__ = "user"

    username: Mapped[str] = mapped_column(String(63), unique=True)
    password_hash: Mapped[str] = mapped_column(Text)
    role: Mapped[str] = mapped_column(String(16))
    must_change_password: Mapped[bool] = mapped_column(default=False)


class LoginSession(Base):
    """A browser's login, known by the hash of its cookie."""

    __tablename__ = "login_session"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), index=True)
    csrf_hash: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[dt.datetime] = mapped_column(default=utc_now)
    expires_at: Mapped[dt.datetime] = mapped_column(index=True)


class SecondFactor(Base):
    """What a user presents at a login in addition to the password. Without `secret_sealed` nothing is required yet."""

    __tablename__ = "second_factor"

    user_id: Mapped[str] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)
    secret_sealed: Mapped[str | None] = mapped_column(Text)
    """The secret shared with the authenticator app."""
    next_sealed: Mapped[str | None] = mapped_column(Text)
    """One that is being set up, until a code of it was shown."""
    next_login: Mapped[str | None] = mapped_column(String(64))
    """The hash of the login in which it is set up: in another one it cannot be confirmed."""
    last_period: Mapped[int] = mapped_column(BigInteger, default=0)
    """The period of the last code used: none is good twice."""
    recovery_hashes: Mapped[list[str]] = mapped_column(JSON, default=list)
    """Of the recovery codes that are left."""


class ApiToken(Resource, Base):
    """A token for automation, known by its hash; it goes with its user. `expires_at` None never expires.

    `parent_id` is the token it was made with, if it was: it goes with that one, too.
    """

    __tablename__ = "api_token"

    name: Mapped[str] = mapped_column(String(63), unique=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    parent_id: Mapped[str | None] = mapped_column(String(36))
    expires_at: Mapped[dt.datetime | None]
    last_used_at: Mapped[dt.datetime | None]


class IdempotencyKey(Base):
    """The answer given to a POST, given again to the same person repeating the same request under the same key."""

    __tablename__ = "idempotency_key"

    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    username: Mapped[str] = mapped_column(String(127), primary_key=True)
    """Who asked: the id of a user or a token, for a name may be another one's later."""
    request: Mapped[str] = mapped_column(Text)
    """Method and path."""
    request_hash: Mapped[str] = mapped_column(String(64))
    status: Mapped[int]
    headers: Mapped[str] = mapped_column(Text, default="{}")
    body: Mapped[bytes] = mapped_column(LargeBinary)
    """Sealed; empty if the response contained a secret, which is not stored."""
    created_at: Mapped[dt.datetime] = mapped_column(default=utc_now, index=True)
