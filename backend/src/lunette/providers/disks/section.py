"""Reads JSON that may be odd: keys that are missing or null, numbers as text, values of another type. Never raises."""

import math
import re
from collections.abc import Iterator, Mapping

from lunette.providers import reading

MOST = 2**63 - 1
"""Counters of drives have up to 128 bits; this is the largest value that the database can store."""
_NUMBER = re.compile(r"\s*([+-]?)(0[xX][0-9a-fA-F]{1,40}|\d{1,3}(?:,\d{3})+|\d{1,40})")
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Section:
    """One object of a document. `odd` collects, by path, values that findings depend on and that cannot be read."""

    def __init__(self, found: object, path: str = "", odd: list[str] | None = None) -> None:
        self._found: Mapping[str, object] = found if isinstance(found, dict) else {}
        self._path = path
        self.odd: list[str] = [] if odd is None else odd

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def names(self) -> tuple[str, ...]:
        return tuple(self._found)

    def section(self, name: str, judged: bool = False) -> "Section":
        """An object inside; an empty one if there is none."""
        found = self._found.get(name)
        self._note(name, judged and name in self._found and not isinstance(found, dict))
        return Section(found, self._path_of(name), self.odd)

    def rows(self, name: str, judged: bool = False) -> Iterator["Section"]:
        """The objects of a list. Null rows are omitted: smartctl prints them for entries it skips."""
        found = self._found.get(name)
        self._note(name, judged and name in self._found and not isinstance(found, list))
        for row in found if isinstance(found, list) else ():
            self._note(name, judged and row is not None and not isinstance(row, dict))
            if isinstance(row, dict):
                yield Section(row, self._path_of(name), self.odd)

    def number(self, name: str, judged: bool = False, needed: bool = False) -> int | None:
        """An integer. If it is `judged`, it is recorded when it exists and cannot be read; if it is `needed`, also when
        it is missing.
        """
        found = whole(self._found.get(name))
        self._note(name, found is None and (needed or (judged and name in self._found)))
        return found

    def count(self, name: str, judged: bool = False, needed: bool = False) -> int | None:
        """A number that is not negative."""
        found = self.number(name, judged, needed)
        if found is None or found >= 0:
            return found
        self._note(name, judged or needed)
        return None

    def flag(self, name: str, judged: bool = False) -> bool | None:
        """True or false, as a number or a text too."""
        found = self._found.get(name)
        read = _FLAGS.get(str(found).strip().lower()) if isinstance(found, bool | int | str) else None
        self._note(name, judged and read is None and name in self._found)
        return read

    def text(self, name: str) -> str | None:
        found = self._found.get(name)
        return found if isinstance(found, str) else None

    def _note(self, name: str, is_odd: bool) -> None:
        path = self._path_of(name)
        if is_odd and path not in self.odd:
            self.odd.append(path)

    def _path_of(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name


def document(text: str) -> Section | None:
    """The object in a JSON text; None if there is none."""
    try:
        found = reading.document(text)
    except (ValueError, RecursionError):
        return None
    return Section(found) if isinstance(found, dict) else None


def whole(found: object) -> int | None:
    """A number, or the leading number of a text: '3' and '3 %' are 3. None if there is none."""
    if isinstance(found, str):
        match = _NUMBER.match(found)
        if match is None:
            return None
        digits = match[2].replace(",", "")
        value = int(digits, 16) if digits[:2] in ("0x", "0X") else int(digits)
        return _held(-value if match[1] == "-" else value)
    if isinstance(found, float):
        return _held(int(found)) if math.isfinite(found) else None
    return _held(found) if isinstance(found, int) and not isinstance(found, bool) else None


def _held(value: int) -> int:
    return max(-MOST, min(MOST, value))
