"""The output of lsblk, drive by drive: an odd entry costs only its own drive."""

from collections.abc import Mapping
from typing import Any

from lunette.providers.reading import ODD, document, reader, rows, text_of, why, word

_TEXTS = ("vendor", "model", "serial", "rev", "wwn", "tran", "maj:min")
_NUMBERS = ("size", "log-sec", "phy-sec")


@reader("lsblk")
def entries(text: str, unread: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """The devices of `lsblk -d -J -b`; every value of its type, or None.

    What cannot be read goes into `unread`, by kernel name with the reason; without it that is an error.
    """
    found = []
    for row in rows(document(text)["blockdevices"]):
        name = word(row["kname"])
        try:
            found.append(_entry(row))
        except ODD as error:
            if unread is None:
                raise
            unread[name] = f"lsblk reports data about it that Lunette cannot read ({why(error)})"
    return found


def _entry(row: Mapping[str, Any]) -> dict[str, Any]:
    points = row["mountpoints"] or []
    if not isinstance(points, list) or not all(isinstance(one, str | None) for one in points):
        raise TypeError(f"no list of mount points: {points!r}"[:200])
    return {
        **{name: word(row[name]) for name in ("kname", "path", "type")},
        **{name: None if row.get(name) is None else text_of(row[name]) for name in _TEXTS},
        **{name: None if row[name] is None else int(text_of(row[name])) for name in _NUMBERS},
        "rota": row.get("rota") in (True, 1, "1"),
        "mountpoints": points,
    }
