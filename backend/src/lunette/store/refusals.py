"""What a database says, in our words."""

import re

from sqlalchemy.exc import DBAPIError, IntegrityError

from lunette.domain.errors import Conflict, LunetteError, Unavailable

_SQLITE_UNIQUE = re.compile(r"UNIQUE constraint failed: (\w+)\.(\w+)")
_POSTGRESQL_UNIQUE = re.compile(r'unique constraint "uq_(\w+)"')


def as_refusal(error: DBAPIError) -> LunetteError:
    """The refusal to answer with. The planner's checks come first; a broken constraint means that two raced."""
    error = _first(error)
    words = str(error.orig)
    if isinstance(error, IntegrityError):
        match = _SQLITE_UNIQUE.search(words) or _POSTGRESQL_UNIQUE.search(words)
        what = " ".join(part.replace("_", " ") for part in match.groups()) if match else "a rule of the database"
        return Conflict(
            f"Another request came first: {what} is now taken or in use. Read the list again, then retry.", log=words
        )
    if any(word in words for word in ("locked", "busy", "lock timeout")):
        return Unavailable("The database is busy with another writer; retry in a moment.", log=words)
    if "readonly" in words or "read-only" in words:
        return Unavailable(
            "The database is read-only; nothing was changed. Its file system may have been remounted after an error: "
            "check the kernel log.",
            log=words,
        )
    if "full" in words or "No space" in words:
        return Unavailable("The disk that holds the database is full; nothing was changed. Free some space.", log=words)
    return Unavailable(
        "The database cannot be used now; nothing was changed. See the journal for the reason.", log=words
    )


def _first(error: DBAPIError) -> DBAPIError:
    """Why a transaction failed, not what closing it then met: SQLite drops savepoints when its disk is full."""
    first, earlier = error, error.__context__
    while earlier is not None:
        first = earlier if isinstance(earlier, DBAPIError) else first
        earlier = earlier.__context__
    return first
