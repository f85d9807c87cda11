"""`lunette mapping` and `lunette session`: which hosts may use which volumes, and which hosts are logged in."""

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.running import change, list_items, send, several
from lunette.cli.spec import Command, JsonObject, Param, for_several, standard
from lunette.client.generated.enums import FAMILY

_MAPPING = Param("mapping", "ID of the mapping, or VOLUME/HOST or VOLUME/HOST-GROUP.", noun="mapping")
_LISTED = standard("mapping", ("id", "volume", "host", "host_group", "family", "lun", "state"))[0]


def create(call: Call) -> None:
    """Maps one volume to its owner, several to one owner, or several distributed over several hosts."""
    volumes, hosts = call["volume"], call["host"] or []
    if len(hosts) > 1:
        if call["lun"] is not None or call["host_group"] or call["shared"]:
            raise UsageError("--lun, --host-group and --shared cannot be used with several hosts")
        body: JsonObject = {"split": {"volumes": volumes, "hosts": hosts, "family": call["family"]}}
        send(call, body, "mapping_create_batch")
        return
    if bool(hosts) == bool(call["host_group"]):
        raise UsageError("Specify the owner with either --host or --host-group")
    owner: JsonObject = {"host": hosts[0]} if hosts else {"host_group": call["host_group"]}
    specs = [
        {"volume": one, "lun": call["lun"], "family": call["family"], "shared": call["shared"], **owner}
        for one in volumes
    ]
    if len(specs) == 1:
        send(call, specs[0])
    else:
        send(call, {"mappings": specs}, "mapping_create_batch")


def show(call: Call) -> None:
    call.show(call.client.operate("mapping_show", {"mapping": _id_of(call, call["mapping"])}))


def delete(call: Call) -> None:
    """One mapping, or several in one plan."""
    named = call["mapping"]
    ids = [_id_of(call, one) for one in named]
    if len(ids) > 1:
        several(call, ids, f"Deleted {len(ids)} mappings.")
        return
    call.values = {**call.values, "mapping": ids[0]}
    change(call, None, f"Deleted mapping {named[0]}.")


def _id_of(call: Call, named: str) -> str:
    """The ID of the mapping VOLUME/OWNER. Raises UsageError if there is none or more than one."""
    volume, slash, owner = named.partition("/")
    if not slash:
        return named
    found = [one["id"] for one in call.client.mapping_list(volume=volume) if owner in {one["host"], one["host_group"]}]
    if len(found) != 1:
        raise UsageError(f"{len(found) or 'No'} mappings match {named}; `lunette mapping list` shows all mappings")
    return found[0]


def sessions(call: Call) -> None:
    """The sessions, and the families whose sessions are unknown, with the reason."""
    list_items(call)
    for one in call.client.operate("session_list", {}, {"limit": 1})["unseen"]:
        call.screen.note(f"Not listed: {one['family']} sessions. {one['reason']}")


def disconnect(call: Call) -> None:
    """Ends a session, named by its ID or its initiator."""
    named = call["session"]
    found = [one["id"] for one in call.client.session_list() if named in {one["id"], one["initiator"]}]
    if len(found) > 1:
        raise UsageError(
            f"{named} has {len(found)} sessions: specify the ID of one of them, as `lunette session list` shows it"
        )
    call.values = {**call.values, "session": found[0] if found else named}
    change(call, None)


COMMANDS = {
    "mapping": (
        _LISTED,
        Command("show", operations=("mapping_show",), params=(_MAPPING,), run=show),
        for_several(
            Command("delete", operations=("mapping_delete",), params=(_MAPPING,), run=delete, interrupts=True),
            "mapping",
        ),
        Command(
            "create",
            "Maps volumes to a host or a host group, or splits them evenly over several hosts.",
            ("mapping_create", "mapping_create_batch"),
            (
                Param(
                    "--volume",
                    "Name or ID of a volume; repeatable.",
                    noun="volume",
                    many=True,
                    required=True,
                    also=("mappings[].volume", "split.volumes"),
                ),
                Param(
                    "--host",
                    "Name or ID of the host; repeatable, to split the volumes evenly.",
                    noun="host",
                    many=True,
                    also=("mappings[].host", "split.hosts"),
                ),
                Param(
                    "--host-group",
                    "Name or ID of the host group, instead of a host.",
                    noun="host-group",
                    also=("mappings[].host_group",),
                ),
                Param("--lun", number=True, also=("mappings[].lun",)),
                Param("--family", words=FAMILY, also=("mappings[].family", "split.family")),
                Param(
                    "--shared",
                    "Map the volumes even if they have another owner.",
                    flag=True,
                    also=("mappings[].shared",),
                ),
            ),
            create,
        ),
    ),
    "session": (
        standard(
            "session",
            (
                "id",
                "host",
                "initiator",
                "protocol",
                "target_iqn",
                "target_wwpn",
                "subsystem_nqn",
                "state",
                "commands",
                "read_bytes",
                "write_bytes",
            ),
        )[0]._replace(run=sessions),
        Command(
            "disconnect",
            "Disconnects a session.",
            ("session_disconnect",),
            (Param("session", "ID of the session, or name of its initiator."),),
            disconnect,
            interrupts=True,
            more="The host logs in again automatically while volumes are mapped to it.",
        ),
    ),
}
