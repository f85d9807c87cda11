"""`lunette array`: each verb of the API is a verb here."""

from typing import cast

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.running import body_of, send
from lunette.cli.spec import Command, JsonObject, Param, standard
from lunette.client.generated.enums import (
    ARRAY_ENGINE,
    ENCRYPTION,
    LEVEL,
    RAID10_LAYOUT,
    SCHEDULER,
    SCRUB_ACTION,
    WRITE_HOLE,
)
from lunette.domain.units import format_size

_ARRAY = Param("array", "Name or ID of the array.", noun="array")
_DISK = Param("disk", noun="disk")
_NEW_DISKS = Param("disk", "IDs of the disks to add.", field="disks", noun="disk", many=True)
_CONFIRM = Param("--confirm", required=True, metavar="NAME")
_WIPE = Param("--wipe", "Allow wiping the new disks, which destroys their data.", flag=True, repeats="disk")
_PASSPHRASE = Param(
    "--passphrase-file",
    "File with the current passphrase, - for standard input; prompts if omitted.",
    field="passphrase",
    file=True,
)
_OF_SYNC = "speed of a resync, rebuild or scrub per second and disk, such as 50MiB"
_SPEEDS = (
    Param("--sync-speed-min", f"MD RAID only: minimum {_OF_SYNC}.", field="sync_speed_min_bytes_s", metavar="SIZE"),
    Param("--sync-speed-max", f"MD RAID only: maximum {_OF_SYNC}.", field="sync_speed_max_bytes_s", metavar="SIZE"),
)
_NEW_SPEEDS = tuple(
    speed._replace(help=f"{speed.help[:-1]}; `kernel` for its default.", null="kernel") for speed in _SPEEDS
)
_AUTOMATIC = "automatic"
_TUNINGS = (
    Param(
        "--group-threads",
        "Threads per NUMA node that compute parity, or `automatic`.",
        field="group_thread_cnt",
        null=_AUTOMATIC,
    ),
    Param(
        "--stripe-cache",
        "Stripes in the cache of a RAID 4, 5 or 6, or `automatic`.",
        field="stripe_cache_size",
        null=_AUTOMATIC,
    ),
    Param(
        "--skip-copy",
        "Whether a RAID 4, 5 or 6 writes full pages without a copy: on, off or `automatic`.",
        null=_AUTOMATIC,
    ),
    Param(
        "--scheduler",
        f"I/O scheduler of the member disks: {', '.join(SCHEDULER)} or `automatic`.",
        null=_AUTOMATIC,
    ),
)
ROLES = ("log", "cache", "special")
_LISTED = ("name", "engine", "level", "state", "health", "usable_bytes", "used_bytes", "free_bytes")
_LAYOUT_COLUMNS = (
    "engine",
    "level",
    "layout",
    "usable_bytes",
    "usable_percent",
    "integrity_usable_bytes",
    "survives_disks",
    "small_write_ios",
    "min_rebuild_s",
    "write_hole",
    "problem",
)


def capacity(call: Call) -> None:
    """The trend, then a line a day."""
    found = call.client.array_capacity(call["array"])

    def view(found: JsonObject) -> None:
        growth = found["bytes_per_day"]
        call.screen.line(f"trend: {found['trend']}", "bold")
        call.screen.line(f"growth: {'-' if growth is None else format_size(growth)} per day")
        call.screen.line(f"full on: {found['full_on'] or '-'}")
        call.screen.line()
        call.screen.table(found["days"], ("day", "used_bytes", "usable_bytes"))

    call.show(cast("JsonObject", found), view)


def create(call: Call) -> None:
    body = body_of(call)
    if "encryption" in body and "passphrase" not in body:
        body["passphrase"] = call.secret("passphrase_file", f"Passphrase of array {call['name']}", twice=True)
    send(call, body)


def unlock(call: Call) -> None:
    send(call, {"passphrase": call.secret("passphrase_file", f"Passphrase of array {call['array']}")})


