"""`lunette host kit`: what a host needs for its volumes. `lunette host paths`: whether it is there over every path."""

import io
import tarfile
from pathlib import Path
from typing import Annotated

import typer

from lunette.cli import show
from lunette.cli.client import Client, JsonObject
from lunette.cli.commands import AsJson, connect, group

Name = Annotated[str, typer.Argument(help="Host, by name or id.")]
_MARKS = {"up": ("✓", "green"), "down": ("✗", "red"), "unknown": ("?", "yellow")}


def register_kit() -> None:
    """Adds the commands to the noun `host`."""
    hosts = group("host", "Client servers and their initiators.")
    hosts.command("kit")(kit)
    hosts.command("paths")(paths)


def kit(
    name: Name,
    secrets: Annotated[bool, typer.Option("--secrets", help="Fill in secrets; told in the events.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it to this folder, or to this file ending in .tar.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Shows what to write and to run on a host for its volumes, or writes it as files with a script that applies it."""
    with connect() as client:
        if output is not None:
            _write(client, name, output, secrets=secrets)
            return
        found = client.get(f"/hosts/{name}/kit", secrets=secrets)
    if as_json:
        show.as_json(found)
    else:
        _print(found)


def paths(name: Name, as_json: AsJson = False) -> None:
    """Tells over which paths a host is logged in, and what is missing. Ends with 1 if a path is missing."""
    with connect() as client:
        found = client.get(f"/hosts/{name}/paths")
    if as_json:
        show.as_json(found)
    else:
        show.out.print(found["sentence"], style="bold", markup=False)
        for one in (*found["paths"], *found["volumes"]):
            mark, style = _MARKS[one["state"]]
            what = f"volume {one['volume']}: " if "volume" in one else ""
            show.out.print(f"  {mark} {what}{one['words']}", style=style, markup=False)
    if found["state"] == "down":
        raise typer.Exit(1)


def _write(client: Client, name: str, output: Path, *, secrets: bool) -> None:
    """For this user alone: with or without secrets, it is one kit that may be fetched again with them."""
    packed = client.call("GET", f"/hosts/{name}/kit.tar", params={"secrets": secrets}).content
    try:
        if output.suffix == ".tar":
            output.touch(mode=0o600)
            output.write_bytes(packed)
        else:
            output.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
                tar.extractall(output, filter="data")
    except OSError as error:
        raise typer.BadParameter(f"{output} cannot be written: {error.strerror}") from error
    show.err.print(f"Written to {output}; README.txt in it says what to do.", markup=False)


def _print(found: JsonObject) -> None:
    for warning in found["warnings"]:
        show.out.print(f"warning: {warning}", style="yellow", markup=False)
    if found["proof"] == "documented" and found["commands"]:
        show.out.print("Written against the vendor's documentation, not run by Lunette's tests.", style="yellow")
    for one in found["files"]:
        show.out.print(f"# {one['path']} ({one['mode']}): {one['purpose']}", style="bold", markup=False)
        show.out.print(one["content"], markup=False, soft_wrap=True)
    for number, one in enumerate(found["commands"], 1):
        show.out.print(f"{number}. {one['purpose']}", style="bold", markup=False)
        show.out.print(f"   {one['run']}", markup=False, soft_wrap=True)
    if found["needs_secrets"] and not found["has_secrets"]:
        show.out.print(
            "Secrets are left out: @LUNETTE-…@ stands in their place. --secrets fills them in.", markup=False
        )
    for note in found["notes"]:
        show.out.print(f"note: {note}", markup=False)
