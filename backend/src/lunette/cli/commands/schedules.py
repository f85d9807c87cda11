"""`lunette schedule`."""

from typing import cast

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.running import body_of, changes_of, send
from lunette.cli.spec import Command, JsonObject, Param, standard

_SCHEDULE = Param("schedule", "Name or ID of the schedule.", noun="schedule")
_WHEN = "Cron expression, such as '0 3 * * *' for 3:00 every day, in the appliance's time zone."
_ABOUT = (
    Param("--volume", "Volume to take snapshots of; repeatable.", field="volumes", noun="volume", many=True),
    Param("--array", "Array to scrub; repeatable.", field="arrays", noun="array", many=True),
)
_KEEP = (
    Param("--keep-last", "Number of most recent snapshots to retain for each volume.", field="keep.last", number=True),
    *(
        Param(
            f"--keep-{span}",
            f"Number of {span} snapshots to retain: the newest of each {unit}.",
            field=f"keep.{span}",
            number=True,
        )
        for span, unit in (("hourly", "hour"), ("daily", "day"), ("weekly", "week"), ("monthly", "month"))
    ),
)
_SNAPSHOT_NAME = Param("--snapshot-name", metavar="PATTERN")
_DESCRIPTION = Param("--description", "Free-text description.", metavar="TEXT")
_DISABLE = Param("--disable", "Run the schedule only manually.", field="enabled", flag=True, sets=False)
_SKIP_MISSED = Param(
    "--skip-missed",
    "Skip runs that were missed while the appliance was down.",
    field="missed",
    flag=True,
    sets="skip",
)


def create(call: Call) -> None:
    """Snapshots of volumes with their retention, or scrubs of arrays."""
    send(call, {"action": "scrub" if call["array"] else "snapshot", **body_of(call)})


def set_(call: Call) -> None:
    """Changes the given fields."""
    for one, other in (("enable", "disable"), ("run_missed", "skip_missed")):
        if call[one] and call[other]:
            options = " and ".join(f"--{key.replace('_', '-')}" for key in (one, other))
            raise UsageError(f"{options} are mutually exclusive")
    send(call, changes_of(call))


def preview(call: Call) -> None:
    """One line for each time."""
    found = call.client.schedule_preview(when=call["when"])

    def view(found: JsonObject) -> None:
        for run in found["next_runs"]:
            call.screen.line(run)

    call.show(cast("JsonObject", found), view)


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
                _SKIP_MISSED,
                _DISABLE,
                _DESCRIPTION,
            ),
            run=create,
            follows=("action",),
            more="A schedule deletes only snapshots that it took itself, and none because of age.",
        ),
        Command(
            "set",
            operations=("schedule_patch",),
            params=(
                _SCHEDULE,
                Param("--name", "New name.", metavar="NAME"),
                Param("--when", _WHEN),
                Param("--enable", "Run the schedule automatically.", field="enabled", flag=True),
                _DISABLE,
                Param(
                    "--run-missed",
                    "Run once at the next start if runs were missed.",
                    field="missed",
                    flag=True,
                    sets="run_once",
                ),
                _SKIP_MISSED,
                *_ABOUT,
                *_KEEP,
                _SNAPSHOT_NAME,
                _DESCRIPTION,
            ),
            run=set_,
        ),
        Command("preview", operations=("schedule_preview",), params=(Param("when", _WHEN),), run=preview),
        Command("run", operations=("schedule_run",), params=(_SCHEDULE,)),
    ),
}
