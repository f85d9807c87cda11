"""`lunette mapping` and `lunette session`: who may use what, and who does."""

from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
from lunette.cli.running import change, list_items, send
from lunette.cli.spec import Command, JsonObject, Param, standard
from lunette.client.generated.enums import FAMILY

_MAPPING = Param("mapping", "VOLUME/HOST or VOLUME/HOST-GROUP, or its id.", noun="mapping")
_LISTED = standard("mapping", ("id", "volume", "host", "host_group", "family", "lun", "state"))[0]


def create(call: Call) -> None:
    """One volume to its owner, several to one owner, or several split over several hosts."""
    volumes, hosts = call["volume"], call["host"] or []
    if len(hosts) > 1:
        if call["lun"] is not None or call["host_group"] or call["shared"]:
            raise Wrong("a split over several hosts takes no --lun, --host-group or --shared")
        body: JsonObject = {"split": {"volumes": volumes, "hosts": hosts, "family": call["family"]}}
        send(call, body, "mapping_create_batch")
        return
    if bool(hosts) == bool(call["host_group"]):
        raise Wrong("name the owner: either --host or --host-group")
    owner: JsonObject = {"host": hosts[0]} if hosts else {"host_group": call["host_group"]}
    wishes = [
        {"volume": one, "lun": call["lun"], "family": call["family"], "shared": call["shared"], **owner}
        for one in volumes
    ]
    if len(wishes) == 1:
        send(call, wishes[0])
    else:
        send(call, {"mappings": wishes}, "mapping_create_batch")


def show(call: Call) -> None:
    call.show(call.client.operate("mapping_show", {"mapping": _id_of(call)}))


def delete(call: Call) -> None:
    named = call["mapping"]
    call.values = {**call.values, "mapping": _id_of(call)}
    change(call, None, f"mapping {named} is deleted.")


def _id_of(call: Call) -> str:
    """The id of a mapping that is named as VOLUME/OWNER. Raises Wrong where that is none, or more than one."""
    named = str(call["mapping"])
    volume, slash, owner = named.partition("/")
    if not slash:
        return named
    found = [one["id"] for one in call.client.mapping_list(volume=volume) if owner in {one["host"], one["host_group"]}]
    if len(found) != 1:
        raise Wrong(f"{len(found) or 'no'} mappings are called {named}; `lunette mapping list` shows what there is")
    return found[0]


def sessions(call: Call) -> None:
    """The sessions, and which cannot be seen, with the reason."""
    list_items(call)
    for one in call.client.operate("session_list", {}, {"limit": 1})["unseen"]:
        call.screen.note(f"Not listed: {one['family']} sessions. {one['reason']}")


def disconnect(call: Call) -> None:
    """A session is named by its id or by its initiator."""
    named = call["session"]
    found = [one["id"] for one in call.client.session_list() if named in {one["id"], one["initiator"]}]
    if len(found) > 1:
        raise Wrong(f"{named} has {len(found)} sessions; name one by its id: `lunette session list --columns id,...`")
    call.values = {**call.values, "session": found[0] if found else named}
    change(call, None)


COMMANDS = {
    "mapping": (
        _LISTED,
        Command("show", "Shows one mapping.", ("mapping_show",), (_MAPPING,), show),
        Command(
            "delete", "Takes a volume away from a host.", ("mapping_delete",), (_MAPPING,), delete, interrupts=True
        ),
        Command(
            "create",
            "Maps volumes: one to its owner, several to one owner, or split over several hosts.",
            ("mapping_create", "mapping_create_batch"),
            (
                Param("--volume", "Volume; repeatable.", noun="volume", many=True, required=True),
                Param("--host", "Host; with several, volumes are split evenly.", noun="host", many=True),
                Param("--host-group", "Host group instead of a host.", noun="host-group"),
                Param("--lun", "LUN number; the lowest free one from 1 if not given.", number=True),
                Param("--family", "What it is served over; what the owner speaks if not given.", words=FAMILY),
                Param("--shared", "The volume may have several owners.", flag=True),
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
            "Ends a session; its host logs in again by itself while volumes are mapped to it.",
            ("session_disconnect",),
            (Param("session", "Its id, or the name of its initiator."),),
            disconnect,
            interrupts=True,
        ),
    ),
}
