"""Users, who may log in. At least one administrator always remains."""

from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lunette.api.answers.accounts import User, user_answer
from lunette.api.answers.base import Page
from lunette.api.auth.credentials import end_with_password, leaving, tokens_of
from lunette.api.auth.identity import check_lasts
from lunette.api.auth.second_factor import enabled, is_enabled, remove
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.openapi.responses import CREATED, DELETED, LISTED, SHOWN, changed, router
from lunette.api.requests.changes import Changing, Creating, answer
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.services import UsedServices
from lunette.domain.base import Model
from lunette.domain.errors import Conflict, FieldProblem, Forbidden
from lunette.domain.identity import IdentitySource
from lunette.domain.names import Name
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.roles import NewPassword, PersonRole, Role
from lunette.store.access import User as UserRow
from lunette.store.events import emit

routes = router("/users", "users")
_COLUMNS = {
    "id": UserRow.id,
    "username": UserRow.username,
    "role": UserRow.role,
    "created_at": UserRow.created_at,
}
Sort = Annotated[
    Literal["username", "-username", "role", "-role", "created_at", "-created_at"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


class UserCreate(Model):
    """A user to create."""

    username: Name
    """Name to log in with, unique among all users."""
    password: NewPassword
    """Password for the first login, 12 to 256 characters. The user must change the password then."""
    role: PersonRole = Role.VIEWER
    """Role of the user. If omitted, `viewer`."""


class UserPatch(Model):
    """Changes of a user; omitted fields stay unchanged."""

    role: PersonRole | None = None
    """New role of the user, which ends the user's logins. If null or omitted, the role stays unchanged."""
    password: NewPassword | None = None
    """New password, 12 to 256 characters, which ends the user's logins. The user must change the password at the next
    login. If null or omitted, the password stays unchanged."""
    keep_tokens: bool = False
    """Whether the user's API tokens stay valid when `password` is set. If false or omitted, they are deleted."""
    remove_second_factor: bool = False
    """Whether to remove the second factor of a user who has lost the authenticator app and the recovery codes. Refused
    for the caller's own account."""


@routes.get("", operation_id="user_list", response_model=Page[User], responses=LISTED)
def user_list(
    services: UsedServices,
    page: Paging,
    sort: Sort = "username",
    name: NameFilter = None,
    role: Annotated[PersonRole | None, Query(description="Only users with this role.")] = None,
) -> Page[User]:
    """Lists the users."""
    query = select(UserRow).where(*name_like(UserRow.username, name))
    query = query.where(UserRow.role == role.value) if role else query
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        having = enabled(tx, [row.id for row in found.rows])
        items = tuple(user_answer(row, has_second_factor=row.id in having) for row in found.rows)
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{user}", operation_id="user_show", response_model=User, responses=SHOWN)
def user_show(user: Reference, services: UsedServices) -> Response:
    """Shows a user, by ID or user name."""
    with services.store.read() as tx:
        row = find(tx, UserRow, user, UserRow.username)
        return answer(user_answer(row, has_second_factor=is_enabled(tx, row.id)), version=row.version)


@routes.post("", operation_id="user_create", status_code=201, response_model=User, responses=CREATED)
def user_create(body: UserCreate, change: Creating) -> Response:
    """Creates a user.

    The user must change the password at the first login.
    """
    check_lasts(change.identity)
    hashed = change.services.passwords.hash(body.password.get_secret_value()) if not change.dry_run else ""

    def work(tx: Session) -> Response:
        if tx.scalar(select(UserRow.id).where(UserRow.username == body.username)):
            wrong = FieldProblem(field="username", value=body.username, message="is taken")
            raise Conflict(f"User {body.username} was not created: the name is already in use.", errors=(wrong,))
        plan = _plan(f"Create user {body.username}", Action.CREATE, body.username, f"role {body.role.value}")
        return change.plan_or(plan, lambda: _create(tx, body, hashed, change.actor.name))

    return change.run(work)


def _create(tx: Session, body: UserCreate, hashed: str, actor: str) -> Response:
    row = UserRow(
        id=IdentitySource().id(),
        username=body.username,
        password_hash=hashed,
        role=body.role.value,
        must_change_password=True,
    )
    tx.add(row)
    emit(tx, "user.created", f"user {row.username} was created as {row.role}", actor=actor, ref=row.id)
    tx.flush()
    return answer(
        user_answer(row, has_second_factor=False), 201, location=f"/api/v1/users/{row.id}", version=row.version
    )


@routes.patch("/{user}", operation_id="user_patch", response_model=None, responses=changed(User))
def user_patch(user: Reference, body: UserPatch, change: Changing) -> Response:
    """Changes the role or password of a user, or removes the second factor.

    A new role or password ends the user's logins. Your own password is changed with `POST /api/v1/password` instead.
    The role of the only administrator cannot be changed. Requires `If-Match`.
    """
    check_lasts(change.identity)
    hashed = change.services.passwords.hash(body.password.get_secret_value()) if body.password else None

    def work(tx: Session) -> Response:
        row = find(tx, UserRow, user, UserRow.username)
        change.check_match(row.version)
        if body.password and row.id == change.identity.user_id:
            detail = "is changed with POST /api/v1/password (`lunette password`), which requires the current password"
            wrong = FieldProblem(field="password", value=None, message=detail)
            raise Conflict(f"Nothing was changed: your own password {detail}.", errors=(wrong,))
        if body.remove_second_factor and row.id == change.identity.user_id:
            raise Forbidden(
                "Remove your own second factor with POST /api/v1/second-factor:remove, password and code. If both "
                "the app and the recovery codes are lost, another administrator, or root on the appliance, can "
                "remove it."
            )
        if body.role and body.role is not Role.ADMINISTRATOR:
            _keep_an_administrator(tx, row)
        detail = ", ".join(
            [
                *([f"role {body.role.value}"] if body.role else []),
                *(["a new password"] if hashed else []),
                *(["no second factor"] if body.remove_second_factor and is_enabled(tx, row.id) else []),
            ]
        )
        plan = _plan(f"Change user {row.username}", Action.CHANGE, row.username, detail)
        ending = (
            ()
            if body.keep_tokens or not hashed
            else leaving(tokens_of(tx, row), f"it ends with the password of {row.username}")
        )
        plan = plan.model_copy(update={"changes": (*plan.changes, *ending) if detail else ()})
        return change.plan_or(plan, lambda: _patch(tx, row, body, hashed, change.actor.name))

    return change.run(work)


def _patch(tx: Session, row: UserRow, body: UserPatch, hashed: str | None, actor: str) -> Response:
    if body.role:
        row.role = body.role.value
    if hashed:
        row.password_hash, row.must_change_password = hashed, True
    if body.remove_second_factor:
        remove(tx, row, actor)
    if body.role or hashed:
        end_with_password(tx, row, actor, keep_tokens=body.keep_tokens or not hashed)
        emit(tx, "user.changed", f"user {row.username} was changed", actor=actor, ref=row.id)
    tx.flush()
    return answer(user_answer(row, has_second_factor=is_enabled(tx, row.id)), version=row.version)


@routes.delete("/{user}", operation_id="user_delete", status_code=204, responses=DELETED)
def user_delete(user: Reference, change: Changing) -> Response:
    """Deletes a user with all logins and API tokens.

    The only administrator cannot be deleted. Requires `If-Match`.
    """

    def work(tx: Session) -> Response:
        row = find(tx, UserRow, user, UserRow.username)
        change.check_match(row.version)
        _keep_an_administrator(tx, row)
        plan = _plan(f"Delete user {row.username}", Action.DESTROY, row.username, "with all sessions and API tokens")
        return change.plan_or(plan, lambda: _delete(tx, row, change.actor.name))

    return change.run(work)


def _delete(tx: Session, row: UserRow, actor: str) -> Response:
    tx.delete(row)
    emit(tx, "user.deleted", f"user {row.username} was deleted", actor=actor, ref=row.id)
    return Response(status_code=204)


def _keep_an_administrator(tx: Session, row: UserRow) -> None:
    admins = tx.scalar(select(func.count()).where(UserRow.role == Role.ADMINISTRATOR.value)) or 0
    if row.role == Role.ADMINISTRATOR.value and admins == 1:
        raise Conflict(f"{row.username} is the only administrator; create another one first.")


def _plan(title: str, action: Action, name: str, detail: str) -> Plan:
    return Plan(title=title, changes=(PlannedChange(action=action, noun="user", name=name, detail=detail),), steps=())
