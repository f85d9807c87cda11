"""`lunette schedule`."""

from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
from lunette.cli.running import send
from lunette.cli.spec import Command, JsonObject, Param, standard

_SCHEDULE = Param("schedule", "Its name or id.", noun="schedule")
_WHEN = "Minute hour day month weekday, such as '0 3 * * *', in the appliance's time zone."
_SPANS = ("last", "hourly", "daily", "weekly", "monthly")
_ABOUT = (
    Param("--volume", "Volume to take snapshots of; repeatable.", noun="volume", many=True),
    Param("--array", "Array to scrub; repeatable.", noun="array", many=True),
)
_KEEP = (
    Param("--keep-last", "Keep the newest so many snapshots of each volume.", number=True),
    *(
        Param(f"--keep-{span}", f"Keep the newest of each of so many {unit}.", number=True)
        for span, unit in (("hourly", "hours"), ("daily", "days"), ("weekly", "weeks"), ("monthly", "months"))
    ),
)
_SNAPSHOT_NAME = Param("--snapshot-name", "Such as '{volume}.{date}-{time}'.", metavar="PATTERN")
_DESCRIPTION = Param("--description", "Free text.", metavar="TEXT")


def create(call: Call) -> None:
    """Snapshots of volumes with what is to be kept of them, or scrubs of arrays."""
    body: JsonObject = {"name": call["name"], "action": "scrub" if call["array"] else "snapshot", **_given(call)}
    if call["skip_missed"]:
        body["missed"] = "skip"
    send(call, body)


def set_(call: Call) -> None:
    """Changes what is given."""
    body = _given(call)
    if call["enable"] and call["disable"]:
        raise Wrong("--enable and --disable exclude each other")
    if call["enable"] or call["disable"]:
        body["enabled"] = bool(call["enable"])
    if not body:
        raise Wrong("nothing to set", "lunette schedule set --help")
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
            "Creates a schedule of snapshots with their retention, or of scrubs.",
            ("schedule_create",),
            (
                Param("name", "Its name."),
                Param("--when", _WHEN, required=True),
                *_ABOUT,
                *_KEEP,
                _SNAPSHOT_NAME,
                Param("--skip-missed", "Do not make up for runs missed while the appliance was down.", flag=True),
                _DESCRIPTION,
            ),
            create,
            more="It deletes only snapshots it took itself, and none by age.",
        ),
        Command(
            "set",
            "Changes when a schedule runs, what it is about and what is kept.",
            ("schedule_patch",),
            (
                _SCHEDULE,
                Param("--when", _WHEN),
                Param("--enable", "Let it run by itself.", flag=True),
                Param("--disable", "Let it run only when it is told to.", flag=True),
                *_ABOUT,
                *_KEEP,
                _SNAPSHOT_NAME,
                _DESCRIPTION,
            ),
            set_,
        ),
        Command("run", "Runs a schedule now, whatever the clock says.", ("schedule_run",), (_SCHEDULE,)),
    ),
}
