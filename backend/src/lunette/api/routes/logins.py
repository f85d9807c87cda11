"""Logins: browsers in which a user is logged in now. An administrator sees and ends all of them, others only their own.

Initiators that are logged in are sessions, in routes/sessions.py.
"""

from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from lunette.api.answers.accounts import ActiveLogin, login_answer
from lunette.api.answers.base import Page
from lunette.api.answers.plans import PlanAnswer
from lunette.api.auth.identity import Asking, Identity, login_id
from lunette.api.lists.paging import Paging, stored_page
from lunette.api.openapi.responses import LISTED, Responses, refusals, router
from lunette.api.requests.changes import Creating
from lunette.api.requests.lookup import Reference
from lunette.api.requests.services import UsedServices
from lunette.domain.errors import Forbidden, NotFound
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.roles import Role
from lunette.store.access import LoginSession, User
from lunette.store.events import emit
from lunette.store.journal import Event
from lunette.store.schema import utc_now

routes = router("/logins", "logins")
_COLUMNS = {
    "id": LoginSession.token_hash,
    "created_at": LoginSession.created_at,
    "expires_at": LoginSession.expires_at,
}
Sort = Annotated[
    Literal["created_at", "-created_at", "expires_at", "-expires_at"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]
_ENDED: Responses = {
    200: {"model": PlanAnswer, "description": "Plan of the change, for a dry run. Nothing is changed."},
    204: {"description": "The login has ended."},
    **refusals(404, 413),
}


@routes.get("", operation_id="login_list", response_model=Page[ActiveLogin], responses=LISTED)
def login_list(services: UsedServices, identity: Asking, page: Paging, sort: Sort = "-created_at") -> Page[ActiveLogin]:
    """Lists the browsers that are logged in now.

    An administrator sees all logins, other users only their own.
    """
    query = select(LoginSession).where(LoginSession.expires_at > utc_now())
    if identity.role is not Role.ADMINISTRATOR:
        query = query.where(LoginSession.user_id == identity.user_id)
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        users = {row.id: row for row in tx.scalars(select(User))}
        came_from = _addresses(tx, [login_id(row.token_hash) for row in found.rows])
        items = tuple(
            login_answer(
                row,
                login_id(row.token_hash),
                users[row.user_id],
                came_from.get(login_id(row.token_hash)),
                is_own=row.token_hash == identity.session_hash,
            )
            for row in found.rows
        )
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.post("/{login:plain}:end", operation_id="login_end", status_code=204, response_model=None, responses=_ENDED)
def login_end(login: Reference, change: Creating) -> Response:
    """Ends a login immediately.

    The browser must log in again; API tokens of the user stay valid. An administrator can end all logins, other users
    only their own.
    """

    def work(tx: Session) -> Response:
        row = _find(tx, login, change.identity)
        user = tx.get_one(User, row.user_id)
        if change.identity.token_id and not change.identity.role.includes(Role(user.role)):
            raise Forbidden(
                f"{change.identity.actor} has a lower role than {user.username} and cannot end this login; log in to "
                "end it."
            )
        begun = f"started {row.created_at:%Y-%m-%d %H:%M} UTC; that browser must log in again"
        entry = PlannedChange(action=Action.DESTROY, noun="login", name=user.username, detail=begun)
        plan = Plan(title=f"End a login of {user.username}", changes=(entry,), steps=())
        return change.plan_or(plan, lambda: _end(tx, row, user, change.actor.name))

    return change.run(work)


def _end(tx: Session, row: LoginSession, user: User, actor: str) -> Response:
    tx.execute(delete(LoginSession).where(LoginSession.token_hash == row.token_hash))
    emit(tx, "user.login_ended", f"a login of {user.username} was ended", actor=actor, ref=login_id(row.token_hash))
    return Response(status_code=204)


def _find(tx: Session, reference: str, identity: Identity) -> LoginSession:
    """The login, if it is still open and the person may see it; someone else's does not exist for them."""
    shown = func.substr(LoginSession.token_hash, 1, len(login_id("0" * 64)))
    query = select(LoginSession).where(shown == reference, LoginSession.expires_at > utc_now())
    row = tx.scalars(query).first()
    if row is None or (identity.role is not Role.ADMINISTRATOR and row.user_id != identity.user_id):
        raise NotFound(f"There is no login {reference!r}; it may have ended. See the list of logins.")
    return row


def _addresses(tx: Session, ids: list[str]) -> dict[str, str | None]:
    """The address of each login, from its event; older events without one are omitted."""
    events = select(Event.ref, Event.data).where(Event.kind == "user.login", Event.ref.in_(ids))
    return {str(ref): data.get("address") for ref, data in tx.execute(events)}
