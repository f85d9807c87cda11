"""`lunette host` and `lunette host-group`."""

from typing import Any

from lunette.cli.call import Call
from lunette.cli.kit import KIT, PATHS, VERIFY_PATHS
from lunette.cli.parsing import Wrong
from lunette.cli.running import send
from lunette.cli.spec import Command, JsonObject, Param, standard
from lunette.client.generated.enums import DH_GROUP, DH_HASH, OS_TYPE

_HOST = Param("host", "Its name or id.", noun="host")
_GROUP = Param("host_group", "Its name or id.", noun="host-group")
_NEW_NAME = Param("--name", "Its new name.", metavar="NAME")
_DESCRIPTION = Param("--description", "Free text.", metavar="TEXT")
_DEADLINE = Param(
    "--open-without-missing-after",
    "Open its paths without missing volumes after so long; it takes those for gone.",
    field="opens_without_missing_after_s",
    number=True,
    metavar="SECONDS",
)
_NO_DEADLINE = Param("--wait-for-missing", "Keep its paths closed until all its volumes are there.", flag=True)
_INITIATORS = (
    Param("--iqn", "iSCSI initiator name; repeatable.", field="iqns", many=True),
    Param("--wwpn", "Fibre Channel port name; repeatable.", field="wwpns", many=True),
    Param("--nqn", "NVMe host name; repeatable.", field="nqns", many=True),
    Param("--os-type", "Operating system.", words=OS_TYPE),
    _DEADLINE,
    _DESCRIPTION,
)
_KEYS = (
    Param("--chap-user", "CHAP user the host logs in with.", metavar="USER"),
    Param("--chap-secret-file", "File with the CHAP secret.", file=True),
    Param("--mutual-user", "CHAP user the appliance answers with.", metavar="USER"),
    Param("--mutual-secret-file", "File with the mutual secret.", file=True),
    Param("--dhchap-file", "File with the host's DHHC-1 key for NVMe.", file=True),
    Param("--dhchap-mutual-file", "File with the appliance's DHHC-1 key.", file=True),
    Param("--dhchap-hash", "Hash of the DH-HMAC-CHAP exchange.", words=DH_HASH),
    Param("--dh-group", "Diffie-Hellman group of the exchange.", words=DH_GROUP),
)
_SIMPLE = ("name", "os_type", "description")
_LISTS = {"iqn": "iqns", "wwpn": "wwpns", "nqn": "nqns"}


def body_of_host(call: Call) -> JsonObject:
    """The fields that were given. Raises Wrong where options belong together and stand alone."""
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
    """Raises Wrong if both are asked for."""
    if not call["wait_for_missing"]:
        return {}
    if call["open_without_missing_after"] is not None:
        raise Wrong("--open-without-missing-after and --wait-for-missing exclude each other")
    return {"opens_without_missing_after_s": None}


def _chap(call: Call) -> JsonObject | None:
    user, mutual = call["chap_user"], call["mutual_user"]
    if user is None:
        if mutual or call["chap_secret_file"] or call["mutual_secret_file"]:
            raise Wrong("the other CHAP options need --chap-user")
        return None
    if call["chap_secret_file"] is None:
        raise Wrong("--chap-user needs --chap-secret-file")
    if (mutual is None) != (call["mutual_secret_file"] is None):
        raise Wrong("--mutual-user and --mutual-secret-file belong together")
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
            raise Wrong("the other DH-HMAC-CHAP options need --dhchap-file")
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
    """Changes what is given; a list replaces the old one whole."""
    body = body_of_host(call)
    for key, field in _LISTS.items():
        if call[f"no_{key}"]:
            body[field] = []
    for key in ("chap", "dhchap"):
        if call[f"no_{key}"]:
            body[key] = None
    body |= _no_deadline(call)
    if not body:
        raise Wrong("nothing to set", "lunette host set --help")
    send(call, body)


def set_group(call: Call) -> None:
    body: JsonObject = _given({"name": call["name"], "description": call["description"], "hosts": call["host"]})
    body |= _deadline(call) | _no_deadline(call)
    if call["no_host"]:
        body["hosts"] = []
    if not body:
        raise Wrong("nothing to set", "lunette host-group set --help")
    send(call, body)


COMMANDS = {
    "host": (
        *standard("host", ("name", "os_type", "iqns", "wwpns", "nqns", "group", "sessions")),
        Command(
            "create",
            "Creates a host.",
            ("host_create",),
            (Param("name", "Its name."), *_INITIATORS, *_KEYS),
            create,
            more="Secrets are read from files, never from the command line, which others can see.",
        ),
        Command(
            "set",
            "Changes a host. A list of initiators replaces the old one.",
            ("host_patch",),
            (
                _HOST,
                _NEW_NAME,
                *_INITIATORS,
                *_KEYS,
                Param("--no-iqn", "Take away all iSCSI names.", flag=True),
                Param("--no-wwpn", "Take away all Fibre Channel names.", flag=True),
                Param("--no-nqn", "Take away all NVMe names.", flag=True),
                Param("--no-chap", "Let the host log in without CHAP.", flag=True),
                Param("--no-dhchap", "Let the host connect without DH-HMAC-CHAP.", flag=True),
                _NO_DEADLINE,
            ),
            set_,
            interrupts=True,
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
            "Creates a group of hosts that share volumes.",
            ("host_group_create",),
            (
                Param("name", "Its name."),
                Param("--host", "Member host; repeatable.", field="hosts", noun="host", many=True),
                _DEADLINE,
                _DESCRIPTION,
            ),
        ),
        Command(
            "set",
            "Changes a group. A list of hosts replaces the old one.",
            ("host_group_patch",),
            (
                _GROUP,
                _NEW_NAME,
                _DEADLINE,
                _NO_DEADLINE,
                _DESCRIPTION,
                Param("--host", "Member host; repeatable.", noun="host", many=True),
                Param("--no-host", "Take all hosts out.", flag=True),
            ),
            set_group,
            interrupts=True,
        ),
    ),
}
