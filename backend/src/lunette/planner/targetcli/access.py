"""The access of an initiator: its name, credentials and LUNs, on any fabric."""

from collections.abc import Iterable, Iterator, Mapping

from pydantic import ValidationError

from lunette.domain.hosts import Chap
from lunette.domain.targetcli import Attributes, Finding, SavedAcl, SavedGroup, SavedLun, SavedMappedLun
from lunette.planner.targetcli.backstores import Backstores

MAX_LUN = 255
Numbers = frozenset[tuple[int, str, bool]]
"""What an initiator sees: LUN, backstore, and whether it is read-only."""


_USER = (
    "contains other characters than letters, digits and _.:@-, or begins with NULL, which the kernel treats as unset"
)
_SECRET = (
    "is not 12 to 16 printable ASCII characters, which Lunette and RFC 3720 require, has spaces around it, or begins "
    "with NULL, which the kernel treats as unset"
)
_CHAP_RULES = {
    "user": f"Its CHAP user {_USER}",
    "mutual_user": f"Its mutual CHAP user {_USER}",
    "secret": f"Its CHAP secret {_SECRET}",
    "mutual_secret": f"Its mutual CHAP secret {_SECRET}",
    "": "Its CHAP has a user without a secret or a secret without a user, or the same secret in both directions",
}
_BY_DEFAULT = {"authentication": "1"}
"""Defaults of a portal group's attributes other than 0 (iscsi_target_core.h, TA_AUTHENTICATION)."""


class AccessRefused(Exception):
    """Why something does not fit."""


def is_on(attributes: Attributes, name: str) -> bool:
    """True if an attribute of a portal group is on; the kernel's default applies if it is not set."""
    value = attributes.get(name)
    return str(_BY_DEFAULT.get(name, "0") if value in (None, "") else value).strip() == "1"


def numbers(acl: SavedAcl, group: SavedGroup) -> Numbers:
    """What an initiator sees, in a form that can be compared."""
    behind = {lun.index: lun.storage_object for lun in group.luns}
    return frozenset(
        (one.index, behind.get(one.tpg_lun, f"lun{one.tpg_lun}"), bool(one.write_protect)) for one in acl.mapped_luns
    )


def credentials(acl: SavedAcl, group: SavedGroup) -> Chap | None:
    """The credentials that the initiator must present; None if there are none. Raises AccessRefused, without a secret
    in the message.

    `authentication` of an ACL is 0, 1, or -1 for the value of its portal group (iscsi_target_nodeattrib.c, Linux 6.12).
    """
    own = str(acl.attributes.get("authentication", "-1")).strip()
    asked = own == "1" or (own not in ("0", "1") and is_on(group.attributes, "authentication"))
    if not asked:
        return None
    if not acl.chap_userid or acl.chap_password is None:
        raise AccessRefused("CHAP is required and no user or no password is set, so it cannot log in: set both first.")
    try:
        return Chap(
            user=acl.chap_userid,
            secret=acl.chap_password,
            mutual_user=acl.chap_mutual_userid or None,
            mutual_secret=acl.chap_mutual_password or None,
        )
    except ValidationError as error:
        field = str((error.errors(include_input=False)[0]["loc"] or ("",))[0])
        raise AccessRefused(f"{_CHAP_RULES.get(field, _CHAP_RULES[''])}: change it on both sides first.") from error


def mapped(path: str, acl: SavedAcl, luns: Mapping[int, SavedLun], stores: Backstores, owner: str) -> Iterator[Finding]:
    """A finding for each LUN of an initiator."""
    for one in sorted(acl.mapped_luns, key=lambda found: found.index):
        refusal = _mapped_refusal(one, luns, stores)
        words = refusal or f"Mapping of volume {stores.name(luns[one.tpg_lun])} to {owner} as LUN {one.index}."
        yield Finding(path=f"{path}/mapped_lun{one.index}", fits=refusal is None, words=words)


def cut_off(path: str, acl: SavedAcl, why: str) -> Iterator[Finding]:
    """The LUNs of an initiator that does not fit."""
    for one in sorted(acl.mapped_luns, key=lambda found: found.index):
        yield Finding(path=f"{path}/mapped_lun{one.index}", fits=False, words=why)


def luns_of(path: str, group: SavedGroup, stores: Backstores, outer: str | None) -> Iterator[Finding]:
    """The LUNs of a portal group, to which the LUNs of its hosts refer. `outer`: why the group does not fit."""
    seen = {one.tpg_lun for acl in group.node_acls for one in acl.mapped_luns}
    for lun in sorted(group.luns, key=lambda found: found.index):
        refusal = "Its portal group does not fit." if outer else stores.refusal(lun)
        words = refusal or f"Volume {stores.name(lun)}" + (
            ", under the LUNs that its hosts see." if lun.index in seen else ", mapped to no host."
        )
        yield Finding(path=f"{path}/luns/lun{lun.index}", fits=refusal is None, words=words)


def host_name(initiator: str) -> str:
    """The name of the host for this initiator."""
    tail = initiator.rpartition(":")[2] if initiator.startswith("iqn.") else initiator
    return "".join(one if one.isascii() and (one.isalnum() or one in "-_.") else "-" for one in tail)[:63].strip("-_.")


def enumerated(names: Iterable[str]) -> str:
    """A few names, and the number of the rest."""
    listed = list(names)
    return ", ".join(listed[:3]) + (f" and {len(listed) - 3} more" if len(listed) > 3 else "")


def _mapped_refusal(one: SavedMappedLun, luns: Mapping[int, SavedLun], stores: Backstores) -> str | None:
    lun = luns.get(one.tpg_lun)
    if lun is None:
        return f"Its portal group has no LUN {one.tpg_lun}, so rtslib also ignores it."
    if (refusal := stores.refusal(lun)) is not None:
        return refusal
    if one.write_protect:
        return "It is read-only for this initiator, which Lunette does not support: map a clone of a snapshot instead."
    if not 0 <= one.index <= MAX_LUN:
        return f"Lunette numbers LUNs from 0 to {MAX_LUN}: disconnect the host and give it a lower number."
    return None
