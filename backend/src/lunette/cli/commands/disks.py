"""`lunette disk` and `lunette engine`: the disks of the machine, and the abilities of its engines."""

from typing import cast

from lunette.cli.call import Call
from lunette.cli.spec import Command, Param, standard
from lunette.client import JsonObject
from lunette.client.generated.enums import WIPE_METHOD

_DISK = Param("disk", "ID or serial number of the disk.", noun="disk")
_REPORTED = (
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
    """One line per day, with the values that this drive reports."""
    days = cast("list[JsonObject]", call.client.disk_history(call["disk"])["days"])
    given = [f"values.{name}" for name in _REPORTED if any(day["values"][name] is not None for day in days)]
    call.show(days, lambda found: call.screen.table(found, ["day", "state", "hottest_c", *given]))


COMMANDS = {
    "disk": (
        *standard(
            "disk",
            ("id", "state", "health.state", "transport", "size_bytes", "model", "serial", "array", "occupied_by"),
        ),
        Command(
            "history",
            operations=("disk_history",),
            params=(_DISK,),
            run=history,
        ),
        Command(
            "locate",
            operations=("disk_locate",),
            params=(_DISK, Param("--off", "Switch the LED off.", flag=True)),
        ),
        Command(
            "wipe",
            operations=("disk_wipe",),
            params=(
                _DISK,
                Param(
                    "--method",
                    "With `signatures`, data stays readable; with other methods, the drive erases itself.",
                    words=WIPE_METHOD,
                    required=True,
                ),
                Param("--confirm", required=True, metavar="SERIAL"),
                Param(
                    "--signature",
                    "Type of signature to destroy although it belongs to an array, pool or group; repeatable.",
                    field="signatures",
                    many=True,
                    metavar="TYPE",
                ),
            ),
            destroys="disk",
            more="This cannot be undone.",
        ),
    ),
    "engine": standard("engine", ("engine", "kind", "available", "reason")),
}
