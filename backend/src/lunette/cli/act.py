"""What is done to a resource beyond making, changing and deleting it."""

from typing import Annotated

import typer

from lunette.cli import show
from lunette.cli.client import JsonObject
from lunette.cli.commands import AsJson, DryRun, connect, group

Volume = Annotated[str, typer.Argument(help="Volume, by name or id.")]


def register_actions() -> None:
    """Adds the actions to their nouns."""
    volumes = group("volume", "Volumes of the appliance.")
    volumes.command("grow")(grow)
    volumes.command("roll-back")(roll_back)
    group("snapshot", "Snapshots of the appliance.").command("clone")(clone)


def grow(
    volume: Volume,
    size: Annotated[str, typer.Argument(help="Its new size, such as 20GiB; never less than it has.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Makes a volume larger while hosts use it."""
    _act(f"/volumes/{volume}", "grow", {"size_bytes": size}, dry_run=dry_run, as_json=as_json)


def roll_back(
    volume: Volume,
    snapshot: Annotated[str, typer.Option(help="One of its snapshots, by name or id.")],
    dry_run: DryRun = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for the name before data is destroyed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Makes an unmapped volume as it was in a snapshot; what was written since is lost."""
    path, body = f"/volumes/{volume}", {"snapshot": snapshot}
    if not (dry_run or yes):
        with connect() as client:
            show.plan(client.act(path, "roll-back", body, dry_run=True))
        if typer.prompt(f"Type {volume} to go on", err=True) != volume:
            show.err.print("That is another name: nothing was changed.")
            raise typer.Exit(1)
    _act(path, "roll-back", body, dry_run=dry_run, as_json=as_json)


def clone(
    snapshot: Annotated[str, typer.Argument(help="Snapshot, by name or id.")],
    name: Annotated[str, typer.Argument(help="Name of the new volume; with --count a pattern such as vm%02d.")],
    count: Annotated[int | None, typer.Option(help="Make this many, all or nothing.")] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Makes one or many writable volumes of a snapshot."""
    body: JsonObject = {"name": name} if count is None else {"name_pattern": name, "count": count}
    with connect() as client:
        answer = client.post(f"/snapshots/{snapshot}:clone", body, dry_run=dry_run)
        show.outcome(client, answer, dry_run=dry_run, bare=as_json)


def _act(path: str, action: str, body: JsonObject, *, dry_run: bool, as_json: bool) -> None:
    with connect() as client:
        answer = client.act(path, action, body, dry_run=dry_run)
        show.outcome(client, answer, dry_run=dry_run, bare=as_json)
