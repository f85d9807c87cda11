"""What can be done with an array that stands: each verb of the API is a command of the same name."""

from typing import Annotated

import typer

from lunette.cli import show
from lunette.cli.client import JsonObject
from lunette.cli.commands import AsJson, DryRun, connect, group
from lunette.cli.create import send
from lunette.cli.list_show_delete import Item, print_plan

Disk = Annotated[str, typer.Argument(help="Stable id of the disk; one that is gone by the id it had.")]
Wipe = Annotated[bool, typer.Option("--wipe", help="What the new disk carries may be destroyed.")]
Pace = Annotated[str | None, typer.Option(help="Per second and disk, such as 50MiB; `kernel` leaves it to the kernel.")]


def register_arrays() -> None:
    """Adds the commands to the noun."""
    commands = group("array", "Arrays of the appliance.")
    for name, command in (
        ("add-spares", add_spares), ("replace", replace), ("fail", fail), ("remove", remove), ("readd", readd),
        ("scrub", scrub), ("set", set_),
    ):  # fmt: skip
        commands.command(name)(command)


def add_spares(
    item: Item,
    disk: Annotated[list[str], typer.Argument(help="Stable ids of the disks.")],
    wipe: Wipe = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Adds disks that stand by, or are filled at once if the array has lost one."""
    body: JsonObject = {"disks": disk, "wipe": disk if wipe else []}
    send(f"/arrays/{item}:add_spares", body, dry_run=dry_run, as_json=as_json)


def replace(
    item: Item, disk: Disk, new: Annotated[str, typer.Argument(help="Stable id of the disk that comes instead.")],
    wipe: Wipe = False, dry_run: DryRun = False, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Puts another disk in the place of one that works, is faulty, or is gone."""
    body: JsonObject = {"disk": disk, "new": new, "wipe": [new] if wipe else []}
    send(f"/arrays/{item}:replace", body, dry_run=dry_run, as_json=as_json)


def fail(item: Item, disk: Disk, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Gives a member up that is not to be trusted any more."""
    send(f"/arrays/{item}:fail", {"disk": disk}, dry_run=dry_run, as_json=as_json)


def remove(item: Item, disk: Disk, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Lets go of a spare, of a faulty disk, or of one that is gone."""
    send(f"/arrays/{item}:remove", {"disk": disk}, dry_run=dry_run, as_json=as_json)


def readd(item: Item, disk: Disk, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Takes back a member that was gone or faulty."""
    send(f"/arrays/{item}:readd", {"disk": disk}, dry_run=dry_run, as_json=as_json)


def scrub(
    item: Item,
    action: Annotated[str, typer.Option(help="check, repair or stop.")] = "check",
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Reads and compares everything, or stops that."""
    send(f"/arrays/{item}:scrub", {"action": action}, dry_run=dry_run, as_json=as_json)


def set_(
    item: Item, sync_speed_min: Pace = None, sync_speed_max: Pace = None, dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Sets the pace of resync, rebuild and scrub."""
    given = {"sync_speed_min_bytes_s": sync_speed_min, "sync_speed_max_bytes_s": sync_speed_max}
    body: JsonObject = {key: None if text == "kernel" else text for key, text in given.items() if text is not None}
    if not body:
        raise typer.BadParameter("nothing to set: give --sync-speed-min or --sync-speed-max")
    with connect() as client:
        answer = client.patch(f"/arrays/{item}", body, dry_run=dry_run)
    if dry_run:
        print_plan(answer, as_json)
    elif as_json:
        show.as_json(answer)
    else:
        show.resource(answer)
