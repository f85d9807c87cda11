"""`lunette volume` and `lunette snapshot`."""

from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
from lunette.cli.running import body_of, delete, send
from lunette.cli.spec import Command, Param, standard
from lunette.client.generated.enums import PROVISIONING

_VOLUME = Param("volume", "Its name or id.", noun="volume")
_DELETED_SNAPSHOT = Param("deleted_snapshot", "Its id, or its name where only one had it.", noun="deleted-snapshot")
_DELETED = Param("deleted_volume", "Its id, or its name where only one had it.", noun="deleted-volume")
_SIZE_HELP = "such as 10GiB, or short 10G; 10GB is decimal."
_DESCRIPTION = Param("--description", "Free text.", metavar="TEXT")
_COUNT = Param("--count", "Make this many, all or nothing.", number=True)
_FIRST = Param("--first", "First number of the pattern; 1 if not given.", number=True)


def create(call: Call) -> None:
    """One volume, or with --count a batch."""
    body = body_of(call)
    if call["count"] is None:
        if call["first"] is not None:
            raise Wrong("--first numbers a batch: it needs --count", "lunette volume create --help")
        send(call, body)
    else:
        send(call, {"name_pattern": body.pop("name"), **body}, "volume_create_batch")


def clone(call: Call) -> None:
    """One clone, or with --count a batch."""
    body = body_of(call)
    if call["count"] is not None:
        body["name_pattern"] = body.pop("name")
    send(call, body)


def set_(call: Call) -> None:
    body = body_of(call)
    if not body:
        raise Wrong("nothing to set: give --name or --description", f"lunette {call.values['word']} set --help")
    send(call, body)


def delete_(call: Call) -> None:
    """One volume, or several in one plan."""
    names = call["volume"]
    if len(names) == 1:
        call.values = {**call.values, "volume": names[0]}
        delete(call)
    else:
        call.values = {**call.values, "volume": f"{len(names)} volumes"}
        send(call, {"volumes": names}, "volume_delete_batch")


def roll_back(call: Call) -> None:
    """A volume becomes as it was in a snapshot."""
    body = body_of(call)
    send(call, {**body, "keep": False} if body.pop("no_keep", False) else body)


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
            with_delete=False,
        ),
        Command(
            "delete",
            "Deletes volumes; several in one plan, all or nothing.",
            ("volume_delete", "volume_delete_batch"),
            (Param("volume", "Their names or ids.", noun="volume", many=True),),
            delete_,
            destroys="volume",
            more="To delete several, the words to type (or to give with --yes-destroy) are such as '3 volumes'.",
        ),
        Command(
            "create",
            "Creates one volume, or with --count a batch.",
            ("volume_create", "volume_create_batch"),
            (
                Param("name", "Its name; with --count a pattern such as lun%02d."),
                Param("--array", "Array it is cut from.", noun="array", required=True),
                Param("--size", f"Its size, {_SIZE_HELP}", field="size_bytes", required=True),
                _COUNT,
                _FIRST,
                Param("--provisioning", "thick, or thin: it takes space only as hosts write.", words=PROVISIONING),
                _DESCRIPTION,
            ),
            create,
        ),
        Command(
            "set",
            "Renames a volume, or describes it.",
            ("volume_patch",),
            (_VOLUME, Param("--name", "Its new name; hosts do not notice.", metavar="NAME"), _DESCRIPTION),
            set_,
        ),
        Command(
            "grow",
            "Makes a volume larger while hosts use it.",
            ("volume_grow",),
            (_VOLUME, Param("size", f"Its new size, {_SIZE_HELP}", field="size_bytes")),
        ),
        Command(
            "roll-back",
            "Makes an unmapped volume as it was in a snapshot; what it holds is kept for a while.",
            ("volume_roll_back",),
            (
                _VOLUME,
                Param("--snapshot", "One of its snapshots.", noun="snapshot", required=True),
                Param("--no-keep", "Destroys what it holds now.", flag=True),
            ),
            roll_back,
            destroys="volume",
        ),
    ),
    "deleted-volume": (
        *standard(
            "deleted-volume",
            ("name", "array", "size_bytes", "held_bytes", "state", "deleted_at", "erase_at", "id"),
            with_delete=False,
        ),
        Command(
            "recover",
            "Makes it a volume again, with its data and identity, mapped to nobody.",
            ("deleted_volume_recover",),
            (_DELETED, Param("--name", "Its new name, where its own is taken.", metavar="NAME")),
        ),
        Command(
            "erase",
            "Erases it before its time: its data are lost for good.",
            ("deleted_volume_delete",),
            (_DELETED,),
            destroys="deleted_volume",
        ),
    ),
    "snapshot": (
        *standard("snapshot", ("name", "volume", "size_bytes", "state", "created_at"), destroys=True),
        Command(
            "create",
            "Takes a snapshot of a volume, or one of each of several.",
            ("snapshot_create", "snapshot_create_batch"),
            (
                Param("name", "Its name; for several volumes a pattern such as '{volume}.{date}'."),
                Param("--volume", "Volume it is taken of; repeatable.", noun="volume", many=True, required=True),
                Param("--atomic", "All at one moment, or none: the volumes are on one ZFS pool.", flag=True),
                _DESCRIPTION,
            ),
            snapshot,
        ),
        Command(
            "clone",
            "Makes one or many writable volumes of a snapshot.",
            ("snapshot_clone",),
            (
                Param("snapshot", "Its name or id.", noun="snapshot"),
                Param("name", "Name of the new volume; with --count a pattern such as vm%02d."),
                _COUNT,
                _FIRST,
                _DESCRIPTION,
            ),
            clone,
        ),
    ),
    "deleted-snapshot": (
        *standard(
            "deleted-snapshot",
            ("name", "volume", "volume_deleted", "size_bytes", "state", "deleted_at", "erase_at", "id"),
            with_delete=False,
        ),
        Command(
            "recover",
            "Makes it a snapshot of its volume again.",
            ("deleted_snapshot_recover",),
            (_DELETED_SNAPSHOT, Param("--name", "Its new name, where its own is taken.", metavar="NAME")),
        ),
        Command(
            "erase",
            "Erases it before its time: what it alone holds is lost for good.",
            ("deleted_snapshot_delete",),
            (_DELETED_SNAPSHOT,),
            destroys="deleted_snapshot",
        ),
    ),
}
