"""An initiator's access: the name, the credentials and the numbers it has, whatever the fabric."""

from collections.abc import Iterable, Iterator, Mapping

from pydantic import ValidationError

from lunette.domain.hosts import Chap
from lunette.domain.targetcli import Attributes, Finding, SavedAcl, SavedGroup, SavedLun, SavedMappedLun
from lunette.planner.targetcli.backstores import Backstores

MAX_LUN = 255
Numbers = frozenset[tuple[int, str, bool]]
"""What an initiator sees: number, backstore, and whether it is read-only."""


_USER = "has other characters than letters, digits and _.:@-, or begins with NULL, which the kernel takes for none"
_SECRET = (
    "is not 12 to 16 printable ASCII characters, as Lunette and RFC 3720 want it, has blanks around it, or begins with "
    "NULL, which the kernel takes for none"
)
_CHAP_RULES = {
    "user": f"Its CHAP user {_USER}",
    "mutual_user": f"Its mutual CHAP user {_USER}",
    "secret": f"Its CHAP secret {_SECRET}",
    "mutual_secret": f"Its mutual CHAP secret {_SECRET}",
    "": "Its CHAP is half of a pair, or has one secret both ways",
}
_BY_DEFAULT = {"authentication": "1"}
"""What a portal group has where its configuration says nothing, if not 0 (iscsi_target_core.h, TA_AUTHENTICATION)."""


class Refused(Exception):
    """Why something does not fit."""


def is_on(attributes: Attributes, name: str) -> bool:
    """Whether an attribute of a portal group is on, by the kernel's default where it is not given."""
    value = attributes.get(name)
    return str(_BY_DEFAULT.get(name, "0") if value in (None, "") else value).strip() == "1"


def numbers(acl: SavedAcl, group: SavedGroup) -> Numbers:
    """What an initiator sees, so that two of them can be compared."""
    behind = {lun.index: lun.storage_object for lun in group.luns}
    return frozenset(
        (one.index, behind.get(one.tpg_lun, f"lun{one.tpg_lun}"), bool(one.write_protect)) for one in acl.mapped_luns
    )


def credentials(acl: SavedAcl, group: SavedGroup) -> Chap | None:
    """What the initiator must show; None if it is not asked. Raises Refused, without a secret in its words.

    `authentication` of an ACL says 0, 1, or -1 for what its portal group says (iscsi_target_nodeattrib.c, Linux 6.12).
    """
    own = str(acl.attributes.get("authentication", "-1")).strip()
    asked = own == "1" or (own not in ("0", "1") and is_on(group.attributes, "authentication"))
    if not asked:
        return None
    if not acl.chap_userid or acl.chap_password is None:
        raise Refused("It is asked for CHAP and has no user or no password here, so it cannot log in: set them first.")
    try:
        return Chap(
            user=acl.chap_userid,
            secret=acl.chap_password,
            mutual_user=acl.chap_mutual_userid or None,
            mutual_secret=acl.chap_mutual_password or None,
        )
    except ValidationError as error:
        field = str((error.errors(include_input=False)[0]["loc"] or ("",))[0])
        raise Refused(f"{_CHAP_RULES.get(field, _CHAP_RULES[''])}: change it on both sides first.") from error


def mapped(path: str, acl: SavedAcl, luns: Mapping[int, SavedLun], stores: Backstores, owner: str) -> Iterator[Finding]:
    """Each number an initiator has."""
    for one in sorted(acl.mapped_luns, key=lambda found: found.index):
        refusal = _mapped_refusal(one, luns, stores)
        words = refusal or f"Mapping of volume {stores.name(luns[one.tpg_lun])} to {owner} as LUN {one.index}."
        yield Finding(path=f"{path}/mapped_lun{one.index}", fits=refusal is None, words=words)


def cut_off(path: str, acl: SavedAcl, why: str) -> Iterator[Finding]:
    """The numbers of an initiator that does not fit."""
    for one in sorted(acl.mapped_luns, key=lambda found: found.index):
        yield Finding(path=f"{path}/mapped_lun{one.index}", fits=False, words=why)


def luns_of(path: str, group: SavedGroup, stores: Backstores, outer: str | None) -> Iterator[Finding]:
    """The LUNs of a portal group, which are the numbers behind those that hosts see. `outer`: why it does not fit."""
    seen = {one.tpg_lun for acl in group.node_acls for one in acl.mapped_luns}
    for lun in sorted(group.luns, key=lambda found: found.index):
        refusal = "Its portal group does not fit." if outer else stores.refusal(lun)
        words = refusal or f"Volume {stores.name(lun)}" + (
            ", under the numbers that its hosts have for it." if lun.index in seen else ", mapped to nobody."
        )
        yield Finding(path=f"{path}/luns/lun{lun.index}", fits=refusal is None, words=words)


def host_name(initiator: str) -> str:
    """What a host of this initiator would be called."""
    tail = initiator.rpartition(":")[2] if initiator.startswith("iqn.") else initiator
    return "".join(one if one.isascii() and (one.isalnum() or one in "-_.") else "-" for one in tail)[:63].strip("-_.")


def enumerated(names: Iterable[str]) -> str:
    """A few names, and how many more."""
    listed = list(names)
    return ", ".join(listed[:3]) + (f" and {len(listed) - 3} more" if len(listed) > 3 else "")


def _mapped_refusal(one: SavedMappedLun, luns: Mapping[int, SavedLun], stores: Backstores) -> str | None:
    lun = luns.get(one.tpg_lun)
    if lun is None:
        return f"Its portal group has no LUN {one.tpg_lun}, so rtslib ignores it too."
    if (refusal := stores.refusal(lun)) is not None:
        return refusal
    if one.write_protect:
        return "It is read-only for this initiator, which Lunette does not offer: map a snapshot or a clone instead."
    if not 0 <= one.index <= MAX_LUN:
        return f"Lunette numbers LUNs from 0 to {MAX_LUN}: give it a lower number, with the host off it."
    return None
