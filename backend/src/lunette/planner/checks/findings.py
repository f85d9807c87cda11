"""Collects everything wrong with a request before refusing it, so that all of it can be corrected at once."""

from collections.abc import Iterable

from lunette.domain.errors import Blocker, Conflict, FieldProblem, InUse, Invalid, LunetteError, NoSpace

SHOWN = 50
"""A refusal lists at most this many fields; a batch of 1000 wrong names needs no longer answer."""


class Findings:
    """Problems by the error they lead to. Impossible requests take precedence over those that are only blocked now."""

    def __init__(self) -> None:
        self._found: dict[type[LunetteError], list[FieldProblem]] = {Invalid: [], Conflict: [], InUse: [], NoSpace: []}

    def add(
        self, error: type[LunetteError], field: str, value: object, message: str, blockers: Iterable[Blocker] = ()
    ) -> None:
        """`error` is one of Invalid, Conflict, InUse, NoSpace. `message` is a sentence without its period. `blockers`
        are the objects it names.
        """
        text, named = None if value is None else str(value), tuple(blockers)[:SHOWN]
        self._found[error].append(FieldProblem(field=field, value=text, message=message, blockers=named))

    def add_problem(self, error: type[LunetteError], problem: FieldProblem) -> None:
        self._found[error].append(problem)

    def take(self, other: "Findings", about: str = "") -> None:
        """Adds the problems of other findings, each prefixed with its subject if there is one."""
        prefix = f"{about}: " if about else ""
        for error, problems in other._found.items():  # noqa: SLF001 one of its own kind
            self._found[error] += [one.model_copy(update={"message": f"{prefix}{one.message}"}) for one in problems]

    def __bool__(self) -> bool:
        return any(self._found.values())

    def refuse(self, what: str, shown: int = SHOWN) -> None:
        """Raises the most serious error with all problems of all kinds; does nothing if there are none.

        `what` says what does not happen: 'Array tank was not created'. At most `shown` problems are listed.
        """
        for error, problems in self._found.items():
            if problems:
                every = [problem for group in self._found.values() for problem in group]
                more = f" ({len(every) - 1} more problems are listed below)" if len(every) > 1 else ""
                raise error(f"{what}: {problems[0].message}{more}.", errors=every[:shown])


def at(list_name: str, index: int, count: int, field: str) -> str:
    """Path of a field: plain for a single spec, `volumes[3].name` in a batch."""
    return field if count == 1 else f"{list_name}[{index}].{field}"


def shorten(names: list[str] | tuple[str, ...], limit: int = 5) -> str:
    """'a, b, c and 7 more'."""
    shown = ", ".join(names[:limit])
    return f"{shown} and {len(names) - limit} more" if len(names) > limit else shown
