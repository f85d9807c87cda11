"""Parts of the desired state that were made from rows, made again only where a row differs.

The rows themselves are compared, not their versions or times: a change that counts neither is not missed. Of volumes,
which are the most, only a digest of the row stays in memory.
"""

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from lunette.domain.exports import ExportLun, ExportSubsystem, ExportTarget, ExportVolume

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Values by ID, each with what it was made from. What is not asked for between two calls of `forget` is dropped."""

    def __init__(self) -> None:
        self._before: dict[str, tuple[Any, Value]] = {}
        self._now: dict[str, tuple[Any, Value]] = {}

    def of(self, id_: str, source: Any, make: Callable[[], Value]) -> Value:
        """The value of this ID: the one that was made from an equal source, or a new one."""
        held = self._before.get(id_)
        if held is None or held[0] != source:
            held = (source, make())
        self._now[id_] = held
        return held[1]

    def lacks(self, id_: str, source: Any) -> bool:
        """True if the value of this ID has to be made."""
        held = self._before.get(id_)
        return held is None or held[0] != source

    def forget(self) -> None:
        """Drops what was not asked for since the last call."""
        self._before, self._now = self._now, {}


def digest(row: Iterable[Any]) -> int:
    """64 bits for a row of texts, numbers from 0 to 2**60 and NULLs. They differ whenever one number of the row
    differs: each step of the hash of a tuple is reversible (Objects/tupleobject.c of CPython). Two texts have the same
    hash once in 2**64: it is SipHash with a key of this process.
    """
    return hash(tuple(row))


class Memo:
    """Of one process. Objects that stay the same are the same objects, so that a comparison is quick."""

    def __init__(self) -> None:
        self.volumes = Kept[ExportVolume]()
        self.luns = Kept[ExportLun]()
        self.targets = Kept[ExportTarget]()
        self.subsystems = Kept[ExportSubsystem]()
        self.hosts = Kept[Any]()

    def forget(self) -> None:
        for kept in (self.volumes, self.luns, self.targets, self.subsystems, self.hosts):
            kept.forget()
