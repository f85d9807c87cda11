"""Passwords: Argon2 hashes, the one-time password of the first start, and the limits on guessing.

There is no default password. The first start creates one, prints it on the console and stores it in the runtime folder
(emptied by a reboot, then a new one is created) until it is changed at the first login.
"""

import asyncio
import math
import os
import secrets
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION
from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from lunette.api.server.connections import source_of
from lunette.domain.errors import RateLimited

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_HASHES_AT_ONCE = 2
"""Each uses 64 MiB and a core; more at once would let a flood of logins starve the appliance."""


_LOGINS_WAITING = 30
"""Each waits a quarter of a second per login before it; further ones must retry later."""


class Passwords:
    """Hashes and checks. A check takes the same time whether or not the user exists."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._turns = threading.BoundedSemaphore(_HASHES_AT_ONCE)
        self._logins = ThreadPoolExecutor(_HASHES_AT_ONCE, "login")
        self._waiting = 0
        self._nobody = _hash_of_nothing(self._hasher)

    def hash(self, password: str) -> str:
        with self._turns:
            return self._hasher.hash(password)

    def is_right(self, password: str, stored_hash: str | None) -> bool:
        """True if the password matches the hash. None stands for a user that does not exist: always False."""
        with self._turns:
            try:
                self._hasher.verify(stored_hash or self._nobody, password)
            except (VerificationError, InvalidHashError):
                return False
        return stored_hash is not None

    async def may_log_in(self, password: str, stored_hash: str | None) -> bool:
        """`is_right` in separate threads, so that logins do not delay users who are logged in.

        Raises RateLimited while too many wait. Used only on the event loop's thread.
        """
        if self._waiting >= _LOGINS_WAITING:
            raise RateLimited("Too many logins are waiting to be checked; try again in a minute.", wait_s=60)
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._logins, self.is_right, password, stored_hash)
        finally:
            self._waiting -= 1


def _hash_of_nothing(hasher: PasswordHasher) -> str:
    """A hash that costs as much to check as any other and belongs to no password, because it is random."""
    salt, digest = (
        b64encode(secrets.token_bytes(size)).decode().rstrip("=") for size in (hasher.salt_len, hasher.hash_len)
    )
    costs = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v={ARGON2_VERSION}${costs}${salt}${digest}"


class Attempts(MemoryStorage):
    """Attempts in memory. In two ways the library (limits 5.8) is not enough.

    Its `clear` takes no lock: an attempt of the same user, or the thread that expires attempts, fails with KeyError if
    it comes between two of their steps. And a key whose attempts have all expired stays for good, so attempts from ever
    new addresses would fill the memory.
    """

    FORGET_EVERY = 1000
    """After so many attempts, keys without attempts are forgotten."""

    def __init__(self) -> None:
        super().__init__()
        self._counting, self._counted = threading.Lock(), 0

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Counts attempts under `key`, if there are not too many."""
        with self._counting:
            self._counted += 1
            if self._counted % self.FORGET_EVERY == 0:
                for other in [one for one, attempts in self.events.items() if not attempts]:
                    del self.events[other]
            return super().acquire_entry(key, limit, expiry, amount)

    def clear(self, key: str) -> None:
        """Forgets the attempts under `key`."""
        with self._counting, self.locks[key]:
            if key in self.events:
                self.events[key] = []


class LoginLimit:
    """Few attempts per address and user, some more per address: guessing is slow, and no user can lock out all others.

    Many addresses together also have few attempts at one user. Addresses from which the user has logged in before do
    not count there: an attacker elsewhere does not lock the user out at their usual computer.
    """

    def __init__(self, per_user: int = 5, per_address: int = 30, from_afar: int = 10, codes: int = 10) -> None:
        self._limiter = MovingWindowRateLimiter(Attempts())
        self._per_user = RateLimitItemPerMinute(per_user)
        self._per_address = RateLimitItemPerMinute(per_address)
        self._from_afar = RateLimitItemPerMinute(from_afar)
        self._codes = RateLimitItemPerHour(codes)

    def attempt(self, address: str, username: str, is_known: Callable[[], bool] = lambda: True) -> None:
        """Counts one attempt. Raises RateLimited when there were too many in the last minute.

        `is_known`: whether this user has logged in from this address before.
        """
        source = source_of(address)
        self._count("Too many login attempts from this address; {wait}, then try again.", self._per_address, source)
        self._count(
            "Too many login attempts from this address; {wait}, then try again.", self._per_user, source, username
        )
        if not is_known():
            self._count(
                "Too many login attempts for this user from new addresses; {wait}, then try again, or log in from an "
                "address that was used before.",
                self._from_afar,
                "afar",
                username,
            )

    def code_attempt(self, address: str, username: str, is_known: Callable[[], bool] = lambda: True) -> None:
        """Counts one code of a second factor. Raises RateLimited when there were too many in the last hour.

        Six digits do not resist much guessing by an attacker who has the password. All new addresses count together, so
        that they do not lock the user out at their usual computer.
        """
        source = source_of(address) if is_known() else "afar"
        self._count(
            "Too many codes were tried for this user within an hour; {wait}, or ask an administrator to remove the "
            "second factor.",
            self._codes,
            "code",
            source,
            username,
        )

    def _count(self, refusal: str, limit: RateLimitItem, *of: str) -> None:
        """Counts one attempt. Raises RateLimited with the time until the next one is possible."""
        if self._limiter.hit(limit, *of):
            return
        left_s = max(1, math.ceil(self._limiter.get_window_stats(limit, *of).reset_time - time.time()))
        minutes = math.ceil(left_s / 60)
        words = "wait a minute" if minutes == 1 else f"wait {minutes} minutes"
        raise RateLimited(refusal.format(wait=words), wait_s=left_s)

    def succeeded(self, address: str, username: str) -> None:
        """Forgets the attempts of a user after a successful login."""
        self._limiter.clear(self._per_user, source_of(address), username)
        self._limiter.clear(self._codes, "code", source_of(address), username)


class OneTimePassword:
    """The file with the one-time password until it is changed, readable by this process's user only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> str | None:
        try:
            return self.path.read_text().strip() or None
        except FileNotFoundError:
            return None

    def make(self) -> str:
        """A new one-time password, stored in the file."""
        password = "-".join("".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(4))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(password + "\n")
        return password

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)
