"""Checking a password costs the same whether or not its user exists."""

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError

from lunette.api.auth.passwords import Passwords, _hash_of_nothing

HASHER = PasswordHasher(time_cost=1, memory_cost=1024)


def test_the_hash_of_no_user_is_computed_like_a_real_one() -> None:
    assert extract_parameters(_hash_of_nothing(HASHER)) == extract_parameters(HASHER.hash("x"))
    with pytest.raises(VerifyMismatchError):  # and not a hash that cannot be read, which is refused at once
        HASHER.verify(_hash_of_nothing(HASHER), "x")


def test_the_user_nobody_has_no_password() -> None:
    passwords = Passwords(HASHER)
    kept = passwords.hash("right")
    assert passwords.is_right("right", kept)
    assert not passwords.is_right("wrong", kept)
    assert not passwords.is_right("right", None)
