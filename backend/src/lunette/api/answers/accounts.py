"""Users, API tokens, logins, and the identity behind a request."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.roles import Role
from lunette.store.access import ApiToken as ApiTokenRow
from lunette.store.access import LoginSession
from lunette.store.access import User as UserRow


class Me(Answer):
    """Identity behind the request: a user, or the owner of an API token."""

    username: str
    """Username of the user. For an API token, the username of its owner."""
    role: Role
    """Effective role. For an API token, the lower of its own role and the role of its owner."""
    password_change_required: bool
    """Whether the user must change the password before any other action."""
    has_second_factor: bool
    """Whether the user has a second factor. Always `false` for an API token."""
    second_factor_required: bool
    """Whether the user must set up a second factor before any other action, as the settings require."""
    csrf_token: str | None
    """Token that a browser must send in the header `X-CSRF-Token` with every change.

    `null` if the request does not use a browser login.
    """


class SecondFactorOffer(Answer):
    """Secret of a new second factor, returned only once.

    The second factor becomes active when a code of the authenticator app confirms the secret.
    """

    secret: str
    """Secret in base32, to enter in an authenticator app that cannot scan the QR code."""
    address: str
    """Address with the scheme `otpauth://`, to show as a QR code."""


class RecoveryCodes(Answer):
    """Recovery codes for the loss of the authenticator app, returned only once."""

    recovery_codes: tuple[str, ...]
    """Recovery codes. Each can be used once in place of a code of the app."""


class User(Answer):
    """User account."""

    id: str
    """Unique ID of the user."""
    username: str
    """Name with which the user logs in."""
    role: Role
    """Role of the user."""
    password_change_required: bool
    """Whether the user must change the password before any other action."""
    has_second_factor: bool
    """Whether the user has a second factor."""
    created_at: datetime
    """When the user was created, in UTC."""
    updated_at: datetime
    """When the user was last changed, in UTC."""


class Token(Answer):
    """API token for automation. The secret is returned only when the token is created."""

    id: str
    """Unique ID of the API token."""
    name: str
    """Name of the API token."""
    username: str
    """Username of the owner."""
    role: Role
    """Role of the API token. If the owner has a lower role, that role applies."""
    expires_at: datetime | None
    """When the API token expires, in UTC. `null` for a token without expiry."""
    last_used_at: datetime | None
    """When the API token was last used, in UTC, to the minute. `null` if the token has never been used."""
    created_at: datetime
    """When the API token was created, in UTC."""


class ActiveLogin(Answer):
    """Browser login that has not expired."""

    id: str
    """Unique ID of the login."""
    username: str
    """Username of the user that is logged in."""
    role: Role
    """Role of the user that is logged in."""
    address: str | None
    """IP address from which the user logged in. `null` if the address is not known."""
    is_own: bool
    """Whether the request itself uses this login."""
    created_at: datetime
    """When the user logged in, in UTC."""
    expires_at: datetime
    """When the login expires, in UTC."""


class NewToken(Token):
    """New API token with its secret."""

    token: str
    """Secret of the API token, returned only once. Send the secret as `Authorization: Bearer …`."""


def user_answer(row: UserRow, *, has_second_factor: bool) -> User:
    return User(
        id=row.id,
        username=row.username,
        role=Role(row.role),
        password_change_required=row.must_change_password,
        has_second_factor=has_second_factor,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def token_answer(row: ApiTokenRow, username: str) -> Token:
    return Token(
        id=row.id,
        name=row.name,
        username=username,
        role=Role(row.role),
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        created_at=row.created_at,
    )


def login_answer(row: LoginSession, shown_id: str, user: UserRow, address: str | None, *, is_own: bool) -> ActiveLogin:
    return ActiveLogin(
        id=shown_id,
        username=user.username,
        role=Role(user.role),
        address=address,
        is_own=is_own,
        created_at=row.created_at,
        expires_at=row.expires_at,
    )