def change_key(call: Call) -> None:
    if call["keep_key"] and call["no_keep_key"]:
        raise UsageError("--keep-key and --no-keep-key are mutually exclusive")
    body: JsonObject = {"passphrase": call.secret("passphrase_file", f"Passphrase of array {call['array']}")}
    keep = True if call["keep_key"] else False if call["no_keep_key"] else None
    if keep is not None:
        body["keep_key"] = keep
    if call["new_passphrase_file"] is not None or keep is None:
        body["new_passphrase"] = call.secret("new_passphrase_file", "New passphrase", twice=True)
        body["keep_old"] = bool(call["keep_old"])
    send(call, body)


def tuning(call: Call) -> None:
    array = call.client.operate("array_show", {"array": call["array"]})
    call.show(
        array["tuning"], lambda items: call.screen.table(items, ("name", "value", "automatic", "observed", "why"))
    )


def layouts(call: Call) -> None:
    query = {"disks": call["disk"], "block_bytes": call["block"]}
    call.show(call.client.operate("layout_list", {}, query), lambda found: _print_layouts(call, found))


def _print_layouts(call: Call, found: JsonObject) -> None:
    call.screen.table(found["layouts"], _LAYOUT_COLUMNS)
    for one in found["layouts"]:
        for warning in one["warnings"]:
            call.screen.note(f"{one['engine']} {one['level']}: {warning}", "yellow")
    for disk in found["disks"]:
        if disk["problem"]:
            call.screen.note(f"disk {disk['id']}: {disk['problem']}", "yellow")


