"""Many objects that are changed at once, all or none: each that prevents it is named, at its place in the request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from lunette.domain.errors import Conflict, Invalid
from lunette.domain.volumes import MAX_BATCH
from lunette.planner.checks.findings import Findings


class Named(Protocol):
    """What every object of a batch has."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...


Known = TypeVar("Known", bound=Named)
Check = Callable[[Findings, Known, str], None]
"""Adds what prevents the change of one object; its place in the request comes last."""


@dataclass(frozen=True)
class Chosen(Generic[Known]):
    """One object of a batch, by the reference of the request. `known` None: it does not exist; `busy`: why it cannot be
    changed now.
    """

    reference: str
    known: Known | None
    busy: str | None = None


def check_each(
    noun: str, chosen: Sequence[Chosen[Known]], refusal: tuple[str, str], check: Check[Known] = lambda *_: None
) -> list[Known]:
    """The objects, in the order of the request. Raises InUse, Conflict or Invalid naming each that prevents the change.

    `refusal` says what does not happen, for several and for one: `No volume was deleted`, `Volume {} was not deleted`.
    """
    findings, (many, one) = Findings(), refusal
    found = examined(findings, noun, chosen, check)
    only = chosen[0] if len(chosen) == 1 else None
    name = only.known.name if only and only.known else only and only.reference
    findings.refuse(one.format(name) if only else many, MAX_BATCH)
    return found


def examined(
    findings: Findings, noun: str, chosen: Sequence[Chosen[Known]], check: Check[Known] = lambda *_: None
) -> list[Known]:
    """The objects that exist, are not busy and are listed once, in the order of the request."""
    found, places, words = list[Known](), dict[str, str](), noun.replace("_", " ")
    for index, one in enumerate(chosen):
        where = f"{noun}s[{index}]"
        if one.known is None:
            message = f"{words} {one.reference} was not found; it may have been deleted. Reload the list"
            findings.add(Invalid, where, one.reference, message)
            continue
        subject, own = f"{words} {one.known.name}", Findings()
        if one.known.id in places:
            message = f"{subject} is listed twice, here and at {places[one.known.id]}"
            findings.add(Invalid, where, one.reference, message)
        elif one.busy:
            own.add(Conflict, where, one.known.name, one.busy)
        else:
            check(own, one.known, where)
            found.append(one.known)
        findings.take(own, subject if len(chosen) > 1 else "")
        places.setdefault(one.known.id, where)
    return found


def titled(many: str, one: str, found: Sequence[Named]) -> str:
    """The title for several objects, such as `Delete {} volumes`, or for one: `Delete volume {}`."""
    return one.format(found[0].name) if len(found) == 1 else many.format(len(found))
