"""The places of secrets in the body of a request, so that no error shows what was sent there."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel, SecretStr


def is_secret(body: Any, place: Sequence[str | int]) -> bool:
    """True if the type at a place of this body is secret, or contains a secret at any depth.

    Parts of the place that are not fields (positions, keys and alternatives of a union) are skipped.
    """
    kinds: tuple[Any, ...] = (body,)
    for part in place:
        found = tuple(model.model_fields[part].annotation for model in _models(kinds) if part in model.model_fields)
        kinds = found or kinds
    return any(_holds_secret(kind) for kind in kinds)


def _models(kinds: Iterable[Any]) -> Iterator[type[BaseModel]]:
    """The models of these types, directly or as items of a list."""
    for kind in kinds:
        if _is_model(kind):
            yield kind
        else:
            yield from _models(get_args(kind))


def _is_model(kind: Any) -> bool:
    return get_origin(kind) is None and isinstance(kind, type) and issubclass(kind, BaseModel)


@cache
def _holds_secret(kind: Any) -> bool:
    seen: set[Any] = set()
    left = [kind]
    while left:
        one = left.pop()
        if isinstance(one, type) and get_origin(one) is None and issubclass(one, SecretStr):
            return True
        if _is_model(one):
            if one not in seen:
                seen.add(one)
                left += [field.annotation for field in one.model_fields.values()]
        else:
            left += get_args(one)
    return False
