"""The password that was chosen at installation is that of the first start, and of no later one."""

from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from lunette.api.auth.first_user import ensure_first_user
from lunette.api.auth.passwords import OneTimePassword, Passwords
from lunette.store.access import User
from lunette.store.database import Store

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The file that the installer leaves."""
    file = tmp_path / "installed-password"
    file.write_text(CHEAP.hash("correct horse battery") + "\n")
    return file


def admin(store: Store) -> User:
    """The one user there is."""
    with store.read() as tx:
        return tx.scalars(select(User)).one()


def test_the_installed_password_is_valid_at_once_and_its_file_is_deleted(
    sqlite_store: Store, tmp_path: Path, installed: Path
) -> None:
    one_time, passwords = OneTimePassword(tmp_path / "one-time"), Passwords(CHEAP)
    assert ensure_first_user(sqlite_store, passwords, one_time, installed) is None
    found = admin(sqlite_store)
    assert passwords.is_right("correct horse battery", found.password_hash)
    assert not found.must_change_password
    assert not installed.exists()
    assert one_time.read() is None
    assert ensure_first_user(sqlite_store, passwords, one_time, installed) is None


def test_a_file_that_a_power_cut_left_changes_no_password(sqlite_store: Store, tmp_path: Path, installed: Path) -> None:
    one_time, passwords = OneTimePassword(tmp_path / "one-time"), Passwords(CHEAP)
    ensure_first_user(sqlite_store, passwords, one_time, installed)
    installed.write_text(CHEAP.hash("another one, later") + "\n")
    assert ensure_first_user(sqlite_store, passwords, one_time, installed) is None
    assert passwords.is_right("correct horse battery", admin(sqlite_store).password_hash)
    assert not installed.exists()


def test_without_a_password_of_the_installation_a_one_time_password_is_made(
    sqlite_store: Store, tmp_path: Path, installed: Path
) -> None:
    installed.write_text("\n")
    shown = ensure_first_user(sqlite_store, Passwords(CHEAP), OneTimePassword(tmp_path / "one-time"), installed)
    assert shown is not None
    assert admin(sqlite_store).must_change_password
