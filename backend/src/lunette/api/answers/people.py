"""Users, API tokens, and who is asking."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.roles import Role
from lunette.store.access import ApiToken as ApiTokenRow
from lunette.store.access import LoginSession
from lunette.store.access import User as UserRow


class Me(Answer):
    """Who is asking. A browser sends `csrf_token` back in X-CSRF-Token with every change; null for an API token."""

    username: str
    role: Role
    password_change_required: bool
    has_second_factor: bool
    second_factor_required: bool
    """True while the settings ask for a second factor that the user has not set up: nothing else is possible then."""
    csrf_token: str | None


class SecondFactorOffer(Answer):
    """A second factor that begins to be asked for once a code of it is shown. It is not shown again."""

    secret: str
    """In base32, for an app that cannot scan."""
    address: str
    """The `otpauth://` address to show as a QR code."""


class RecoveryCodes(Answer):
    """Codes for the loss of the authenticator app, each good for one login. They are not shown again."""

    recovery_codes: tuple[str, ...]


class User(Answer):
    """A person who may log in."""

    id: str
    username: str
    role: Role
    password_change_required: bool
    has_second_factor: bool
    created_at: datetime
    updated_at: datetime


class Token(Answer):
    """An API token for automation; its secret was shown once, when it was made."""

    id: str
    name: str
    username: str
    role: Role
    expires_at: datetime | None
    last_used_at: datetime | None
    created_at: datetime


class ActiveLogin(Answer):
    """A browser in which somebody is logged in. `address` is where the login came from, null if that is not known."""

    id: str
    username: str
    role: Role
    address: str | None
    is_own: bool
    """Whether it is the login of this very request."""
    created_at: datetime
    expires_at: datetime


class NewToken(Token):
    """A token just made. `token` is shown this once: send it as `Authorization: Bearer …`."""

    token: str


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
