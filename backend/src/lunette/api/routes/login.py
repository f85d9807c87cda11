"""Login and logout, the user's own password, and the identity of the caller."""

import asyncio
from datetime import timedelta
from typing import Annotated

import structlog
from fastapi import Request, Response
from pydantic import Field, SecretStr
from sqlalchemy import delete, select
from starlette.concurrency import run_in_threadpool

from lunette.api.answers.accounts import Me
from lunette.api.auth import second_factor
from lunette.api.auth.credentials import end_with_password
from lunette.api.auth.identity import COOKIE, Asking, csrf_token, hash_secret, login_id, open_session
from lunette.api.openapi.responses import refusals, router
from lunette.api.requests.proof import FactorProof, check_password, code_checked, own_login, wrong
from lunette.api.requests.services import ApiServices, UsedServices
from lunette.api.server.connections import source_of
from lunette.domain.base import Model
from lunette.domain.errors import CodeRequired, Unauthenticated
from lunette.domain.first_start import FIRST_USER
from lunette.domain.roles import NewPassword, Role
from lunette.domain.second_factor import Code
from lunette.store.access import LoginSession, User
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.journal import Event
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings

routes = router("", "login")
WRONG = "The user name or the password is incorrect."
WRONG_CODE = (
    "The code is incorrect, or was used before; wait for the next one. If no code is accepted, compare the clocks of "
    "the phone and the appliance, or use a recovery code."
)
REMEMBERED_LOGINS = 100
"""The number of a user's last logins that determine the known addresses."""

Password = Annotated[SecretStr, Field(min_length=1, max_length=256)]
_noting: set[asyncio.Task[None]] = set()
_log = structlog.get_logger(__name__)


class Login(Model):
    """Credentials of a user."""

    username: Annotated[str, Field(min_length=1, max_length=63)]
    """Name of the user."""
    password: Password
    """Password of the user."""
    code: Code | None = None
    """Code of the authenticator app, or a recovery code. Required if the user has a second factor."""


class PasswordChange(FactorProof):
    """A change of the user's own password."""

    new_password: NewPassword
    """New password, 12 to 256 characters. Must differ from the current password and from the user name."""
    keep_tokens: bool = False
    """Whether the user's API tokens stay valid. If false or omitted, they are deleted."""


@routes.post("/login", operation_id="login_create", response_model=Me, responses=refusals(411, 413, 429))
async def login_create(body: Login, request: Request, services: UsedServices) -> Response:
    """Logs a user in and opens a browser session.

    Sets the session cookie and returns the token that later requests must send in `X-CSRF-Token` to change anything. If
    the user has a second factor, a correct password without `code` is answered with the problem `code-required`.
    Automation uses an API token instead.
    """
    address = request.client.host if request.client else ""
    user = await run_in_threadpool(_user_who_may_try, services, address, body.username)
    password = body.password.get_secret_value()
    is_right = await services.passwords.may_log_in(password, user.password_hash if user else None)
    if not is_right or user is None:
        _note_failure(services, user.username if user else None, address)
        raise Unauthenticated(WRONG)
    try:
        response = await run_in_threadpool(_let_in, services, user, address, body.code)
    except Unauthenticated:
        _note_failure(services, user.username, address)
        raise
    services.login_limit.succeeded(address, body.username)
    return response


def _note_failure(services: ApiServices, username: str | None, address: str) -> None:
    """While the refusal is on its way already: how long it takes must not tell whether there is such a user."""
    noting = asyncio.create_task(run_in_threadpool(services.control.failed_logins.note, username, address))
    _noting.add(noting)
    noting.add_done_callback(_noted)


def _noted(noting: asyncio.Task[None]) -> None:
    _noting.discard(noting)
    if not noting.cancelled() and (error := noting.exception()):
        _log.warning("a failed login was not recorded", reason=str(error))


def _user_who_may_try(services: ApiServices, address: str, username: str) -> User | None:
    services.login_limit.attempt(address, username, lambda: _has_logged_in_from(services.store, username, address))
    with services.store.read() as tx:
        return tx.scalars(select(User).where(User.username == username)).one_or_none()


