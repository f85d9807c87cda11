"""`lunette schedule`."""

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.running import send
from lunette.cli.spec import Command, JsonObject, Param, standard

_SCHEDULE = Param("schedule", "Name or ID of the schedule.", noun="schedule")
_WHEN = "Cron expression, such as '0 3 * * *' for 3:00 every day, in the appliance's time zone."
_SPANS = ("last", "hourly", "daily", "weekly", "monthly")
_ABOUT = (
    Param("--volume", "Volume to take snapshots of; repeatable.", noun="volume", many=True),
    Param("--array", "Array to scrub; repeatable.", noun="array", many=True),
)
_KEEP = (
    Param("--keep-last", "Number of most recent snapshots to retain for each volume.", number=True),
    *(
        Param(f"--keep-{span}", f"Number of {span} snapshots to retain: the newest of each {unit}.", number=True)
        for span, unit in (("hourly", "hour"), ("daily", "day"), ("weekly", "week"), ("monthly", "month"))
    ),
)
_SNAPSHOT_NAME = Param("--snapshot-name", metavar="PATTERN")
_DESCRIPTION = Param("--description", "Free-text description.", metavar="TEXT")


def create(call: Call) -> None:
    """Snapshots of volumes with their retention, or scrubs of arrays."""
    body: JsonObject = {"name": call["name"], "action": "scrub" if call["array"] else "snapshot", **_given(call)}
    if call["skip_missed"]:
        body["missed"] = "skip"
    send(call, body)


def set_(call: Call) -> None:
    """Changes the given fields."""
    body = _given(call)
    if call["enable"] and call["disable"]:
        raise UsageError("--enable and --disable are mutually exclusive")
    if call["enable"] or call["disable"]:
        body["enabled"] = bool(call["enable"])
    if not body:
        raise UsageError("Nothing to change: specify at least one option", "lunette schedule set --help")
    send(call, body)


def _given(call: Call) -> JsonObject:
    keep = {span: call[f"keep_{span}"] for span in _SPANS if call[f"keep_{span}"] is not None}
    fields = {
        "when": call["when"],
        "volumes": call["volume"],
        "arrays": call["array"],
        "keep": keep or None,
        "snapshot_name": call["snapshot_name"],
        "description": call["description"],
    }
    return {field: value for field, value in fields.items() if value is not None}


COMMANDS = {
    "schedule": (
        *standard(
            "schedule", ("name", "action", "volumes", "arrays", "when", "enabled", "next_runs", "last_run.state")
        ),
        Command(
            "create",
            operations=("schedule_create",),
            params=(
                Param("name"),
                Param("--when", _WHEN, required=True),
                *_ABOUT,
                *_KEEP,
                _SNAPSHOT_NAME,
                Param("--skip-missed", "Skip runs that were missed while the appliance was down.", flag=True),
                _DESCRIPTION,
            ),
            run=create,
            more="A schedule deletes only snapshots that it took itself, and none because of age.",
        ),
        Command(
            "set",
            operations=("schedule_patch",),
            params=(
                _SCHEDULE,
                Param("--when", _WHEN),
                Param("--enable", "Run the schedule automatically.", flag=True),
                Param("--disable", "Run the schedule only manually.", flag=True),
                *_ABOUT,
                *_KEEP,
                _SNAPSHOT_NAME,
                _DESCRIPTION,
            ),
            run=set_,
        ),
        Command("run", operations=("schedule_run",), params=(_SCHEDULE,)),
    ),
}
