"""`lunette disk` and `lunette engine`: what the machine has and can do, and the end of what is on a disk."""

from typing import cast

from lunette.cli.call import Call
from lunette.cli.spec import Command, Param, standard
from lunette.client import JsonObject
from lunette.client.generated.enums import WIPE_METHOD

_TOLD = (
    "used_percent",
    "available_spare_percent",
    "media_errors",
    "reallocated_sectors",
    "pending_sectors",
    "uncorrectable_sectors",
    "grown_defects",
    "interface_errors",
    "error_log_entries",
    "unsafe_shutdowns",
    "power_on_hours",
)


def history(call: Call) -> None:
    """A line a day, with the values that this drive gives."""
    days = cast("list[JsonObject]", call.client.disk_history(call["disk"])["days"])
    given = [f"values.{name}" for name in _TOLD if any(day["values"][name] is not None for day in days)]
    call.show(days, lambda found: call.screen.table(found, ["day", "state", "hottest_c", *given]))


COMMANDS = {
    "disk": (
        *standard(
            "disk",
            ("id", "state", "health.state", "transport", "size_bytes", "model", "serial", "array", "occupied_by"),
        ),
        Command(
            "history",
            "Tells what a drive said of its health, day by day.",
            ("disk_history",),
            (Param("disk", "Its stable id or serial.", noun="disk"),),
            history,
        ),
        Command(
            "locate",
            "Turns the locate light of the bay that a disk sits in on.",
            ("disk_locate",),
            (
                Param("disk", "Stable id of the disk.", noun="disk"),
                Param("--off", "Off again.", flag=True),
            ),
        ),
        Command(
            "wipe",
            "Empties a disk that nobody uses. It cannot be taken back.",
            ("disk_wipe",),
            (
                Param("disk", "Stable id of the disk.", noun="disk"),
                Param(
                    "--method",
                    "signatures: its data stays readable. All others: the drive erases itself.",
                    words=WIPE_METHOD,
                    required=True,
                ),
                Param("--confirm", "Its serial.", required=True, metavar="SERIAL"),
                Param(
                    "--signature",
                    "Signature of an array, pool or group that may be destroyed too; repeatable.",
                    field="signatures",
                    many=True,
                    metavar="TYPE",
                ),
            ),
            destroys="disk",
        ),
    ),
    "engine": standard("engine", ("engine", "kind", "available", "reason")),
}
