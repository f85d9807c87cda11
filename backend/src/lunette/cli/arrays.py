"""`lunette array`: each verb of the API is a verb here."""

from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
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

_ARRAY = Param("array", "Its name or id.", noun="array")
_DISK = Param("disk", "Stable id of the disk; one that is gone by the id it had.", noun="disk")
_WIPE = Param("--wipe", "What the new disk carries may be destroyed.", flag=True)
_PASSPHRASE = Param("--passphrase-file", "File with the passphrase it has; - is standard input.", file=True)
_PACE = "per second and disk, such as 50MiB; `kernel` leaves it to the kernel."
_PACES = (
    Param("--sync-speed-min", f"Least pace of resync and rebuild, {_PACE}", field="sync_speed_min_bytes_s"),
    Param("--sync-speed-max", f"Highest pace of resync and rebuild, {_PACE}", field="sync_speed_max_bytes_s"),
)
_TUNING = "`automatic` takes what suits the machine."
_TUNINGS = (
    Param("--group-threads", f"Threads per NUMA node that compute parity; {_TUNING}", field="group_thread_cnt"),
    Param("--stripe-cache", f"Stripes in the cache of a parity array; {_TUNING}", field="stripe_cache_size"),
    Param("--skip-copy", f"Write whole pages of a parity array without a copy: on or off; {_TUNING}"),
    Param("--scheduler", f"I/O scheduler of the member disks: {' or '.join(SCHEDULER)}; {_TUNING}"),
)
_TUNING_COLUMNS = ("name", "value", "automatic", "observed", "why")
ROLES = ("log", "cache", "special")
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


def add_spares(call: Call) -> None:
    disks = call["disk"]
    send(call, {"disks": disks, "wipe": disks if call["wipe"] else []})


def add_disks(call: Call) -> None:
    disks = call["disk"]
    send(call, {"role": call["role"], "disks": disks, "wipe": disks if call["wipe"] else []})


def reshape(call: Call) -> None:
    send(call, body_of(call) | {"wipe": call["disk"] if call["wipe"] else []})


def replace(call: Call) -> None:
    send(call, {"disk": call["disk"], "new": call["new"], "wipe": [call["new"]] if call["wipe"] else []})


def set_(call: Call) -> None:
    body = body_of(call)
    if not body:
        raise Wrong("nothing to set: give a pace, a tuning or a health command", "lunette array set --help")
    for field in ("health_command", "spare_group"):
        if body.get(field) == "none":
            body[field] = None
    if body.get("write_mostly") == ["none"]:
        body["write_mostly"] = None
    send(call, {field: None if value in ("kernel", "automatic") else value for field, value in body.items()})


def create(call: Call) -> None:
    body = body_of(call)
    if "encryption" in body and "passphrase" not in body:
        body["passphrase"] = call.secret("passphrase_file", f"Passphrase of array {call['name']}", twice=True)
    send(call, body)


def unlock(call: Call) -> None:
    send(call, {"passphrase": call.secret("passphrase_file", f"Passphrase of array {call['array']}")})


