"""`lunette host` and `lunette host-group`."""

from lunette.cli.call import Call
from lunette.cli.commands.kit import KIT, PATHS, VERIFY_PATHS
from lunette.cli.errors import UsageError
from lunette.cli.running import body_of, changes_of, send
from lunette.cli.spec import Command, Param, standard
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
_NO_DEADLINE = Param(
    "--wait-for-missing",
    "Leave the paths closed until all volumes are present.",
    field="opens_without_missing_after_s",
    flag=True,
    sets=None,
)
_MEMBER = Param("--host", "Name or ID of a host in the group; repeatable.", field="hosts", noun="host", many=True)
_INITIATORS = (
    Param("--iqn", "iSCSI initiator name (IQN); repeatable.", field="iqns", many=True),
    Param("--wwpn", "Fibre Channel port name (WWPN); repeatable.", field="wwpns", many=True),
    Param("--nqn", "NVMe qualified name (NQN); repeatable.", field="nqns", many=True),
    Param("--os-type", "Operating system of the host.", words=OS_TYPE),
    _DEADLINE,
    _DESCRIPTION,
)
_KEYS = (
    Param("--chap-user", "CHAP user name that the host must present.", field="chap.user", metavar="USER"),
    Param("--chap-secret-file", "File with the CHAP secret of the host.", field="chap.secret", file=True),
    Param(
        "--mutual-user",
        "CHAP user name that the appliance presents to the host.",
        field="chap.mutual_user",
        metavar="USER",
    ),
    Param(
        "--mutual-secret-file",
        "File with the CHAP secret of the appliance.",
        field="chap.mutual_secret",
        file=True,
    ),
    Param("--dhchap-file", "File with the DHHC-1 key of the host, for NVMe.", field="dhchap.secret", file=True),
    Param(
        "--dhchap-mutual-file",
        "File with the DHHC-1 key of the appliance.",
        field="dhchap.mutual_secret",
        file=True,
    ),
    Param("--dhchap-hash", "Hash of the DH-HMAC-CHAP exchange.", field="dhchap.hash", words=DH_HASH),
    Param(
        "--dh-group",
        "Diffie-Hellman group of the DH-HMAC-CHAP exchange.",
        field="dhchap.dh_group",
        words=DH_GROUP,
    ),
)


def _check(call: Call) -> None:
    """Raises UsageError if an option lacks one that it requires."""
    user, mutual = call["chap_user"], call["mutual_user"]
    if user is None and (mutual or call["chap_secret_file"] or call["mutual_secret_file"]):
        raise UsageError("The other CHAP options require --chap-user")
    if user is not None and call["chap_secret_file"] is None:
        raise UsageError("--chap-user requires --chap-secret-file")
    if (mutual is None) != (call["mutual_secret_file"] is None):
        raise UsageError("--mutual-user and --mutual-secret-file must be used together")
    if call["dhchap_file"] is None and (call["dhchap_mutual_file"] or call["dhchap_hash"] or call["dh_group"]):
        raise UsageError("The other DH-HMAC-CHAP options require --dhchap-file")


def create(call: Call) -> None:
    _check(call)
    send(call, body_of(call))


def set_(call: Call) -> None:
    """Changes the given fields; a list replaces the whole previous list."""
    _check(call)
    set_group(call)


def set_group(call: Call) -> None:
    """Changes the given fields; new hosts replace all present ones."""
    if call["wait_for_missing"] and call["open_without_missing_after"] is not None:
        raise UsageError("--open-without-missing-after and --wait-for-missing are mutually exclusive")
    send(call, changes_of(call))


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
                Param("--no-iqn", "Remove all iSCSI initiator names.", field="iqns", flag=True, sets=[]),
                Param("--no-wwpn", "Remove all Fibre Channel port names.", field="wwpns", flag=True, sets=[]),
                Param("--no-nqn", "Remove all NVMe qualified names.", field="nqns", flag=True, sets=[]),
                Param("--no-chap", "Allow the host to log in without CHAP.", field="chap", flag=True, sets=None),
                Param(
                    "--no-dhchap",
                    "Allow the host to connect without DH-HMAC-CHAP.",
                    field="dhchap",
                    flag=True,
                    sets=None,
                ),
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
                _MEMBER,
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
                _MEMBER,
                Param("--no-host", "Remove all hosts from the group.", field="hosts", flag=True, sets=[]),
            ),
            run=set_group,
            interrupts=True,
            more="New hosts replace all present hosts of the group.",
        ),
    ),
}
