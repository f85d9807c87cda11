"""SQL that is compiled once per process and kind of database, not once per test.

SQLAlchemy keeps what it compiled by dialect, statement and names of parameters, and each engine has a dialect of its
own: two of one kind are equal here, and their engines have one cache.
"""

from typing import Any

import pytest
from sqlalchemy import Dialect, Engine, create_engine
from sqlalchemy.util import LRUCache

from lunette.store import database

_STATEMENTS = 5000


def share(patch: pytest.MonkeyPatch) -> None:
    """From now on a statement is compiled for the first engine of each kind of database alone."""
    compiled: LRUCache[tuple[Any, ...], Any] = LRUCache(_STATEMENTS)

    def make(*arguments: Any, **options: Any) -> Engine:
        made = create_engine(*arguments, **options)
        patch.setattr(type(made.dialect), "__eq__", _is_of_one_kind)
        patch.setattr(type(made.dialect), "__hash__", _of_its_kind)
        made.update_execution_options(compiled_cache=compiled)
        return made

    patch.setattr(database, "create_engine", make)


def _is_of_one_kind(one: Dialect, other: object) -> bool:
    return type(one) is type(other)


def _of_its_kind(one: Dialect) -> int:
    return hash(type(one))
