"""Parses the JSON of `zfs list` (OpenZFS 2.3) into roots, zvols and snapshots. Pure, tested with recorded output."""

from collections.abc import Mapping
from typing import Any

from lunette.domain.base import Model
from lunette.providers.reading import ODD, document, reader, text_of, why


class Dataset(Model):
    """A pool's root, a zvol or a snapshot, as `zfs list` shows it. Sizes in bytes; `marks` are Lunette's user
    properties.
    """

    name: str
    kind: str
    available: int
    used: int
    volume_bytes: int | None
    is_sparse: bool
    """True for a volume without a reservation."""
    referenced: int = 0
    """Space that it holds, shared with its snapshots and its origin or not."""
    volmode: str | None = None
    """How its device is shown: `dev`, or `none` for no device, also after an import."""
    origin: str | None = None
    """The snapshot that it was cloned from, which it depends on."""
    marks: Mapping[str, str]

    @property
    def pool(self) -> str:
        return self.name.partition("/")[0]

    @property
    def is_snapshot(self) -> bool:
        return "@" in self.name


MARKS = tuple(f"io.lunette:{word}" for word in ("array", "ashift", "volume", "fresh", "snapshot", "together", "rolled"))
FIELDS = ",".join(("name", "available", "used", "referenced", "origin", "volmode", "volsize", "refreservation", *MARKS))


@reader("zfs list")
def datasets(text: str, unread: dict[str, str] | None = None) -> tuple[Dataset, ...]:
    """The datasets of `zfs list -j -p -o FIELDS`. A mark counts where it was set, not where it is inherited.

    A pool with a dataset that cannot be read goes into `unread`, by name with the reason; without it that is an error.
    """
    found = document(text)["datasets"] if text.strip() else {}
    read = []
    for name, entry in found.items():
        try:
            read.append(_dataset(name, entry))
        except ODD as error:
            if unread is None:
                raise
            pool = name.partition("/")[0].partition("@")[0]
            unread[pool] = f"zfs list reports data about {name} that Lunette cannot read ({why(error)})"
    return tuple(read)


def _dataset(name: str, entry: Mapping[str, Any]) -> Dataset:
    values = {key: _local(value) for key, value in entry["properties"].items()}
    size = values.get("volsize")
    if MARKS[0] not in values:
        raise ValueError(f"property {MARKS[0]} is not reported")
    return Dataset(
        name=name,
        kind=text_of(entry["type"]),
        available=int(values["available"] or 0),
        used=int(values["used"] or 0),
        volume_bytes=int(size) if size else None,
        is_sparse=bool(size) and not int(values["refreservation"] or 0),
        referenced=int(values.get("referenced") or 0),
        origin=str(values["origin"]) if values.get("origin") else None,
        volmode=str(values["volmode"]) if values.get("volmode") else None,
        marks={mark: str(values[mark]) for mark in MARKS if values.get(mark)},
    )


def _local(value: Mapping[str, Any]) -> str | None:
    inherited = (value.get("source") or {}).get("type") in ("INHERITED", "DEFAULT")
    reported = text_of(value["value"])
    return None if reported == "-" or inherited else reported