def _has_logged_in_from(store: Store, username: str, address: str) -> bool:
    """Known by the last of this person's logins in the log."""
    query = select(Event.data).where(Event.kind == "user.login", Event.actor == username)
    with store.read() as tx:
        newest = tx.scalars(query.order_by(Event.seq.desc()).limit(REMEMBERED_LOGINS)).all()
    return source_of(address) in {source_of(str(data.get("address"))) for data in newest}


def _let_in(services: ApiServices, asked: User, address: str, code: SecretStr | None) -> Response:
    """Raises CodeRequired, or Unauthenticated for a wrong code or where the user has changed since it was checked."""
    if code is not None:
        name = asked.username
        services.login_limit.code_attempt(address, name, lambda: _has_logged_in_from(services.store, name, address))
    with services.store.write() as tx:
        user = tx.get(User, asked.id)
        if user is None or user.password_hash != asked.password_hash:
            raise Unauthenticated(WRONG)
        has_factor = second_factor.is_enabled(tx, user.id)
        if has_factor and code is None:
            raise CodeRequired(
                "The password is correct; send it again with `code`, six digits of the authenticator app or a "
                "recovery code. Automation uses an API token instead."
            )
        if has_factor and code is not None and not second_factor.is_shown(tx, user, code):
            raise Unauthenticated(WRONG_CODE)
        tx.execute(delete(LoginSession).where(LoginSession.expires_at < utc_now()))
        settings = read_settings(tx)
        life = timedelta(hours=settings.session_hours)
        cookie = open_session(tx, user, life)
        emit(
            tx,
            "user.login",
            f"{user.username} logged in from {address or 'an unknown address'}",
            actor=user.username,
            ref=login_id(hash_secret(cookie)),
            data={"address": address or None},
        )
    me = Me(
        username=user.username,
        role=Role(user.role),
        password_change_required=user.must_change_password,
        has_second_factor=has_factor,
        second_factor_required=settings.second_factor_required and not has_factor,
        csrf_token=csrf_token(cookie),
    )
    response = Response(me.model_dump_json(), media_type="application/json")
    response.set_cookie(
        COOKIE, cookie, max_age=int(life.total_seconds()), secure=True, httponly=True, samesite="strict"
    )
    return response


@routes.post("/logout", operation_id="login_delete", status_code=204, responses=refusals(413))
def login_delete(services: UsedServices, identity: Asking) -> Response:
    """Logs the user out and ends the browser session.

    API tokens stay valid; delete them with `DELETE /api/v1/tokens/{token}`.
    """
    if identity.session_hash:
        with services.store.write() as tx:
            tx.execute(delete(LoginSession).where(LoginSession.token_hash == identity.session_hash))
            ref = login_id(identity.session_hash)
            emit(tx, "user.logout", f"{identity.username} logged out", actor=identity.username, ref=ref)
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, secure=True, httponly=True, samesite="strict")
    return response


@routes.get("/me", operation_id="me_show", response_model=Me, responses=refusals())
def me_show(identity: Asking) -> Me:
    """Shows the user and role of the current login or API token."""
    return Me(
        username=identity.username,
        role=identity.role,
        password_change_required=identity.must_change_password,
        has_second_factor=identity.has_second_factor,
        second_factor_required=identity.is_second_factor_missing,
        csrf_token=identity.csrf_token,
    )


@routes.post("/password", operation_id="password_change", status_code=204, responses=refusals(413, 429))
def password_change(body: PasswordChange, request: Request, services: UsedServices, identity: Asking) -> Response:
    """Changes the password of the user who is logged in.

    Ends all other logins of the user and, unless `keep_tokens` is true, deletes the user's API tokens. Refused with an
    API token: the request requires a login.
    """
    user_id = own_login(identity, "password")
    check_password(services, request, identity, body.current_password)
    current, new = body.current_password.get_secret_value(), body.new_password.get_secret_value()
    if new == current or new.lower() == identity.username.lower():
        raise wrong("new_password", "must differ from the current password and from the user name")
    hashed = services.passwords.hash(new)
    with code_checked(services, request, identity, body.code) as tx:
        user = tx.get_one(User, user_id)
        user.password_hash, user.must_change_password = hashed, False
        end_with_password(tx, user, user.username, keep_session=identity.session_hash, keep_tokens=body.keep_tokens)
        emit(tx, "user.password_changed", f"{user.username} changed the password", actor=user.username, ref=user.id)
    if identity.username == FIRST_USER:
        services.one_time.forget()
    return Response(status_code=204)