def change_key(call: Call) -> None:
    if call["keep_key"] and call["no_keep_key"]:
        raise Wrong("--keep-key and --no-keep-key exclude each other")
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
        *standard("array", ("name", "engine", "level", "state", "health", "usable_bytes", "free_bytes"), destroys=True),
        Command(
            "create",
            "Creates an array of disks.",
            ("array_create",),
            (
                Param("name", "Its name."),
                Param(
                    "--level",
                    "raid0 to raid10 with md; raid1, 5, 6, 10 with lvm; stripe to draid3, raid10 with zfs; external.",
                    words=LEVEL,
                    required=True,
                ),
                Param(
                    "--disk",
                    "Stable disk id; repeat for each disk.",
                    field="disks",
                    noun="disk",
                    many=True,
                    required=True,
                ),
                Param(
                    "--write-mostly",
                    "raid1: disk that is read only if no other holds the data; repeatable.",
                    noun="disk",
                    many=True,
                ),
                Param("--spare", "Disk that stands by; repeatable.", field="spares", noun="disk", many=True),
                Param(
                    "--log",
                    "Pools: disk that takes synchronous writes first; two are mirrored.",
                    noun="disk",
                    many=True,
                ),
                Param(
                    "--cache",
                    "Pools: disk that keeps copies of what is read often; repeatable.",
                    noun="disk",
                    many=True,
                ),
                Param(
                    "--special",
                    "Pools: disk for the metadata; several are one mirror, as redundant as the data disks.",
                    noun="disk",
                    many=True,
                ),
                Param(
                    "--group-data-disks",
                    "draid: data disks of each group; what suits volumes if not given.",
                    number=True,
                ),
                Param(
                    "--distributed-spares",
                    "draid: spares that lie on all disks; one for each 20 disks if not given.",
                    number=True,
                ),
                Param("--engine", "Array engine.", words=ARRAY_ENGINE, default="md"),
                Param("--chunk", "Stripe unit, such as 64KiB.", field="chunk_bytes", metavar="SIZE"),
                Param(
                    "--layout",
                    "Where the copies of a raid10 lie: n (near), f (far) or o (offset), and how many.",
                    words=RAID10_LAYOUT,
                ),
                Param(
                    "--write-hole", "How the write hole is closed; what suits the level if not given.", words=WRITE_HOLE
                ),
                Param("--wipe", "Disk whose signatures may be destroyed; repeatable.", noun="disk", many=True),
                Param("--spare-group", "md: arrays of one group lend each other their spares."),
                Param("--health-command", "External arrays: the command that tells their health, by its name."),
                Param(
                    "--integrity", "lvm: checksums of each disk's copy, by which wrong blocks are repaired.", flag=True
                ),
                Param("--encryption", "Encrypts everything on it; asks for a passphrase.", words=ENCRYPTION),
                Param(
                    "--passphrase-file", "File with the passphrase; - is standard input.", field="passphrase", file=True
                ),
                Param("--keep-key", "The appliance keeps a key too, and unlocks the array at every start.", flag=True),
                *_PACES,
            ),
            create,
        ),
        Command(
            "unlock",
            "Unlocks an encrypted array that waits for its key; asks for the passphrase.",
            ("array_unlock",),
            (_ARRAY, _PASSPHRASE),
            unlock,
        ),
        Command(
            "change-key",
            "Changes the passphrase of an encrypted array, or who keeps a key.",
            ("array_change_key",),
            (
                _ARRAY,
                _PASSPHRASE,
                Param("--new-passphrase-file", "File with the new one; - is standard input.", file=True),
                Param("--keep-old", "The passphrase it has opens it as well from now on, for recovery.", flag=True),
                Param("--keep-key", "The appliance keeps a key and unlocks the array at every start.", flag=True),
                Param("--no-keep-key", "The appliance keeps no key any more.", flag=True),
            ),
            change_key,
        ),
        Command(
            "set",
            "Sets the pace of resync, rebuild and scrub, the tuning, and the health command.",
            ("array_patch",),
            (
                _ARRAY,
                *_PACES,
                *_TUNINGS,
                Param(
                    "--write-mostly",
                    "raid1: disk that is read only if no other holds the data, and no other than "
                    "those named; repeatable; `none` takes it from all.",
                    noun="disk",
                    many=True,
                ),
                Param("--spare-group", "md: arrays of one group lend each other their spares; `none` ends that."),
                Param("--health-command", "External arrays: what tells their health; `none` takes it away."),
            ),
            set_,
        ),
        Command("tuning", "Shows how an array is tuned, and why.", ("array_show",), (_ARRAY,), tuning),
        Command(
            "layouts",
            "Shows every level of every engine that is possible with these disks.",
            ("layout_list",),
            (
                Param("--disk", "Stable disk id; repeat for each disk.", noun="disk", many=True, required=True),
                Param("--block", "Block size of volumes the ZFS figures are for, in bytes.", number=True),
            ),
            layouts,
        ),
        Command(
            "add-spares",
            "Adds disks that stand by, or are filled at once if the array has lost one.",
            ("array_add_spares",),
            (_ARRAY, Param("disk", "Stable ids of the disks.", noun="disk", many=True), _WIPE),
            add_spares,
        ),
        Command(
            "add-disks",
            "Adds log, cache or special disks to a pool.",
            ("array_add_disks",),
            (
                _ARRAY,
                Param("disk", "Stable ids of the disks.", noun="disk", many=True),
                Param("--role", "What they are for.", words=ROLES, required=True),
                _WIPE,
            ),
            add_disks,
        ),
        Command(
            "grow",
            "Makes disks into members: more room, or of a mirror more copies.",
            ("array_grow",),
            (_ARRAY, Param("disk", "Stable ids of the disks.", noun="disk", many=True), _WIPE),
            add_spares,
        ),
        Command(
            "reshape",
            "Makes a raid5 a raid6 with one disk more.",
            ("array_reshape",),
            (
                _ARRAY,
                Param("--level", "What it is to become: raid6.", words=LEVEL, required=True),
                Param(
                    "--disk",
                    "Stable id of the disk for the new level; a spare is taken if none is named.",
                    field="disks",
                    noun="disk",
                    many=True,
                ),
                _WIPE,
            ),
            reshape,
        ),
        Command(
            "replace",
            "Puts another disk in the place of one that works, is faulty, or is gone.",
            ("array_replace",),
            (_ARRAY, _DISK, Param("new", "Stable id of the disk that comes instead.", noun="disk"), _WIPE),
            replace,
        ),
        Command("fail", "Gives a member up that is not to be trusted any more.", ("array_fail",), (_ARRAY, _DISK)),
        Command(
            "remove",
            "Lets go of a spare, a log or cache disk, a faulty disk, or one gone.",
            ("array_remove",),
            (_ARRAY, _DISK),
        ),
        Command("readd", "Takes back a member that was gone or faulty.", ("array_readd",), (_ARRAY, _DISK)),
        Command(
            "force-start",
            "Starts an array that is dirty and degraded; blocks of the lost disk can be wrong.",
            ("array_force_start",),
            (_ARRAY, Param("--confirm", "Its name.", required=True, metavar="NAME")),
        ),
        Command(
            "release",
            "Lets go of an array: it stays on its disks with its data, and is Lunette's no more.",
            ("array_release",),
            (_ARRAY, Param("--confirm", "Its name.", required=True, metavar="NAME")),
        ),
        Command(
            "forget",
            "Forgets an array that is lost for good, with its volumes, snapshots and mappings.",
            ("array_forget",),
            (_ARRAY, Param("--confirm", "Its name.", required=True, metavar="NAME")),
        ),
        Command(
            "scrub",
            "Reads and compares everything, or stops that.",
            ("array_scrub",),
            (_ARRAY, Param("--action", "What to do.", words=SCRUB_ACTION, default="check")),
        ),
    ),
}
