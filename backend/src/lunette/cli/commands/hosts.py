"""`lunette host` and `lunette host-group`."""

from typing import Any

from lunette.cli.call import Call
from lunette.cli.commands.kit import KIT, PATHS, VERIFY_PATHS
from lunette.cli.errors import UsageError
from lunette.cli.running import send
from lunette.cli.spec import Command, JsonObject, Param, standard
from lunette.client.generated.enums import DH_GROUP, DH_HASH, OS_TYPE

_HOST = Param("host", "Name or ID of the host.", noun="host")
_GROUP = Param("host_group", "Name or ID of the host group.", noun="host-group")
_NEW_NAME = Param("--name", "New name.", metavar="NAME")
_DESCRIPTION = Param("--description", "Free-text description.", metavar="TEXT")
_DEADLINE = Param(
    "--open-without-missing-after",
    "Seconds until the paths open without missing volumes, which the hosts then treat as lost.",
    field="opens_without_missing_after_s",
    number=True,
    metavar="SECONDS",
)
_NO_DEADLINE = Param("--wait-for-missing", "Leave the paths closed until all volumes are present.", flag=True)
_INITIATORS = (
    Param("--iqn", "iSCSI initiator name (IQN); repeatable.", field="iqns", many=True),
    Param("--wwpn", "Fibre Channel port name (WWPN); repeatable.", field="wwpns", many=True),
    Param("--nqn", "NVMe qualified name (NQN); repeatable.", field="nqns", many=True),
    Param("--os-type", "Operating system of the host.", words=OS_TYPE),
    _DEADLINE,
    _DESCRIPTION,
)
_KEYS = (
    Param("--chap-user", "CHAP user name that the host must present.", metavar="USER"),
    Param("--chap-secret-file", "File with the CHAP secret of the host.", file=True),
    Param("--mutual-user", "CHAP user name that the appliance presents to the host.", metavar="USER"),
    Param("--mutual-secret-file", "File with the CHAP secret of the appliance.", file=True),
    Param("--dhchap-file", "File with the DHHC-1 key of the host, for NVMe.", file=True),
    Param("--dhchap-mutual-file", "File with the DHHC-1 key of the appliance.", file=True),
    Param("--dhchap-hash", "Hash of the DH-HMAC-CHAP exchange.", words=DH_HASH),
    Param("--dh-group", "Diffie-Hellman group of the DH-HMAC-CHAP exchange.", words=DH_GROUP),
)
_SIMPLE = ("name", "os_type", "description")
_LISTS = {"iqn": "iqns", "wwpn": "wwpns", "nqn": "nqns"}


def body_of_host(call: Call) -> JsonObject:
    """The given fields. Raises UsageError if an option lacks one that it requires."""
    body: JsonObject = {key: call[key] for key in _SIMPLE if call[key] is not None}
    body |= {field: call[key] for key, field in _LISTS.items() if call[key] is not None}
    body |= _deadline(call)
    for field, keys in (("chap", _chap(call)), ("dhchap", _dhchap(call))):
        if keys is not None:
            body[field] = keys
    return body


def _deadline(call: Call) -> JsonObject:
    return _given({"opens_without_missing_after_s": call["open_without_missing_after"]})


def _no_deadline(call: Call) -> JsonObject:
    """Raises UsageError if both are requested."""
    if not call["wait_for_missing"]:
        return {}
    if call["open_without_missing_after"] is not None:
        raise UsageError("--open-without-missing-after and --wait-for-missing are mutually exclusive")
    return {"opens_without_missing_after_s": None}


def _chap(call: Call) -> JsonObject | None:
    user, mutual = call["chap_user"], call["mutual_user"]
    if user is None:
        if mutual or call["chap_secret_file"] or call["mutual_secret_file"]:
            raise UsageError("The other CHAP options require --chap-user")
        return None
    if call["chap_secret_file"] is None:
        raise UsageError("--chap-user requires --chap-secret-file")
    if (mutual is None) != (call["mutual_secret_file"] is None):
        raise UsageError("--mutual-user and --mutual-secret-file must be used together")
    given = {
        "user": user,
        "secret": call.secret("chap_secret_file"),
        "mutual_user": mutual,
        "mutual_secret": call.secret("mutual_secret_file"),
    }
    return _given(given)


