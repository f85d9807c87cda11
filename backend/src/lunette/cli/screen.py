"""The form of results: tables that fit the terminal, one resource, a plan, a job's progress; or bare JSON and YAML.

On a terminal nothing is wider than it; in a pipe nothing is shortened.
"""

import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from lunette.cli.spec import JsonObject
from lunette.domain.units import format_size

LEAST_WIDTH = 5
"""A column is never shortened below this; columns that do not fit even then are omitted and named."""
_COLOURS = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "blue": "34"}
_BAR = 24


class Screen:
    """The output of a command: results on `out`, everything else (questions, progress, remarks) on `err`."""

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        env: Mapping[str, str] = os.environ,
        ask: TextIO | None = None,
    ) -> None:
        self.out, self.err, self.ask = out or sys.stdout, err or sys.stderr, ask or sys.stdin
        self.is_terminal = self.out.isatty()
        self._colour = not env.get("NO_COLOR") and env.get("TERM") != "dumb"
        self._env = env

    @property
    def width(self) -> int | None:
        """Columns of the terminal; None if the output is not a terminal, and then nothing is shortened."""
        return _columns(self.out, self._env) if self.is_terminal else None

    @property
    def can_ask(self) -> bool:
        """True if a person can answer."""
        return self.ask.isatty()

    def on_stderr(self) -> "Screen":
        """The same screen with results on `err`, for what belongs to a question."""
        return Screen(self.err, self.err, self._env, self.ask)

    def line(self, text: str = "", style: str = "") -> None:
        """One line of the result."""
        self.out.write(self._styled(plain(text), style, self.is_terminal) + "\n")

    def note(self, text: str, style: str = "") -> None:
        """One remark next to the result."""
        self.err.write(self._styled(plain(text), style, self.err.isatty()) + "\n")

    def _styled(self, text: str, style: str, is_terminal: bool) -> str:
        code = _COLOURS.get(style)
        return f"\x1b[{code}m{text}\x1b[0m" if code and is_terminal and self._colour else text

    def json(self, value: object) -> None:
        """JSON, and only JSON."""
        self.out.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")

    def yaml(self, value: object) -> None:
        """YAML, and only YAML."""
        import yaml

        self.out.write(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=120))

    def table(self, items: Iterable[JsonObject], columns: Sequence[str]) -> None:
        """A list as a table; says so when it is empty."""
        rows = [[plain(cell(column, pick(item, column))) for column in columns] for item in items]
        if not rows:
            self.note("none")
            return
        heads = [head(column) for column in columns]
        widths = [max(map(width_of, texts)) for texts in zip(heads, *rows, strict=True)]
        if self.width is not None:
            widths = fitted(widths, self.width)
        shown = len(widths)
        self.line(_row(heads[:shown], widths), "bold")
        for row in rows:
            self.line(_row(row[:shown], widths))
        if shown < len(heads):
            self.note(
                f"Columns not shown: {', '.join(heads[shown:])}. The terminal is too narrow; --columns selects columns."
            )

    def resource(self, item: Mapping[str, Any], indent: str = "") -> None:
        """One resource as `key: value` lines, nested objects indented."""
        for key, value in item.items():
            if isinstance(value, dict):
                self.line(f"{indent}{key}:")
                self.resource(value, indent + "  ")
            elif isinstance(value, list) and value and isinstance(value[0], dict):
                self.line(f"{indent}{key}:")
                for entry in value:
                    self.line(f"{indent}  - " + ", ".join(f"{k} {cell(k, v)}" for k, v in entry.items()))
            else:
                self.line(f"{indent}{key}: {cell(key, value)}")

    def plan(self, document: JsonObject) -> None:
        """A plan: first what it destroys and whom it interrupts."""
        self.line(f"Plan: {document['title']}", "bold")
        self.cost(document, "  ")
        for change in document["changes"]:
            self.line(f"  {change['action']} {change['noun']} {change['name']}: {change['detail']}")
        for number, step in enumerate(document["steps"], 1):
            mark = " (irreversible)" if step["irreversible"] else ""
            self.line(f"  {number:>3}. {step['description']}{mark}")

    def cost(self, document: JsonObject, indent: str = "") -> None:
        """What a plan destroys, whom it interrupts, and what it warns of."""
        if document["bytes_destroyed"]:
            self.line(f"{indent}DESTROYS {format_size(document['bytes_destroyed'])}", "red")
        if document["hosts_interrupted"]:
            self.line(f"{indent}INTERRUPTS {', '.join(document['hosts_interrupted'])}", "yellow")
        for volume in document["volumes"]:
            self.line(f"{indent}volume {volume['name']}: {_use(volume)}", "red" if volume["busy"] else "")
        for warning in document["warnings"]:
            self.line(f"{indent}warning: {warning}", "yellow")

    def progress(self, job: JsonObject) -> None:
        """Redraws the progress bar of a job; does nothing without a terminal."""
        if not self.err.isatty():
            return
        running = next((s["description"] for s in job["steps"] if s["state"] in {"started", "undoing"}), "")
        percent = float(job["progress_percent"])
        done = int(percent * _BAR / 100)
        text = f"{'█' * done}{'░' * (_BAR - done)} {percent:3.0f}% {job['title']}"
        line = shortened(plain(f"{text}: {running}" if running else text), _columns(self.err, self._env) - 1)
        self.err.write(f"\r\x1b[K{line}")
        self.err.flush()

    def end_progress(self) -> None:
        """Ends the line of the bar."""
        if self.err.isatty():
            self.err.write("\n")


