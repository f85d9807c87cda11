"""The output of a benchmark: tables for people, and the same as lines of JSON for `make bench`."""

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ENVIRONMENT = "LUNETTE_BENCH_OUTPUT"
"""Names the file that `make bench` reads."""


@dataclass(frozen=True)
class Table:
    """Cells as people read them; the first column names the row."""

    title: str
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Output:
    """The output of one run of a benchmark: the kernel that was measured, and the tables in order."""

    kernel: str
    tables: list[Table]


def print_kernel(release: str) -> None:
    """Says on which kernel all that follows is measured."""
    print(f"kernel {release}", flush=True)
    _keep({"kernel": release})


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints one table, and keeps it for the report."""
    table = Table(title, list(columns), [list(row) for row in rows])
    print(f"\n{title}\n{plain(table)}", flush=True)
    _keep({"table": asdict(table)})


def power(points: Sequence[tuple[float, float]]) -> str:
    """The exponent by which the second figure grows with the first, from the first point to the last."""
    if len(points) < 2:
        return ""
    (size, figure), (last_size, last_figure) = points[0], points[-1]
    return f"{math.log(last_figure / figure) / math.log(last_size / size):.2f}"


def plain(table: Table) -> str:
    """The table for a terminal: the first column to the left, the others to the right."""
    lines = [table.columns, *table.rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(table.columns))]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    )


def markdown(table: Table) -> str:
    """The table for a page."""
    lines = [table.columns, ["---", *("---:" for _ in table.columns[1:])], *table.rows]
    return "\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines)


def cell(text: str) -> str:
    """A text that can stand in a cell."""
    return text.replace("|", "\\|").replace("`", "'").replace("\n", " ")


def read(file: Path) -> Output:
    """The output recorded in this file; empty if the file does not exist."""
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    kernels = [line["kernel"] for line in lines if "kernel" in line]
    return Output(kernels[-1] if kernels else "", [Table(**line["table"]) for line in lines if "table" in line])


def _keep(line: dict[str, object]) -> None:
    if name := os.environ.get(ENVIRONMENT):
        with Path(name).open("a") as file:
            file.write(json.dumps(line) + "\n")