def _dhchap(call: Call) -> JsonObject | None:
    if call["dhchap_file"] is None:
        if call["dhchap_mutual_file"] or call["dhchap_hash"] or call["dh_group"]:
            raise UsageError("The other DH-HMAC-CHAP options require --dhchap-file")
        return None
    given = {
        "secret": call.secret("dhchap_file"),
        "mutual_secret": call.secret("dhchap_mutual_file"),
        "hash": call["dhchap_hash"],
        "dh_group": call["dh_group"],
    }
    return _given(given)


def _given(fields: dict[str, Any]) -> JsonObject:
    return {field: value for field, value in fields.items() if value is not None}


def create(call: Call) -> None:
    send(call, body_of_host(call))


def set_(call: Call) -> None:
    """Changes the given fields; a list replaces the whole previous list."""
    body = body_of_host(call)
    for key, field in _LISTS.items():
        if call[f"no_{key}"]:
            body[field] = []
    for key in ("chap", "dhchap"):
        if call[f"no_{key}"]:
            body[key] = None
    body |= _no_deadline(call)
    if not body:
        raise UsageError("Nothing to change: specify at least one option", "lunette host set --help")
    send(call, body)


def set_group(call: Call) -> None:
    body: JsonObject = _given({"name": call["name"], "description": call["description"], "hosts": call["host"]})
    body |= _deadline(call) | _no_deadline(call)
    if call["no_host"]:
        body["hosts"] = []
    if not body:
        raise UsageError("Nothing to change: specify at least one option", "lunette host-group set --help")
    send(call, body)


COMMANDS = {
    "host": (
        *standard("host", ("name", "os_type", "iqns", "wwpns", "nqns", "group", "connection", "sessions")),
        Command(
            "create",
            operations=("host_create",),
            params=(Param("name"), *_INITIATORS, *_KEYS),
            run=create,
            more="Secrets are read from files, because other users can see the command line.",
        ),
        Command(
            "set",
            operations=("host_patch",),
            params=(
                _HOST,
                _NEW_NAME,
                *_INITIATORS,
                *_KEYS,
                Param("--no-iqn", "Remove all iSCSI initiator names.", flag=True),
                Param("--no-wwpn", "Remove all Fibre Channel port names.", flag=True),
                Param("--no-nqn", "Remove all NVMe qualified names.", flag=True),
                Param("--no-chap", "Allow the host to log in without CHAP.", flag=True),
                Param("--no-dhchap", "Allow the host to connect without DH-HMAC-CHAP.", flag=True),
                _NO_DEADLINE,
            ),
            run=set_,
            interrupts=True,
            more="New initiator names replace all present names of the same kind.",
        ),
        KIT,
        PATHS,
        VERIFY_PATHS,
    ),
    "initiator": standard("initiator", ("name", "kind", "peer", "words")),
    "host-group": (
        *standard("host-group", ("name", "hosts", "mappings", "description")),
        Command(
            "create",
            operations=("host_group_create",),
            params=(
                Param("name"),
                Param(
                    "--host", "Name or ID of a host in the group; repeatable.", field="hosts", noun="host", many=True
                ),
                _DEADLINE,
                _DESCRIPTION,
            ),
        ),
        Command(
            "set",
            operations=("host_group_patch",),
            params=(
                _GROUP,
                _NEW_NAME,
                _DEADLINE,
                _NO_DEADLINE,
                _DESCRIPTION,
                Param("--host", "Name or ID of a host in the group; repeatable.", noun="host", many=True),
                Param("--no-host", "Remove all hosts from the group.", flag=True),
            ),
            run=set_group,
            interrupts=True,
            more="New hosts replace all present hosts of the group.",
        ),
    ),
}
