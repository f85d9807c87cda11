"""API tokens: credentials for automation. Each belongs to a user, is deleted with the user, and has no higher role.

An administrator sees and deletes all tokens, other users only their own. A token neither creates nor deletes a token
with a higher role or a longer life than its own, and the tokens it created are deleted with it.
"""

import datetime as dt
from typing import Annotated, Literal

from fastapi import Query, Response
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.api.answers.accounts import NewToken, Token, token_answer
from lunette.api.answers.base import Page
from lunette.api.auth.credentials import end_tokens, leaving, with_those_it_made
from lunette.api.auth.identity import TOKEN_PREFIX, Asking, Identity, hash_secret, new_secret
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.openapi.responses import CREATED, DELETED, LISTED, SHOWN, router
from lunette.api.requests.changes import Changing, Creating, answer
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.services import UsedServices
from lunette.domain.base import Model
from lunette.domain.errors import Conflict, FieldProblem, Forbidden, NotFound
from lunette.domain.identity import IdentitySource
from lunette.domain.names import Name
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.roles import Role
from lunette.store.access import ApiToken as TokenRow
from lunette.store.access import User as UserRow
from lunette.store.events import emit
from lunette.store.schema import utc_now

routes = router("/tokens", "tokens")
_COLUMNS = {"id": TokenRow.id, "name": TokenRow.name, "created_at": TokenRow.created_at}
Sort = Annotated[
    Literal["name", "-name", "created_at", "-created_at"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


class TokenCreate(Model):
    """An API token to create."""

    name: Name
    """Name of the token, unique among all tokens."""
    role: Role | None = None
    """Role of the token, at most the creator's role. If null or omitted, the creator's role."""
    expires_days: Annotated[int, Field(ge=1, le=3650)] | None = None
    """Days until the token expires. If null or omitted, the token never expires, or expires with the token used to
    create it."""


@routes.get("", operation_id="token_list", response_model=Page[Token], responses=LISTED)
def token_list(
    services: UsedServices, identity: Asking, page: Paging, sort: Sort = "name", name: NameFilter = None
) -> Page[Token]:
    """Lists the API tokens.

    An administrator sees all tokens, other users only their own.
    """
    query = select(TokenRow).where(*name_like(TokenRow.name, name))
    if identity.role is not Role.ADMINISTRATOR:
        query = query.where(TokenRow.user_id == identity.user_id)
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        owners = {row.id: row.username for row in tx.scalars(select(UserRow))}
        items = tuple(token_answer(row, owners[row.user_id]) for row in found.rows)
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{token}", operation_id="token_show", response_model=Token, responses=SHOWN)
def token_show(token: Reference, services: UsedServices, identity: Asking) -> Response:
    """Shows an API token, by ID or name, without its secret."""
    with services.store.read() as tx:
        row = _find(tx, token, identity)
        return answer(token_answer(row, tx.get_one(UserRow, row.user_id).username), version=row.version)


@routes.post("", operation_id="token_create", status_code=201, response_model=NewToken, responses=CREATED)
def token_create(body: TokenCreate, change: Creating) -> Response:
    """Creates an API token and returns its secret.

    The secret is returned only once and cannot be retrieved later. The token belongs to the user who creates it; a
    token cannot have a higher role or a longer life than the credentials used to create it.
    """
    if not change.identity.user_id:
        raise Forbidden("Root has no account that could own a token; log in as a user and create it as that user.")
    role = body.role or change.identity.role
    if not change.identity.role.includes(role):
        raise Forbidden(f"A token cannot have the role {role.value}: its creator has {change.identity.role.value}.")

    expires_at = _end(body, change.identity)

    def work(tx: Session) -> Response:
        if tx.scalar(select(TokenRow.id).where(TokenRow.name == body.name)):
            wrong = FieldProblem(field="name", value=body.name, message="is taken")
            raise Conflict(f"Token {body.name} was not created: the name is already in use.", errors=(wrong,))
        plan = _plan(f"Create token {body.name}", Action.CREATE, body.name, f"role {role.value}")
        return change.plan_or(plan, lambda: _create(tx, body.name, role, expires_at, change.identity))

    return change.run(work, shown_once=True)


def _end(body: TokenCreate, maker: Identity) -> dt.datetime | None:
    """When the token is to expire. Raises Forbidden where the token that makes it does so earlier."""
    wanted = utc_now() + dt.timedelta(days=body.expires_days) if body.expires_days else maker.expires_at
    if maker.expires_at and wanted and wanted > maker.expires_at:
        raise Forbidden(
            "A token cannot outlive the token it is created with, which expires at "
            f"{maker.expires_at:%Y-%m-%d %H:%M} UTC; omit expires_days, or log in and create it as a user."
        )
    return wanted


def _create(tx: Session, name: str, role: Role, expires_at: dt.datetime | None, owner: Identity) -> Response:
    secret = TOKEN_PREFIX + new_secret()
    row = TokenRow(
        id=IdentitySource().id(),
        name=name,
        user_id=owner.user_id,
        token_hash=hash_secret(secret),
        role=role.value,
        parent_id=owner.token_id,
        last_used_at=None,
        expires_at=expires_at,
    )
    tx.add(row)
    emit(tx, "token.created", f"API token {row.name} was created as {row.role}", actor=owner.actor, ref=row.id)
    tx.flush()
    made = NewToken(**token_answer(row, owner.username).model_dump(), token=secret)
    return answer(made, 201, location=f"/api/v1/tokens/{row.id}", version=row.version)


@routes.delete("/{token}", operation_id="token_delete", status_code=204, responses=DELETED)
def token_delete(token: Reference, change: Changing) -> Response:
    """Deletes an API token and all tokens created with it.

    The tokens stop working immediately. Requires `If-Match`.
    """

    def work(tx: Session) -> Response:
        row = _find(tx, token, change.identity)
        _check_within(row, change.identity)
        change.check_match(row.version)
        first, *others = with_those_it_made(tx, row)
        plan = Plan(
            title=f"Delete token {row.name}",
            changes=(
                *leaving([first], "it stops working immediately"),
                *leaving(others, f"it was created with {first.name}"),
            ),
            steps=(),
        )
        return change.plan_or(plan, lambda: _delete(tx, [first, *others], change.actor.name))

    return change.run(work)


def _delete(tx: Session, rows: list[TokenRow], actor: str) -> Response:
    end_tokens(tx, rows[:1], actor, "")
    end_tokens(tx, rows[1:], actor, f": it was created with {rows[0].name}")
    return Response(status_code=204)


def _check_within(row: TokenRow, identity: Identity) -> None:
    """Raises Forbidden where a token would delete one that may more than it, or lives longer."""
    if identity.token_id in (None, row.id):
        return
    lives_longer = identity.expires_at is not None and (row.expires_at is None or row.expires_at > identity.expires_at)
    if not identity.role.includes(Role(row.role)) or lives_longer:
        raise Forbidden(
            f"{identity.actor} cannot delete {row.name}, which has a higher role or a later expiry; log in as a user "
            "to delete it."
        )


def _find(tx: Session, reference: str, identity: Identity) -> TokenRow:
    """The token, if the person may see it; someone else's does not exist for them."""
    row = find(tx, TokenRow, reference, TokenRow.name)
    if identity.role is not Role.ADMINISTRATOR and row.user_id != identity.user_id:
        raise NotFound(f"There is no token {reference!r} of yours; see the list of tokens.")
    return row


def _plan(title: str, action: Action, name: str, detail: str) -> Plan:
    return Plan(title=title, changes=(PlannedChange(action=action, noun="token", name=name, detail=detail),), steps=())
