"""`lunette top`: what volumes and sessions do now, the busiest first, until Ctrl-C."""

import time
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from lunette.cli import show
from lunette.cli.client import Client, JsonObject
from lunette.cli.commands import AsJson, app, connect
from lunette.domain.sizes import format_size

_FRAME_LINES = 5
"""Lines a table takes beside its rows: its heading, the line of totals and the gaps."""
_COLUMNS = ("NAME", "IOPS", "READ/S", "WRITTEN/S", "LATENCY", "IN FLIGHT", "BUSY")


class Kind(StrEnum):
    """What can be watched."""

    VOLUME = "volume"
    SESSION = "session"
    ARRAY = "array"
    DISK = "disk"


class Sort(StrEnum):
    """By what the rows are ordered."""

    IOPS = "iops"
    READ = "read"
    WRITTEN = "written"
    LATENCY = "latency"
    NAME = "name"


_FIELDS = {
    Sort.IOPS: "-iops", Sort.READ: "-read_bytes_s", Sort.WRITTEN: "-write_bytes_s", Sort.LATENCY: "-latency_ms",
    Sort.NAME: "name",
}  # fmt: skip


def register_top() -> None:
    """Adds the command."""
    app.command()(top)


def top(
    kinds: Annotated[
        list[Kind] | None, typer.Argument(help="volume, session, array or disk; volumes and sessions if none is named.")
    ] = None,
    sort: Annotated[Sort, typer.Option(help="iops, read, written, latency or name.")] = Sort.IOPS,
    interval: Annotated[float, typer.Option(min=2.0, help="Seconds between two looks.")] = 2.0,
    once: Annotated[bool, typer.Option("--once", help="Look once and end.")] = False,
    as_json: AsJson = False,
) -> None:
    """Shows what volumes and sessions do now, the busiest first, until Ctrl-C. With --once --json for scripts."""
    chosen = tuple(dict.fromkeys(kinds or (Kind.VOLUME, Kind.SESSION)))
    with connect() as client:
        if once:
            found = look(client, chosen, sort, rows=None, interval_s=interval)
            show.as_json(found) if as_json else show.out.print(view(found, chosen))
        else:
            _watch(client, chosen, sort, interval, as_json=as_json)


def look(client: Client, kinds: Sequence[Kind], sort: Sort, *, rows: int | None, interval_s: float) -> JsonObject:
    """One look: the total, and a list of each kind, all of it or the first `rows`. Waits until there are rates."""
    total = client.get("/performance", of="appliance")
    while total["seconds"] is None:
        time.sleep(interval_s)
        total = client.get("/performance", of="appliance")
    found: JsonObject = {"at": total["at"], "seconds": total["seconds"], "appliance": next(iter(total["items"]), None)}
    for kind in kinds:
        asked = {"of": kind.value, "sort": _FIELDS[sort]}
        first = client.get("/performance", **asked, limit=min(rows or 1000, 1000))
        items = first["items"] if rows else list(client.list("/performance", **asked, limit=1000))
        found[f"{kind.value}s"] = items
        found["unseen"] = [*found.get("unseen", ()), *first["unseen"]]
    return found


def view(found: JsonObject, kinds: Sequence[Kind]) -> Group:
    """A look as tables, the total above them."""
    total = found["appliance"]
    words = (
        "  ".join(f"{name} {text}" for name, text in zip(_COLUMNS[1:], _figures(total), strict=True)) if total else ""
    )
    parts: list[Table | Text] = [Text(f"{total['name'] if total else ''}  {words}", style="bold")]
    for kind in kinds:
        rows = found[f"{kind.value}s"]
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column(kind.value.upper(), overflow="ellipsis", no_wrap=True)
        for column in _COLUMNS[1:]:
            table.add_column(column, justify="right", no_wrap=True)
        for row in rows:
            table.add_row(_name(row), *_figures(row))
        parts += [Text(""), table]
    parts += [Text(f"{one['family']}: {one['reason']}", style="yellow") for one in found.get("unseen", ())]
    return Group(*parts)


def _watch(client: Client, kinds: Sequence[Kind], sort: Sort, interval_s: float, *, as_json: bool) -> None:
    """As JSON each look is one document."""
    rows = max(1, (show.out.height - 2) // len(kinds) - _FRAME_LINES)
    try:
        if as_json:
            while True:
                show.as_json(look(client, kinds, sort, rows=None, interval_s=interval_s))
                time.sleep(interval_s)
        with Live(console=show.out, screen=show.out.is_terminal, auto_refresh=False) as live:
            while True:
                live.update(view(look(client, kinds, sort, rows=rows, interval_s=interval_s), kinds), refresh=True)
                time.sleep(interval_s)
    except KeyboardInterrupt:
        return


def _name(row: JsonObject) -> str:
    return f"{row['host'] or '?'} {row['name']}" if row["of"] == Kind.SESSION else str(row["name"])


def _figures(row: JsonObject) -> tuple[str, ...]:
    """A dash where the kernel does not count, or there was no I/O to take the time of."""
    latency, in_flight, busy = row["latency_ms"], row["in_flight"], row["busy_percent"]
    return (
        f"{row['iops']:.0f}", f"{format_size(round(row['read_bytes_s']))}/s",
        f"{format_size(round(row['write_bytes_s']))}/s", "-" if latency is None else f"{latency:.2f} ms",
        "-" if in_flight is None else str(in_flight), "-" if busy is None else f"{busy:.0f} %",
    )  # fmt: skip
