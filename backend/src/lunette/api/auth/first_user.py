"""First login on a fresh appliance, and recovery for an administrator at the machine."""

from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lunette.api.auth.credentials import end_with_password
from lunette.api.auth.passwords import OneTimePassword, Passwords
from lunette.api.auth.second_factor import remove
from lunette.domain.first_start import FIRST_USER
from lunette.domain.identity import IdentitySource
from lunette.domain.roles import Role
from lunette.store.access import User
from lunette.store.database import Store
from lunette.store.events import SYSTEM, emit


def ensure_first_user(
    store: Store, passwords: Passwords, one_time: OneTimePassword, installed: Path | None = None
) -> str | None:
    """The one-time password to show, or None if someone has chosen a password already.

    A fresh database gets the user admin, with the password whose hash is in the file `installed` if it exists;
    that file is removed afterward. If the one-time password was never changed and its file is
    lost (a reboot empties the runtime folder), a new one is created, so that a missed console line locks no one out.
    """
    with store.read() as tx:
        users = tx.scalar(select(func.count()).select_from(User)) or 0
        first = tx.scalars(select(User).where(User.username == FIRST_USER)).one_or_none()
    hashed = _read(installed) if users == 0 else None
    if hashed is not None:
        with store.write() as tx:
            _set(tx, hashed, one_time=False)
    if installed is not None:
        installed.unlink(missing_ok=True)
    if hashed is not None:
        return None
    if users == 0:
        return reset_first_user(store, passwords, one_time)
    if users > 1 or first is None or not first.must_change_password:
        return None
    return one_time.read() or reset_first_user(store, passwords, one_time)


def reset_first_user(store: Store, passwords: Passwords, one_time: OneTimePassword, actor: str = SYSTEM) -> str:
    """Gives admin a new one-time password, ends its sessions and API tokens, and removes its second factor.

    Creates admin if it is missing.
    """
    password = one_time.make()
    hashed = passwords.hash(password)
    with store.write() as tx:
        _set(tx, hashed, one_time=True, actor=actor)
    return password


def _read(installed: Path | None) -> str | None:
    try:
        return installed.read_text().strip() or None if installed is not None else None
    except FileNotFoundError:
        return None


def _set(tx: Session, hashed: str, *, one_time: bool, actor: str = SYSTEM) -> None:
    user = tx.scalars(select(User).where(User.username == FIRST_USER)).one_or_none()
    if user is None:
        user = User(id=IdentitySource().id(), username=FIRST_USER)
        tx.add(user)
    user.role, user.password_hash, user.must_change_password = Role.ADMINISTRATOR.value, hashed, one_time
    tx.flush()
    end_with_password(tx, user, actor)
    remove(tx, user, actor)
    if one_time:
        emit(tx, "user.one_time_password", f"user {FIRST_USER} received a one-time password", actor=actor, ref=user.id)
    else:
        emit(tx, "user.installed_password", f"user {FIRST_USER} has the password of the installation", ref=user.id)
