"""Authentication: a browser by its session cookie, automation by its API token. Only their hashes are stored."""

import datetime as dt
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from lunette.api.auth.second_factor import is_enabled
from lunette.api.server.local import LOCAL_ADMINISTRATOR, is_local
from lunette.domain.errors import Forbidden, LunetteError, Unauthenticated
from lunette.domain.roles import Role
from lunette.store.access import ApiToken, LoginSession, User
from lunette.store.database import Store
from lunette.store.schema import utc_now
from lunette.store.settings import settings_row

COOKIE = "__Host-lunette"
CSRF_HEADER = "X-CSRF-Token"
TOKEN_PREFIX = "lnt_"
_USE_NOTED_EVERY = dt.timedelta(minutes=1)
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class Identity:
    """A user, or a token of a user. `role` is never higher than the user's own.

    Root on the appliance is not in the database: `user_id` is empty then.
    """

    user_id: str
    username: str
    role: Role
    must_change_password: bool
    token_name: str | None = None
    token_id: str | None = None
    expires_at: dt.datetime | None = None
    """When its API token expires; None for a user, and for a token without expiry."""
    session_hash: str | None = None
    csrf_token: str | None = None
    has_second_factor: bool = False
    is_second_factor_missing: bool = False
    """True for a user's login if the settings require a second factor and the user has none."""

    @property
    def actor(self) -> str:
        """The actor, for events and jobs."""
        return f"token:{self.token_name}" if self.token_name else self.username

    @property
    def key(self) -> str:
        """The stable key of an identity: a name may belong to another user later."""
        return f"token {self.token_id}" if self.token_id else f"user {self.user_id}" if self.user_id else self.username


_ROOT = Identity(user_id="", username=LOCAL_ADMINISTRATOR, role=Role.ADMINISTRATOR, must_change_password=False)


def new_secret() -> str:
    """256 bits, so that a plain hash of it is safe to store."""
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def login_id(token_hash: str) -> str:
    """The short name of a login in lists and events: the beginning of the hash, too short to derive the rest."""
    return token_hash[:16]


def csrf_token(session_secret: str) -> str:
    """Derived from the cookie, so a page that is loaded again can request it, and another site cannot compute it."""
    return hmac.new(session_secret.encode(), b"csrf", hashlib.sha256).hexdigest()


def open_session(tx: Session, user: User, life: dt.timedelta) -> str:
    """Stores a new browser session; returns the cookie's value."""
    secret = new_secret()
    now = utc_now()
    tx.add(
        LoginSession(
            token_hash=hash_secret(secret),
            user_id=user.id,
            csrf_hash=hash_secret(csrf_token(secret)),
            created_at=now,
            expires_at=now + life,
        )
    )
    return secret


def authenticate(request: Request, store: Store) -> Identity:
    """The identity of a request. Raises Unauthenticated, or Forbidden for a browser's change without CSRF token.

    Requests over the local socket are root's; credentials in them are ignored.
    """
    if is_local(request.scope):
        return _ROOT
    scheme, _, credential = request.headers.get("authorization", "").partition(" ")
    if scheme:
        if scheme.lower() != "bearer" or not credential.startswith(TOKEN_PREFIX):
            raise Unauthenticated("The Authorization header contains no API token; send `Authorization: Bearer lnt_…`.")
        return _by_token(credential.strip(), store)
    cookie = request.cookies.get(COOKIE)
    if not cookie:
        raise Unauthenticated("The request has no credentials; log in, or send an API token.")
    identity = _by_cookie(cookie, store)
    if request.method not in SAFE_METHODS:
        shown = request.headers.get(CSRF_HEADER, "")
        if not hmac.compare_digest(shown.encode(), (identity.csrf_token or "").encode()):
            raise Forbidden(f"A change from a browser requires the session's token in {CSRF_HEADER}; reload the page.")
    return identity


def still_lets_in(request: Request, store: Store) -> bool:
    """False if the credentials of a request are no longer valid, or something must be done before all else.

    Raises Unavailable without the database.
    """
    try:
        identity = authenticate(request, store)
    except Unauthenticated:
        return False
    return not (identity.must_change_password or identity.is_second_factor_missing)


def check_holds(tx: Session, identity: Identity) -> None:
    """Raises Unauthenticated if the login or the token has ended since the request was admitted.

    A body may arrive slowly, and its request must not outlive its credentials.
    """
    if identity.session_hash and tx.get(LoginSession, identity.session_hash) is None:
        raise Unauthenticated("The session has ended; log in again.")
    if identity.token_id and tx.get(ApiToken, identity.token_id) is None:
        raise Unauthenticated("This API token was deleted meanwhile. Create a new one.")


def check_lasts(identity: Identity) -> None:
    """Raises Forbidden for a token that expires: what it creates would outlive it."""
    if identity.expires_at is not None:
        raise Forbidden(
            f"{identity.actor} expires, so it cannot create, change or restore users, who would outlive it; log in "
            "as a user, or use a token that does not expire."
        )


def _by_cookie(secret: str, store: Store) -> Identity:
    wanted = hash_secret(secret)
    with store.read() as tx:
        found = tx.execute(
            select(LoginSession, User)
            .join(User, User.id == LoginSession.user_id)
            .where(LoginSession.token_hash == wanted, LoginSession.expires_at > utc_now())
        ).one_or_none()
        has_factor = found is not None and is_enabled(tx, found[1].id)
        is_required = settings_row(tx).document.get("second_factor_required", False)
    if found is None:
        raise Unauthenticated("The session has ended; log in again.")
    user: User = found[1]
    return Identity(
        user_id=user.id,
        username=user.username,
        role=Role(user.role),
        must_change_password=user.must_change_password,
        session_hash=wanted,
        csrf_token=csrf_token(secret),
        has_second_factor=has_factor,
        is_second_factor_missing=is_required and not has_factor,
    )


def _by_token(secret: str, store: Store) -> Identity:
    with store.read() as tx:
        found = tx.execute(
            select(ApiToken, User)
            .join(User, User.id == ApiToken.user_id)
            .where(ApiToken.token_hash == hash_secret(secret))
        ).one_or_none()
    if found is None:
        raise Unauthenticated("This API token is unknown; it may have been deleted. Create a new one.")
    token: ApiToken = found[0]
    user: User = found[1]
    now = utc_now()
    if token.expires_at and token.expires_at <= now:
        raise Unauthenticated(f"The API token {token.name} expired at {token.expires_at:%Y-%m-%d %H:%M} UTC.")
    if token.last_used_at is None or now - token.last_used_at > _USE_NOTED_EVERY:
        _note_use(token.id, store)
    role, owner = Role(token.role), Role(user.role)
    return Identity(
        user_id=user.id,
        username=user.username,
        role=role if owner.includes(role) else owner,
        must_change_password=user.must_change_password,
        token_name=token.name,
        token_id=token.id,
        expires_at=token.expires_at,
    )


def _note_use(token_id: str, store: Store) -> None:
    """Best effort: a database that cannot be written must not stop reading."""
    try:
        with store.write() as tx:
            tx.execute(update(ApiToken).where(ApiToken.id == token_id).values(last_used_at=utc_now()))
    except LunetteError:
        return


def asking(request: Request) -> Identity:
    """The identity that the guard has admitted."""
    identity: Identity = request.state.identity
    return identity


Asking = Annotated[Identity, Depends(asking)]