COMMANDS = {
    "array": (
        *standard("array", _LISTED, destroys=True),
        Command(
            "create",
            operations=("array_create",),
            params=(
                Param("name"),
                Param(
                    "--level",
                    "Level: raid0 to raid10 (md), raid1, 5, 6, 10 (lvm), stripe to draid3, raid10 (zfs), external.",
                    words=LEVEL,
                    required=True,
                ),
                Param(
                    "--disk",
                    "ID of a data disk; repeatable.",
                    field="disks",
                    noun="disk",
                    many=True,
                    required=True,
                ),
                Param(
                    "--write-mostly",
                    "MD RAID `raid1` only: disk to read only if no other disk has the data; repeatable.",
                    noun="disk",
                    many=True,
                ),
                Param(
                    "--spare",
                    "MD RAID and ZFS: spare, which replaces a failed disk automatically; repeatable.",
                    field="spares",
                    noun="disk",
                    many=True,
                ),
                Param(
                    "--log",
                    "ZFS pools only: disk that receives synchronous writes first; several form a mirror.",
                    noun="disk",
                    many=True,
                ),
                Param(
                    "--cache",
                    "ZFS pools only: disk that stores copies of frequently read data; repeatable.",
                    noun="disk",
                    many=True,
                ),
                Param(
                    "--special",
                    "ZFS pools only: disk for the metadata; several form a mirror, as redundant as the data disks.",
                    noun="disk",
                    many=True,
                ),
                Param(
                    "--group-data-disks",
                    "dRAID only: data disks of each group; by default, the number that suits volumes.",
                    number=True,
                ),
                Param("--distributed-spares", number=True),
                Param("--engine", words=ARRAY_ENGINE, default="md"),
                Param(
                    "--chunk",
                    "MD RAID and LVM RAID, except `raid1`: chunk size. Default: 64KiB.",
                    field="chunk_bytes",
                    metavar="SIZE",
                ),
                Param(
                    "--layout",
                    "MD RAID `raid10` only: near (n), far (f) or offset (o) copies, and their number. Default: n2.",
                    words=RAID10_LAYOUT,
                ),
                Param(
                    "--write-hole",
                    "Protection against the write hole; by default, the one that suits the level.",
                    words=WRITE_HOLE,
                ),
                Param("--wipe", "Disk that may be wiped, which destroys its data; repeatable.", noun="disk", many=True),
                Param("--spare-group", metavar="NAME"),
                Param("--health-command", metavar="NAME"),
                Param(
                    "--integrity",
                    "LVM RAID only: add checksums to every disk, with which corrupt blocks are repaired.",
                    flag=True,
                ),
                Param(
                    "--encryption",
                    "MD RAID only: encrypt all data on the array with this method.",
                    words=ENCRYPTION,
                ),
                Param(
                    "--passphrase-file",
                    "File with the passphrase, - for standard input; prompts if needed.",
                    field="passphrase",
                    file=True,
                ),
                Param("--keep-key", "Store a key on the appliance, which unlocks the array at every start.", flag=True),
                *_SPEEDS,
            ),
            run=create,
        ),
        Command(
            "unlock",
            operations=("array_unlock",),
            params=(_ARRAY, _PASSPHRASE),
            run=unlock,
        ),
        Command(
            "change-key",
            operations=("array_change_key",),
            params=(
                _ARRAY,
                _PASSPHRASE,
                Param(
                    "--new-passphrase-file",
                    "File with the new passphrase, - for standard input; prompts if needed.",
                    field="new_passphrase",
                    file=True,
                ),
                Param("--keep-old", "Leave the current passphrase valid as a second one, for recovery.", flag=True),
                Param("--keep-key", "Store a key on the appliance, which unlocks the array at every start.", flag=True),
                Param(
                    "--no-keep-key",
                    "Delete the key on the appliance, so that only the passphrase unlocks the array.",
                    field="keep_key",
                    flag=True,
                    sets=False,
                ),
            ),
            run=change_key,
        ),
        Command(
            "set",
            operations=("array_patch",),
            params=(
                _ARRAY,
                *_NEW_SPEEDS,
                *_TUNINGS,
                Param(
                    "--write-mostly",
                    "MD RAID `raid1` only: all disks to read only if no other has the data, or `none`; repeatable.",
                    noun="disk",
                    many=True,
                    null="none",
                ),
                Param(
                    "--spare-group",
                    "MD RAID only: spare group, whose arrays share their spares; `none` removes the array from it.",
                    null="none",
                ),
                Param(
                    "--health-command",
                    "External arrays only: name of the command that reports the health, or `none`.",
                    null="none",
                ),
            ),
        ),
        Command(
            "tuning", "Shows the tuning values of an array, each with its reason.", ("array_show",), (_ARRAY,), tuning
        ),
        Command(
            "layouts",
            operations=("layout_list",),
            params=(
                Param("--disk", "ID of a disk; repeatable.", noun="disk", many=True, required=True),
                Param("--block", field="block_bytes", number=True),
            ),
            run=layouts,
        ),
        Command("capacity", operations=("array_capacity",), params=(_ARRAY,), run=capacity),
        Command(
            "add-spares",
            operations=("array_add_spares",),
            params=(_ARRAY, _NEW_DISKS, _WIPE),
            more="On a degraded array, the rebuild onto the first spare starts immediately.",
        ),
        Command(
            "add-disks",
            operations=("array_add_disks",),
            params=(_ARRAY, _NEW_DISKS, Param("--role", words=ROLES, required=True), _WIPE),
        ),
        Command(
            "grow",
            operations=("array_grow",),
            params=(_ARRAY, _NEW_DISKS, _WIPE),
            more="A mirror gains copies; any other level gains capacity.",
        ),
        Command(
            "reshape",
            operations=("array_reshape",),
            params=(
                _ARRAY,
                Param("--level", "New level of the array: raid6.", words=LEVEL, required=True),
                Param(
                    "--disk",
                    "ID of the additional disk; by default, a spare of the array.",
                    field="disks",
                    noun="disk",
                    many=True,
                ),
                _WIPE,
            ),
        ),
        Command(
            "replace",
            operations=("array_replace",),
            params=(_ARRAY, _DISK, Param("new", noun="disk"), _WIPE._replace(repeats="new")),
        ),
        Command("fail", operations=("array_fail",), params=(_ARRAY, _DISK)),
        Command("remove", operations=("array_remove",), params=(_ARRAY, _DISK)),
        Command("readd", operations=("array_readd",), params=(_ARRAY, _DISK)),
        Command("force-start", operations=("array_force_start",), params=(_ARRAY, _CONFIRM)),
        Command("release", operations=("array_release",), params=(_ARRAY, _CONFIRM)),
        Command("forget", operations=("array_forget",), params=(_ARRAY, _CONFIRM)),
        Command(
            "scrub",
            operations=("array_scrub",),
            params=(_ARRAY, Param("--action", words=SCRUB_ACTION, default="check")),
        ),
    ),
}
