"""Whether a user has a second factor, and checks of its codes."""

from collections.abc import Collection

from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import Unavailable
from lunette.domain.second_factor import DIGITS, matching_period, recovery_hash
from lunette.store.access import SecondFactor, User
from lunette.store.database import store_of
from lunette.store.events import emit
from lunette.store.schema import utc_now


def is_enabled(tx: Session, user_id: str) -> bool:
    """Whether a login of the user requires a code."""
    return user_id in enabled(tx, [user_id])


def enabled(tx: Session, user_ids: Collection[str]) -> frozenset[str]:
    """The users among these whose logins require a code."""
    query = select(SecondFactor.user_id).where(
        SecondFactor.user_id.in_(user_ids), SecondFactor.secret_sealed.is_not(None)
    )
    return frozenset(tx.scalars(query))


def is_shown(tx: Session, user: User, code: SecretStr) -> bool:
    """Whether a code is correct; it is used up by the check. Call it in the transaction of the login.

    Raises Unavailable for a code of the app if its secret was sealed with another key; a recovery code needs no key.
    """
    factor = tx.get(SecondFactor, user.id)
    if factor is None or factor.secret_sealed is None:
        return False
    text = code.get_secret_value()
    if len(text) == DIGITS:
        period = matching_period(opened(tx, factor.secret_sealed), text, utc_now().timestamp(), factor.last_period)
        factor.last_period = period or factor.last_period
        return period is not None
    hashed = recovery_hash(text)
    if hashed not in factor.recovery_hashes:
        return False
    factor.recovery_hashes = [one for one in factor.recovery_hashes if one != hashed]
    left = len(factor.recovery_hashes)
    emit(
        tx,
        "user.recovery_code_used",
        f"{user.username} used a recovery code; {left} remain",
        actor=user.username,
        ref=user.id,
        data={"left": left},
    )
    return True


def opened(tx: Session, sealed: str) -> bytes:
    """A secret in the form shared with the app. Raises Unavailable if it was sealed with another key."""
    try:
        return bytes.fromhex(store_of(tx).box.open(sealed).get_secret_value())
    except Unavailable as error:
        raise Unavailable(
            "The secret of this second factor was sealed with another key: restore the key file, use a recovery code, "
            "or ask an administrator to remove the second factor."
        ) from error


def sealed(tx: Session, secret: bytes) -> str:
    return store_of(tx).box.seal(SecretStr(secret.hex()))


def remove(tx: Session, user: User, actor: str) -> None:
    """From now on, logins of the user require only the password."""
    factor = tx.get(SecondFactor, user.id)
    if factor is None:
        return
    had_one = factor.secret_sealed is not None
    tx.delete(factor)
    if had_one:
        user.touch()
        emit(
            tx,
            "user.second_factor_removed",
            f"the second factor of {user.username} was removed",
            actor=actor,
            ref=user.id,
        )
