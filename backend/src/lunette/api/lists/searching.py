"""What people paste into a search, and where it is found: in rows by SQL, in what is observed by hand."""

import re
from collections.abc import Sequence

from sqlalchemy import ColumnElement, String, case, false, func, or_
from sqlalchemy.orm import InstrumentedAttribute

from lunette.api.answers.search import SearchField, SearchMatch

Column = InstrumentedAttribute[str]
_ANYWHERE = frozenset({SearchField.NAME, SearchField.ADDRESS, SearchField.DEVICE})
_SHORTEST_IDENTIFIER = 4
_DECORATION = re.compile(
    r"^(?:/dev/)?(?:disk/by-id/)?(?:dm-uuid-mpath-|scsi-|wwn-|nvme-)?(?:naa\.|eui\.|uuid\.|0x|3(?=6[0-9a-f]{31}$))?"
)
_HEX = re.compile(r"[0-9a-f]+")


class Term:
    """The text of a search, in every form in which the same identifier is written."""

    def __init__(self, text: str) -> None:
        self.forms = _forms(text.strip().lower())

    def rank(self, field: SearchField, value: str) -> SearchMatch | None:
        """How well a value matches; None if it does not."""
        lower, forms = value.lower(), self._forms_for(field)
        if lower in forms:
            return SearchMatch.EXACT
        if any(lower.startswith(form) for form in forms):
            return SearchMatch.PREFIX
        return SearchMatch.PART if any(form in lower for form in forms) else None

    def found_in(self, columns: Sequence[tuple[SearchField, Column]]) -> ColumnElement[bool]:
        """The condition that one of the columns contains the text."""
        return self._any(columns, "%", "%")

    def order(self, columns: Sequence[tuple[SearchField, Column]]) -> ColumnElement[int]:
        """Sorts rows by their best match."""
        return case((self._any(columns, "", ""), 0), (self._any(columns, "", "%"), 1), else_=2)

    def _any(self, columns: Sequence[tuple[SearchField, Column]], before: str, after: str) -> ColumnElement[bool]:
        likes = (
            func.lower(column, type_=String).like(f"{before}{_escaped(form)}{after}", escape="\\")
            for field, column in columns
            for form in self._forms_for(field)
        )
        return or_(false(), *likes)

    def _forms_for(self, field: SearchField) -> tuple[str, ...]:
        return self.forms if field in _ANYWHERE else tuple(f for f in self.forms if len(f) >= _SHORTEST_IDENTIFIER)


def _forms(text: str) -> tuple[str, ...]:
    plain = _DECORATION.sub("", text)
    digits = re.sub(r"[:-]", "", plain)
    found = [text, plain]
    if _HEX.fullmatch(digits) and len(digits) >= _SHORTEST_IDENTIFIER:
        found.append(digits)
        if len(digits) in (12, 16):
            found.append(":".join(re.findall("..", digits)))
        if len(digits) == 32:
            found.append("-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])))
    return tuple(dict.fromkeys(form for form in found if form))


def _escaped(form: str) -> str:
    return form.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
