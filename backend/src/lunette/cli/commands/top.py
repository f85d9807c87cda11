"""`lunette top` shows the current performance of volumes and sessions, the busiest first, until Ctrl-C; `lunette
performance` the history of one object.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import quote

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.screen import Screen
from lunette.cli.spec import Command, JsonObject, Param
from lunette.client.generated.enums import HISTORY_RANGE, MEASURED
from lunette.domain.units import format_size

_SORTS = {
    "iops": "-iops",
    "read": "-read_bytes_s",
    "written": "-write_bytes_s",
    "latency": "-latency_ms",
    "name": "name",
}
_FIGURES = ("iops", "read/s", "written/s", "latency", "in flight", "busy")
_COURSES = {
    "iops": ("iops", "mean"),
    "iops max": ("iops", "max"),
    "read/s": ("read_bytes_s", "mean"),
    "written/s": ("write_bytes_s", "mean"),
    "latency": ("latency_ms", "mean"),
    "latency max": ("latency_ms", "max"),
}
_FRAME_LINES = 3
"""Lines of a table in addition to its rows."""
_LEAST_INTERVAL_S = 2


def top(call: Call) -> None:
    """One reading with --once, else readings until Ctrl-C; as JSON or YAML each reading is one document."""
    kinds = tuple(dict.fromkeys(call["kind"] or ("volume", "session")))
    sort, interval_s = call["sort"], call["interval"]
    if sort not in _SORTS:
        raise UsageError(f"--sort must be one of {', '.join(_SORTS)}, not {sort!r}")
    if interval_s < _LEAST_INTERVAL_S:
        raise UsageError(f"--interval must be at least {_LEAST_INTERVAL_S} seconds")
    if call["once"]:
        call.show(_look(call, kinds, interval_s), lambda found: _view(call.screen, found, kinds))
        return
    with _whole_screen(call.screen):
        while True:
            call.show(_look(call, kinds, interval_s), lambda found: _redraw(call.screen, found, kinds))
            time.sleep(interval_s)


def _look(call: Call, kinds: Sequence[str], interval_s: float) -> JsonObject:
    """The total, and a list of each kind. Waits until there are rates."""
    total = call.client.get("/performance", of="appliance")
    while total["seconds"] is None:
        time.sleep(interval_s)
        total = call.client.get("/performance", of="appliance")
    found: JsonObject = {"at": total["at"], "seconds": total["seconds"], "appliance": next(iter(total["items"]), None)}
    found["unseen"] = []
    for kind in kinds:
        asked = {"of": kind, "sort": _SORTS[call["sort"]], "limit": 1000}
        found["unseen"] += call.client.get("/performance", **asked)["unseen"]
        found[f"{kind}s"] = list(call.client.list("/performance", **asked))
    return found


def _view(screen: Screen, found: JsonObject, kinds: Sequence[str], rows: int | None = None) -> None:
    """The total, then a table of each kind, its first `rows`."""
    total = found["appliance"]
    if total:
        figures = "  ".join(f"{name.upper()} {text or '-'}" for name, text in _figures(total).items())
        screen.line(f"{total['name']}  {figures}", "bold")
    for kind in kinds:
        screen.line()
        screen.table(({kind: _name(row), **_figures(row)} for row in found[f"{kind}s"][:rows]), (kind, *_FIGURES))
    for one in found["unseen"]:
        screen.line(f"{one['family']}: {one['reason']}", "yellow")


def _name(row: JsonObject) -> str:
    return f"{row['host'] or '?'} {row['name']}" if row["of"] == "session" else str(row["name"])


def _figures(row: JsonObject) -> dict[str, str | None]:
    """None if the kernel does not count, or there was no I/O to measure."""
    latency, in_flight, busy = row["latency_ms"], row["in_flight"], row["busy_percent"]
    texts = (
        f"{row['iops']:.0f}",
        f"{format_size(round(row['read_bytes_s']))}/s",
        f"{format_size(round(row['write_bytes_s']))}/s",
        None if latency is None else f"{latency:.2f} ms",
        None if in_flight is None else str(in_flight),
        None if busy is None else f"{busy:.0f}%",
    )
    return dict(zip(_FIGURES, texts, strict=True))


@contextmanager
def _whole_screen(screen: Screen) -> Iterator[None]:
    """Uses the terminal's alternate screen for the block; the previous content returns afterward."""
    if not screen.is_terminal:
        yield
        return
    try:
        screen.out.write("\x1b[?1049h")
        yield
    finally:
        screen.out.write("\x1b[?1049l")
        screen.out.flush()


def _redraw(screen: Screen, found: JsonObject, kinds: Sequence[str]) -> None:
    if not screen.is_terminal:
        _view(screen, found, kinds)
        return
    lines = os.get_terminal_size(screen.out.fileno()).lines
    screen.out.write("\x1b[H\x1b[J")
    _view(screen, found, kinds, max(1, (lines - 2) // len(kinds) - _FRAME_LINES))
    screen.out.flush()


def performance(call: Call) -> None:
    """A line for each interval in which something was measured."""
    found = call.client.get(f"/performance/{quote(call['object'], safe='')}", range=call["range"])
    call.show(found, lambda shown: call.screen.table(_intervals(shown), ("time", *_COURSES)))


def _intervals(found: JsonObject) -> Iterator[JsonObject]:
    for n, at in enumerate(found["times"]):
        values = {column: found[figure][side][n] for column, (figure, side) in _COURSES.items()}
        if any(value is not None for value in values.values()):
            yield {"time": at, **{column: _text(column, value) for column, value in values.items()}}


def _text(column: str, value: float | None) -> str | None:
    if value is None:
        return None
    if column.startswith("iops"):
        return f"{value:.0f}"
    return f"{value:.2f} ms" if column.startswith("latency") else f"{format_size(round(value))}/s"


COMMANDS = {
    "performance": (
        Command(
            "",
            operations=("performance_show",),
            params=(
                Param("object", "ID of the object; `appliance` for the sum of all volumes."),
                Param("--range", words=HISTORY_RANGE, default="1h"),
            ),
            run=performance,
            more="Each line has the mean of an interval, and the maximum of IOPS and latency.",
        ),
    ),
    "top": (
        Command(
            "",
            "Shows the current performance of objects, the busiest first, until Ctrl-C.",
            ("performance_list",),
            (
                Param(
                    "kind",
                    "Kind of object to show; by default, volumes and sessions.",
                    words=MEASURED,
                    many=True,
                    optional=True,
                ),
                Param(
                    "--sort",
                    "Column to sort by: iops, read, written, latency or name.",
                    default="iops",
                    metavar="FIGURE",
                ),
                Param("--interval", "Seconds between updates, at least 2.", number=True, default=2),
                Param("--once", "Print the current values once, for example with --json for scripts.", flag=True),
            ),
            top,
        ),
    ),
}
