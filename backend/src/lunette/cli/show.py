"""How answers look on a terminal: tables, one resource, a plan, a job's progress; or the bare JSON."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from lunette.cli.client import Client, JsonObject
from lunette.domain.sizes import format_size

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def as_json(value: object) -> None:
    """Prints JSON, and only JSON, on standard output."""
    out.print(json.dumps(value, indent=2, ensure_ascii=False), markup=False, soft_wrap=True)


def cell(key: str, value: Any) -> str:
    """One value as text; a key that ends in _bytes is a size."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if key.endswith("_bytes") and isinstance(value, int):
        return format_size(value)
    if isinstance(value, list):
        return ", ".join(cell("", v) for v in value) or "-"
    if isinstance(value, dict):
        return str(value.get("name") or value.get("state") or json.dumps(value))
    return str(value)


def pick(item: JsonObject, path: str) -> Any:
    """The value at a dotted path; None where a part is missing."""
    value: Any = item
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def table(items: Iterable[JsonObject], columns: Sequence[str]) -> None:
    """A list as a table that fits the terminal; says so when it is empty."""
    rows = list(items)
    if not rows:
        err.print("none")
        return
    view = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        view.add_column(column.rsplit(".", 1)[-1].removesuffix("_bytes").upper(), overflow="fold")
    for row in rows:
        view.add_row(*(cell(column, pick(row, column)) for column in columns))
    out.print(view)


def outcome(client: Client, answer: JsonObject, *, dry_run: bool, bare: bool) -> None:
    """What a change came to: its plan, its job followed to the end, or what was made or changed. `bare`: as JSON."""
    if not dry_run and "steps" in answer and "state" in answer:
        answer = follow(client, answer)
    if bare:
        as_json(answer)
    elif dry_run:
        plan(answer)
    elif "items" in answer:
        err.print(f"{len(answer['items'])} made.")
    else:
        resource({key: value for key, value in answer.items() if key != "steps"})


def resource(item: JsonObject, indent: str = "") -> None:
    """One resource as `key: value` lines, nested objects indented."""
    for key, value in item.items():
        if isinstance(value, dict):
            out.print(f"{indent}{key}:", markup=False)
            resource(value, indent + "  ")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            out.print(f"{indent}{key}:", markup=False)
            for entry in value:
                out.print(f"{indent}  - " + ", ".join(f"{k} {cell(k, v)}" for k, v in entry.items()), markup=False)
        else:
            out.print(f"{indent}{key}: {cell(key, value)}", markup=False)


def plan(document: JsonObject) -> None:
    """A plan: what it destroys and whom it interrupts come first."""
    out.print(f"Plan: {document['title']}", style="bold", markup=False)
    if document["bytes_destroyed"]:
        out.print(f"  DESTROYS {format_size(document['bytes_destroyed'])}", style="red", markup=False)
    if document["hosts_interrupted"]:
        out.print(f"  INTERRUPTS {', '.join(document['hosts_interrupted'])}", style="yellow", markup=False)
    for warning in document["warnings"]:
        out.print(f"  warning: {warning}", style="yellow", markup=False)
    for change in document["changes"]:
        out.print(f"  {change['action']} {change['noun']} {change['name']}: {change['detail']}", markup=False)
    for number, step in enumerate(document["steps"], 1):
        mark = " (irreversible)" if step["irreversible"] else ""
        out.print(f"  {number:>3}. {step['description']}{mark}", markup=False)


def follow(client: Client, job: JsonObject) -> JsonObject:
    """Waits for a job with a progress bar on standard error. Raises JobFailed."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeElapsedColumn(), console=err) as progress:
        task = progress.add_task(job["title"], total=100)

        def seen(now: JsonObject) -> None:
            running = next((s["description"] for s in now["steps"] if s["state"] in {"started", "undoing"}), "")
            text = f"{now['title']}: {running}" if running else now["title"]
            progress.update(task, completed=now["progress_percent"], description=text)

        return client.wait(job, seen=seen)
