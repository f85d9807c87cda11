"""`lunette volume` and `lunette snapshot`."""

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.running import body_of, send, several
from lunette.cli.spec import Command, Param, for_several, standard
from lunette.client.generated.enums import PROVISIONING

_VOLUME = Param("volume", "Name or ID of the volume.", noun="volume")
_DELETED_SNAPSHOT = Param(
    "deleted_snapshot", "ID of the deleted snapshot, or its name if the name is unique.", noun="deleted-snapshot"
)
_DELETED = Param(
    "deleted_volume", "ID of the deleted volume, or its name if the name is unique.", noun="deleted-volume"
)
_SIZE_HELP = "such as 10GiB, or 10G for short; 10GB is decimal."
_DESCRIPTION = Param("--description", "Free-text description.", metavar="TEXT")
_COUNT = Param("--count", "Number of volumes to create, all or none.", number=True)
_FIRST = Param("--first", "Number in the name of the first volume. Default: 1.", number=True)


def create(call: Call) -> None:
    """One volume, or with --count a batch."""
    body = body_of(call)
    _check_first(call, "volume create")
    if call["count"] is None:
        send(call, body)
    else:
        send(call, {"name_pattern": body.pop("name"), **body}, "volume_create_batch")


def clone(call: Call) -> None:
    """One clone, or with --count a batch."""
    body = body_of(call)
    _check_first(call, "snapshot clone")
    if call["count"] is not None:
        body["name_pattern"] = body.pop("name")
    send(call, body)


def _check_first(call: Call, words: str) -> None:
    if call["first"] is not None and call["count"] is None:
        raise UsageError("--first requires --count", f"lunette {words} --help")


def recover(call: Call) -> None:
    """One deleted object, or several in one plan."""
    (noun,) = call.command.operation.parameters
    named = call[noun]
    if len(named) > 1 and call["name"] is not None:
        raise UsageError(f"--name cannot be used with several {noun.replace('_', ' ')}s")
    if len(named) > 1:
        several(call, named)
        return
    call.values = {**call.values, noun: named[0]}
    send(call, body_of(call))


def snapshot(call: Call) -> None:
    """One snapshot, or one of each volume."""
    body = body_of(call)
    volumes = body.pop("volume")
    atomic = {"atomic": True} if body.pop("atomic", False) else {}
    if len(volumes) == 1 and "{" not in body["name"]:
        send(call, {**body, "volume": volumes[0]})
    else:
        send(call, {**body, **atomic, "volumes": volumes}, "snapshot_create_batch")


COMMANDS = {
    "volume": (
        *standard(
            "volume",
            ("name", "array", "size_bytes", "provisioning", "state", "export.state", "mapped_to", "naa"),
            destroys=True,
            more="A volume must have no mappings and no snapshots, unless --cascade is given.",
        ),
        Command(
            "create",
            "Creates a volume, or with --count several.",
            ("volume_create", "volume_create_batch"),
            (
                Param("name", "Name of the volume; with --count, a pattern such as lun%02d.", also=("name_pattern",)),
                Param("--array", noun="array", required=True),
                Param("--size", f"Size of the volume, {_SIZE_HELP}", field="size_bytes", required=True),
                _COUNT,
                _FIRST,
                Param("--provisioning", words=PROVISIONING),
                _DESCRIPTION,
            ),
            create,
        ),
        Command(
            "set",
            operations=("volume_patch",),
            params=(_VOLUME, Param("--name", "New name, which does not affect hosts.", metavar="NAME"), _DESCRIPTION),
        ),
        Command(
            "grow",
            operations=("volume_grow",),
            params=(_VOLUME, Param("size", f"New size of the volume, {_SIZE_HELP}", field="size_bytes")),
        ),
        Command(
            "roll-back",
            operations=("volume_roll_back",),
            params=(
                _VOLUME,
                Param("--snapshot", noun="snapshot", required=True),
                Param("--no-keep", "Destroy the present data of the volume.", field="keep", flag=True, sets=False),
                Param("--delete-newer-snapshots", "Erase newer snapshots that prevent the rollback.", flag=True),
            ),
            destroys="volume",
            more="The volume must have no mappings. Its present data is retained as a deleted volume, unless --no-keep "
            "is used or the setting deleted-keep-hours is 0.",
        ),
    ),
    "deleted-volume": (
        *standard(
            "deleted-volume",
            ("name", "array", "size_bytes", "held_bytes", "state", "deleted_at", "erase_at", "id"),
            with_delete=False,
        ),
        for_several(
            Command(
                "recover",
                operations=("deleted_volume_recover",),
                params=(
                    _DELETED,
                    Param("--name", "New name, needed if another volume has the former name.", metavar="NAME"),
                ),
                more="The recovered volume has no mappings.",
                run=recover,
            ),
            "deleted-volume",
        ),
        for_several(
            Command(
                "erase",
                operations=("deleted_volume_delete",),
                params=(_DELETED,),
                destroys="deleted_volume",
                more="The data of the volume is destroyed.",
            ),
            "deleted-volume",
        ),
    ),
    "snapshot": (
        *standard("snapshot", ("name", "volume", "size_bytes", "state", "created_at"), destroys=True),
        Command(
            "create",
            "Creates a snapshot of a volume, or of each of several volumes.",
            ("snapshot_create", "snapshot_create_batch"),
            (
                Param("name", "Name of the snapshot; for several volumes, a pattern such as '{volume}.{date}'."),
                Param(
                    "--volume",
                    "Name or ID of the volume; repeatable.",
                    noun="volume",
                    many=True,
                    required=True,
                    also=("volumes",),
                ),
                Param(
                    "--atomic", "Take all snapshots at the same moment. All volumes must be on one ZFS pool.", flag=True
                ),
                _DESCRIPTION,
            ),
            snapshot,
        ),
        Command(
            "clone",
            operations=("snapshot_clone",),
            params=(
                Param("snapshot", "Name or ID of the snapshot.", noun="snapshot"),
                Param(
                    "name", "Name of the new volume; with --count, a pattern such as vm%02d.", also=("name_pattern",)
                ),
                _COUNT,
                _FIRST,
                _DESCRIPTION,
            ),
            run=clone,
        ),
    ),
    "deleted-snapshot": (
        *standard(
            "deleted-snapshot",
            ("name", "volume", "volume_deleted", "size_bytes", "state", "deleted_at", "erase_at", "id"),
            with_delete=False,
        ),
        for_several(
            Command(
                "recover",
                operations=("deleted_snapshot_recover",),
                params=(
                    _DELETED_SNAPSHOT,
                    Param("--name", "New name, needed if another snapshot has the former name.", metavar="NAME"),
                ),
                run=recover,
            ),
            "deleted-snapshot",
        ),
        for_several(
            Command(
                "erase",
                operations=("deleted_snapshot_delete",),
                params=(_DELETED_SNAPSHOT,),
                destroys="deleted_snapshot",
                more="Data that only this snapshot contains is destroyed.",
            ),
            "deleted-snapshot",
        ),
    ),
}