def _use(volume: JsonObject) -> str:
    """The current use of a volume that is deleted; what is not counted is not shown as zero."""
    iops = "I/O not counted" if volume["iops"] is None else f"{cell('iops', volume['iops'])} I/O per second now"
    last = f"last I/O at {volume['last_io_at']}" if volume["last_io_at"] else "no I/O within the last hour"
    return f"{'IN USE, ' if volume['busy'] else ''}{iops}, {last}"


def _columns(stream: TextIO, env: Mapping[str, str]) -> int:
    if env.get("COLUMNS", "").isdecimal():
        return int(env["COLUMNS"])
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def plain(text: str) -> str:
    """Without control characters: a name or a description must not steer a terminal."""
    return "".join("�" if unicodedata.category(one) == "Cc" and one != "\n" else one for one in text)


def head(column: str) -> str:
    """The heading of a column: `EXPORT` of export.state, `SIZE` of size_bytes, `LINK` of observed.link."""
    return column.removesuffix(".state").rsplit(".", 1)[-1].removesuffix("_bytes").upper()


def cell(key: str, value: Any) -> str:
    """One value as text; a key that ends in _bytes is a size, one that ends in _bytes_s a speed. An MTU is a number."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and key.endswith("mtu_bytes"):
        return str(value)
    if isinstance(value, int) and key.endswith("_bytes"):
        return format_size(value)
    if isinstance(value, int) and key.endswith("_bytes_s"):
        return f"{format_size(value)}/s"
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return ", ".join(cell("", v) for v in value) or "-"
    if isinstance(value, dict):
        named = [value[key] for key in ("name", "address", "host", "host_group", "state") if value.get(key)]
        return str(named[0]) if named else json.dumps(value, ensure_ascii=False)
    return str(value).replace("\n", " ") or "-"


def pick(item: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path; None where a part is missing."""
    value: Any = item
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def width_of(text: str) -> int:
    """The width of a text in columns: East Asian wide letters have two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text
    )


def shortened(text: str, width: int) -> str:
    """The text in at most `width` columns: beginning and end stay, because names differ there."""
    if width_of(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    tail = (width - 1) // 2
    return _cut(text, width - 1 - tail) + "…" + _cut(text[::-1], tail)[::-1]


def _cut(text: str, width: int) -> str:
    taken, used = [], 0
    for one in text:
        used += width_of(one)
        if used > width:
            break
        taken.append(one)
    return "".join(taken)


def fitted(widths: Sequence[int], limit: int) -> list[int]:
    """Widths of the columns within a terminal: the widest are shortened first, and the last dropped if necessary."""
    kept = list(widths)
    while sum(kept) + 2 * (len(kept) - 1) > limit:
        widest = max(range(len(kept)), key=lambda one: kept[one])
        if kept[widest] > LEAST_WIDTH:
            kept[widest] -= 1
        elif len(kept) > 1:
            kept = list(widths[: len(kept) - 1])
        else:
            return [limit]
    return kept


def _row(texts: Sequence[str], widths: Sequence[int]) -> str:
    cells = [shortened(text, width) for text, width in zip(texts, widths, strict=True)]
    padded = [text + " " * (width - width_of(text)) for text, width in zip(cells, widths, strict=True)]
    return "  ".join(padded).rstrip()
