"""What is made of a schedule: a new one, a change, a run now."""

from typing import Annotated

import typer

from lunette.cli import show
from lunette.cli.client import JsonObject
from lunette.cli.commands import AsJson, DryRun, connect, group
from lunette.cli.create import Description, Name, send
from lunette.cli.list_show_delete import Item, print_plan

Volumes = Annotated[list[str] | None, typer.Option("--volume", help="Volume to take snapshots of; repeatable.")]
Arrays = Annotated[list[str] | None, typer.Option("--array", help="Array to scrub; repeatable.")]
When = Annotated[str, typer.Option(help="Minute hour day month weekday, such as '0 3 * * *', in the appliance's zone.")]
Last = Annotated[int, typer.Option(help="Keep the newest so many snapshots of each volume.")]
Hourly = Annotated[int, typer.Option(help="Keep the newest of each of so many hours.")]
Daily = Annotated[int, typer.Option(help="Keep the newest of each of so many days.")]
Weekly = Annotated[int, typer.Option(help="Keep the newest of each of so many weeks.")]
Monthly = Annotated[int, typer.Option(help="Keep the newest of each of so many months.")]


def register_schedules() -> None:
    """Adds the commands to the noun."""
    commands = group("schedule", "Schedules of the appliance.")
    for name, command in (("create", create), ("set", set_), ("run", run)):
        commands.command(name)(command)


def create(
    name: Name,
    when: When,
    volume: Volumes = None,
    array: Arrays = None,
    keep_last: Last = 0,
    keep_hourly: Hourly = 0,
    keep_daily: Daily = 0,
    keep_weekly: Weekly = 0,
    keep_monthly: Monthly = 0,
    snapshot_name: Annotated[str | None, typer.Option(help="Such as '{volume}.{date}-{time}'.")] = None,
    skip_missed: Annotated[
        bool, typer.Option(help="Do not make up for runs missed while the appliance was down.")
    ] = False,
    description: Description = "",
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Creates a schedule: snapshots of volumes with what is to be kept of them, or scrubs of arrays."""
    counts = {"last": keep_last, "hourly": keep_hourly, "daily": keep_daily, "weekly": keep_weekly,
              "monthly": keep_monthly}  # fmt: skip
    kept = {span: count for span, count in counts.items() if count}
    body: JsonObject = {"name": name, "action": "scrub" if array else "snapshot", "when": when, "volumes": volume or [],
                        "arrays": array or [], "keep": kept or None, "snapshot_name": snapshot_name,
                        "missed": "skip" if skip_missed else None, "description": description}  # fmt: skip
    send("/schedules", body, dry_run=dry_run, as_json=as_json)


def set_(
    item: Item,
    when: Annotated[str | None, typer.Option(help="New times, such as '0 3 * * *'.")] = None,
    enabled: Annotated[bool | None, typer.Option("--enable/--disable", help="Whether it runs by itself.")] = None,
    volume: Volumes = None,
    array: Arrays = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Changes when a schedule runs and what it is about."""
    given: JsonObject = {"when": when, "enabled": enabled, "volumes": volume, "arrays": array}
    body = {key: value for key, value in given.items() if value is not None}
    if not body:
        raise typer.BadParameter("nothing to set: give --when, --enable, --disable, --volume or --array")
    with connect() as client:
        answer = client.patch(f"/schedules/{item}", body, dry_run=dry_run)
    if dry_run:
        print_plan(answer, as_json)
    elif as_json:
        show.as_json(answer)
    else:
        show.resource(answer)


def run(item: Item, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Runs a schedule now."""
    send(f"/schedules/{item}:run", {}, dry_run=dry_run, as_json=as_json)
