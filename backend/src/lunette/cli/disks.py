"""`lunette disk` and `lunette engine`: what the machine has and can do, and the end of what is on a disk."""

from lunette.cli.spec import Command, Param, standard
from lunette.client.generated.enums import WIPE_METHOD

COMMANDS = {
    "disk": (
        *standard(
            "disk",
            ("id", "state", "health.state", "transport", "size_bytes", "model", "serial", "array", "occupied_by"),
        ),
        Command("locate", "Turns the locate light of the bay that a disk sits in on.", ("disk_locate",), (
            Param("disk", "Stable id of the disk.", noun="disk"),
            Param("--off", "Off again.", flag=True),
        )),
        Command("wipe", "Empties a disk that nobody uses. It cannot be taken back.", ("disk_wipe",), (
            Param("disk", "Stable id of the disk.", noun="disk"),
            Param("--method", "signatures: its data stays readable. All others: the drive erases itself.",
                  words=WIPE_METHOD, required=True),
            Param("--confirm", "Its serial.", required=True, metavar="SERIAL"),
            Param("--signature", "Signature of an array, pool or group that may be destroyed too; repeatable.",
                  field="signatures", many=True, metavar="TYPE"),
        ), destroys="disk"),
    ),
    "engine": standard("engine", ("engine", "kind", "available", "reason")),
}  # fmt: skip
