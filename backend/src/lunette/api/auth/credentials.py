"""API tokens and browser sessions of a user, and what ends them: a new password, or the token that made them."""

from collections.abc import Iterator, Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from lunette.domain.plans import Action, PlannedChange
from lunette.store.access import ApiToken, LoginSession, User
from lunette.store.events import emit


def tokens_of(tx: Session, user: User) -> Sequence[ApiToken]:
    """The API tokens of a user, by name."""
    return tx.scalars(select(ApiToken).where(ApiToken.user_id == user.id).order_by(ApiToken.name)).all()


def with_those_it_made(tx: Session, token: ApiToken) -> list[ApiToken]:
    """A token and every one that was made with it, or with one of those."""
    found = [token]
    for one in found:
        found += tx.scalars(select(ApiToken).where(ApiToken.parent_id == one.id).order_by(ApiToken.name))
    return found


def leaving(tokens: Sequence[ApiToken], why: str) -> Iterator[PlannedChange]:
    """The lines of a plan about tokens that end."""
    return (PlannedChange(action=Action.DESTROY, noun="token", name=token.name, detail=why) for token in tokens)


def end_tokens(tx: Session, tokens: Sequence[ApiToken], actor: str, why: str) -> None:
    """They stop working immediately; each is an event."""
    for token in tokens:
        tx.delete(token)
        emit(tx, "token.deleted", f"API token {token.name} was deleted{why}", actor=actor, ref=token.id)


def end_with_password(
    tx: Session, user: User, actor: str, *, keep_session: str | None = None, keep_tokens: bool = False
) -> None:
    """A new password ends the user's browser sessions except one (its hash), and the API tokens unless they stay."""
    tx.execute(
        delete(LoginSession).where(LoginSession.user_id == user.id, LoginSession.token_hash != (keep_session or ""))
    )
    if not keep_tokens:
        end_tokens(tx, tokens_of(tx, user), actor, f": the password of {user.username} was changed")
