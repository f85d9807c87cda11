"""Authentication that is repeated before users change their own password or second factor.

An open login is not enough: anyone who finds it unattended could lock its owner out.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import Request
from pydantic import Field, SecretStr
from sqlalchemy.orm import Session

from lunette.api.auth import second_factor
from lunette.api.auth.identity import Identity, check_holds
from lunette.api.requests.services import ApiServices
from lunette.domain.base import Model
from lunette.domain.errors import FieldProblem, Forbidden, Invalid
from lunette.domain.second_factor import Code
from lunette.store.access import User


class FactorProof(Model):
    """Current password of the user and, if set up, a code of the second factor."""

    current_password: Annotated[SecretStr, Field(min_length=1, max_length=256)]
    """Current password of the user."""
    code: Code | None = None
    """Six-digit code of the authenticator app, or a recovery code. Required if the user has a second factor."""


def check_password(services: ApiServices, request: Request, identity: Identity, password: SecretStr) -> None:
    """Counts as an attempt at a login. Raises RateLimited, or Invalid for a wrong password."""
    came_from = address_of(request)
    services.login_limit.attempt(came_from, identity.username)
    with services.store.read() as tx:
        user = tx.get(User, identity.user_id)
    if not services.passwords.is_right(password.get_secret_value(), user.password_hash if user else None):
        services.control.failed_logins.note(identity.username, came_from)
        raise wrong("current_password", "is not the current password")


@contextmanager
def code_checked(
    services: ApiServices, request: Request, identity: Identity, code: SecretStr | None
) -> Iterator[Session]:
    """The transaction of a change that requires a code, if there is a second factor; the code is used up on commit.

    Raises RateLimited, Unauthenticated if the login has ended meanwhile, or Invalid for a missing or wrong code.
    """
    came_from = address_of(request)
    if code is not None:
        services.login_limit.code_attempt(came_from, identity.username)
    is_right = True
    with services.store.write() as tx:
        check_holds(tx, identity)
        user = tx.get_one(User, identity.user_id)
        if second_factor.is_enabled(tx, user.id):
            if code is None:
                raise wrong("code", "is required: six digits of the authenticator app, or a recovery code")
            is_right = second_factor.is_shown(tx, user, code)
        if is_right:
            yield tx
    if not is_right:
        services.control.failed_logins.note(identity.username, came_from)
        raise wrong("code", "is incorrect, or was used before; wait for the next one")
    services.login_limit.succeeded(came_from, identity.username)


def own_login(identity: Identity, noun: str) -> str:
    """The ID of the user who is logged in. Raises Forbidden for a token and for root.

    `noun`: what is to change, such as `password`.
    """
    if not identity.user_id:
        raise Forbidden(f"Root has no {noun} here; log in as the user whose {noun} you want to change.")
    if identity.token_name:
        raise Forbidden(f"A {noun} can be changed only in a session of its owner, not with an API token; log in.")
    return identity.user_id


def address_of(request: Request) -> str:
    return request.client.host if request.client else ""


def wrong(field: str, message: str) -> Invalid:
    return Invalid(
        f"Nothing was changed: {field} {message}.", errors=(FieldProblem(field=field, value=None, message=message),)
    )
