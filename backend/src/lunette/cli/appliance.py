"""Settings of the whole appliance: shown, set, and the test of its alerts."""

from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from lunette.cli import show
from lunette.cli.client import JsonObject
from lunette.cli.commands import AsJson, DryRun, connect, group
from lunette.cli.list_show_delete import print_plan

NOT_TAKEN = 1
"""Exit code where a channel did not take the test."""


def register_settings() -> None:
    """Adds the commands to the noun."""
    commands = group("setting", "Settings of the appliance.")
    for name, command in (("show", show_), ("set", set_), ("test-alerts", try_alerts)):
        commands.command(name)(command)


def show_(as_json: AsJson = False) -> None:
    """Shows all settings. Secrets are never shown."""
    with connect() as client:
        found = client.get("/settings")
    _print(found, as_json)


def set_(
    name: Annotated[str | None, typer.Option(help="Name of the appliance for people.")] = None,
    time_zone: Annotated[str | None, typer.Option(help="Such as Europe/Berlin.")] = None,
    session_hours: Annotated[int | None, typer.Option(help="Hours after which a browser logs in again.")] = None,
    heartbeat: Annotated[str | None, typer.Option(help="Time of the daily sign of life, such as 07:00.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="YAML or JSON with settings such as mail, webhook, syslog; secrets belong here.")
    ] = None,
    unset: Annotated[list[str] | None, typer.Option(help="Setting to take away, such as mail; repeatable.")] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Changes settings; what is not given stays. Secrets are read from a file, never from the command line."""
    given = {"name": name, "time_zone": time_zone, "session_hours": session_hours, "heartbeat": heartbeat}
    body: JsonObject = _read(file) if file else {}
    body |= {key: value for key, value in given.items() if value is not None}
    body |= dict.fromkeys(unset or ())
    if not body:
        raise typer.BadParameter("nothing to set: give --file, --unset, or one of the settings")
    with connect() as client:
        answer = client.patch("/settings", body, dry_run=dry_run)
    if dry_run:
        print_plan(answer, as_json)
    else:
        _print(answer, as_json)


def try_alerts(as_json: AsJson = False) -> None:
    """Sends a test over mail, webhook and syslog as far as they are set up, and tells what each server said."""
    with connect() as client:
        found = client.post("/settings/alerts:test")
    if as_json:
        show.as_json(found)
    else:
        show.table(found["results"], ("channel", "accepted", "detail"))
    if not all(one["accepted"] for one in found["results"]):
        raise typer.Exit(NOT_TAKEN)


def _print(found: JsonObject, as_json: bool) -> None:
    if as_json:
        show.as_json(found)
    else:
        show.resource(found)


def _read(file: Path) -> JsonObject:
    """The document in a file. Raises BadParameter."""
    try:
        found: Any = yaml.safe_load(file.read_text())
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file} is neither YAML nor JSON: {error}") from error
    if not isinstance(found, dict):
        raise typer.BadParameter(f"{file} holds no settings: it begins with names such as `mail:`")
    return found
