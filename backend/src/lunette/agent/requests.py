"""Which method of the agent answers which request: the dispatch table."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, ParamSpec, cast

from lunette.domain.agent_protocol import REQUESTS, Request, Result
from lunette.domain.errors import LunetteError

_MARK = "answers"
Given = ParamSpec("Given")


def answers(request: type[Request[Result]]) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Marks the method of an `Answering` that answers requests of this class. It is called with the fields of the
    request by name. Raises TypeError if its parameters differ.
    """

    def mark(method: Callable[Given, Result]) -> Callable[Given, Result]:
        _, *parameters = inspect.signature(method).parameters
        if set(parameters) != {*_fields(request)}:
            raise TypeError(f"{method.__qualname__} does not take the fields of {request.__name__}")
        method.__dict__[_MARK] = request
        return method

    return mark


class Answering:
    """Answers each request with the method that is marked for it. With `complete`, a subclass answers every request.
    Raises TypeError if a request has no method, or two.
    """

    handlers: ClassVar[Mapping[type[Request[Any]], str]] = {}
    """Names of methods by request."""

    def __init_subclass__(cls, *, complete: bool = False) -> None:
        super().__init_subclass__()
        own: dict[type[Request[Any]], str] = {}
        for name, member in vars(cls).items():
            request = getattr(member, "__dict__", {}).get(_MARK)
            if request is not None and own.setdefault(request, name) != name:
                raise TypeError(f"{own[request]} and {name} of {cls.__name__} both answer {request.__name__}")
        cls.handlers = {**cls.handlers, **own}
        missing = [one.__name__ for one in REQUESTS.values() if one not in cls.handlers]
        if complete and missing:
            raise TypeError(f"{cls.__name__} does not answer {', '.join(missing)}")

    def ask(self, request: Request[Result]) -> Result:
        """The answer to one request. Raises what its method raises, and LunetteError if it has none."""
        name = self.handlers.get(type(request))
        if name is None:
            raise LunetteError(f"no method answers a {request.kind} request")
        fields = {field: getattr(request, field) for field in _fields(type(request))}
        return cast("Result", getattr(self, name)(**fields))


def _fields(request: type[Request[Any]]) -> tuple[str, ...]:
    return tuple(field for field in request.model_fields if field != "kind")
