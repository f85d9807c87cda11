"""The whole appliance in a file: export, plan, apply. And why a volume is missing."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from lunette.cli import show
from lunette.cli.client import JsonObject
from lunette.cli.commands import AsJson, app, connect
from lunette.domain.sizes import format_size

File = Annotated[Path, typer.Argument(help="The site document, YAML or JSON; - reads standard input.")]
Scope = Annotated[list[str] | None, typer.Option(help="Only this and what hangs on it, such as host=esx3; repeatable.")]
Destroy = Annotated[
    list[str] | None,
    typer.Option(help="What may go, such as volume/lun03 or mapping/lun03/host/esx3; repeatable."),
]
_SIGNS = {"create": ("+", "green"), "change": ("~", "blue"), "interrupt": ("!", "yellow"), "destroy": ("-", "red")}
_MARKS = {"ok": ("✓", "green"), "broken": ("✗", "red"), "unknown": ("?", "yellow")}


def register_site() -> None:
    """Adds the commands to the application."""
    for name, command in (("export", export), ("plan", plan), ("apply", apply), ("why", why)):
        app.command(name)(command)


def export(
    output: Annotated[Path | None, typer.Option(help="Write to this file instead of standard output.")] = None,
    as_json: AsJson = False,
) -> None:
    """Writes everything by name as a site document. CHAP secrets are left out."""
    with connect() as client:
        site = client.get("/site")
    if as_json and output is None:
        show.as_json(site)
        return
    text = yaml.safe_dump(site, sort_keys=False, allow_unicode=True, width=120)
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text)
        show.err.print(f"Written to {output}.", markup=False)


def plan(file: File, scope: Scope = None, destroy: Destroy = None, as_json: AsJson = False) -> None:
    """Shows what applying a site document would change, and changes nothing."""
    with connect() as client:
        found = client.post("/site:plan", _request(file, scope, destroy))
    if as_json:
        show.as_json(found)
    else:
        difference(found)


def apply(
    file: File,
    scope: Scope = None,
    destroy: Destroy = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before data or paths of hosts go.")] = False,
    as_json: AsJson = False,
) -> None:
    """Makes the appliance as a site document says, as one job. Applying it twice changes nothing."""
    request = _request(file, scope, destroy)
    with connect() as client:
        found = client.post("/site:plan", request)
        if not as_json:
            difference(found)
        goes = found["bytes_destroyed"] or any(change["action"] == "destroy" for change in found["changes"])
        if (goes or found["hosts_interrupted"]) and not yes:
            typer.confirm("Go on?", abort=True, err=True)
        answer = client.post("/site:apply", request)
        if "state" in answer:
            answer = show.follow(client, answer)
    if as_json:
        show.as_json(answer)
    elif "state" in answer:
        show.err.print("The site is as the document says.")


def why(
    volume: Annotated[str, typer.Argument(help="Volume, by name or id.")],
    host: Annotated[str | None, typer.Argument(help="Only the way to this host.")] = None,
    as_json: AsJson = False,
) -> None:
    """Tells where the way from a volume to its hosts is broken."""
    with connect() as client:
        answer = client.get(f"/volumes/{volume}:why", host=host)
    if as_json:
        show.as_json(answer)
        return
    for chain in answer["chains"]:
        show.out.print(f"{answer['volume']} → {chain['host'] or 'nobody'}", style="bold", markup=False)
        for link in chain["links"]:
            mark, style = _MARKS[link["state"]]
            show.out.print(f"  {mark} {link['part']}: {link['words']}", style=style, markup=False)
        show.out.print(f"  {chain['sentence']}", markup=False)


def difference(found: JsonObject) -> None:
    """A plan as a diff: what is lost and who is interrupted first, then one line for each change."""
    if found["bytes_destroyed"]:
        show.out.print(f"DESTROYS {format_size(found['bytes_destroyed'])}", style="red", markup=False)
    if found["hosts_interrupted"]:
        show.out.print(f"INTERRUPTS {', '.join(found['hosts_interrupted'])}", style="yellow", markup=False)
    for warning in found["warnings"]:
        show.out.print(f"warning: {warning}", style="yellow", markup=False)
    for change in found["changes"]:
        sign, style = _SIGNS[change["action"]]
        show.out.print(f"{sign} {change['noun']} {change['name']}: {change['detail']}", style=style, markup=False)
    counts = {action: sum(change["action"] == action for change in found["changes"]) for action in _SIGNS}
    words = ", ".join(f"{count} to {action}" for action, count in counts.items() if count)
    show.out.print(f"{words}." if words else "Nothing to change.", markup=False)


def _request(file: Path, scope: list[str] | None, destroy: list[str] | None) -> JsonObject:
    """The body of a plan or an apply. Raises BadParameter for a file that cannot be read as a document."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text()
        site: Any = yaml.safe_load(text)
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file} is neither YAML nor JSON: {error}") from error
    if not isinstance(site, dict):
        raise typer.BadParameter(f"{file} holds no site document: it begins with sections such as `volumes:`")
    return {"site": site, "scope": [one.replace("=", "/", 1) for one in scope or ()], "destroy": destroy or []}
