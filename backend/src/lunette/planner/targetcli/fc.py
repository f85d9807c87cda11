"""Judges Fibre Channel targets: a port is one target for all hosts, and each host has an ACL on it (decision 0016).

A host sees the same LUNs over every port, so its ACLs must be equal on all ports that have one.
"""

from collections import defaultdict
from collections.abc import Iterator

from lunette.domain.names import check_wwpn
from lunette.domain.targetcli import Finding, SavedAcl, SavedConfig, SavedGroup, SavedTarget
from lunette.planner.targetcli.access import AccessRefused, Numbers, cut_off, is_on, luns_of, mapped, numbers
from lunette.planner.targetcli.backstores import Backstores

FABRICS = ("qla2xxx", "tcm_fc")
"""Fabrics that Lunette serves over, by their names in rtslib (rtslib/fabric.py)."""


class Ports:
    """All Fibre Channel ports of a configuration."""

    def __init__(self, saved: SavedConfig, stores: Backstores) -> None:
        self._stores = stores
        self._seen: dict[str, set[Numbers]] = defaultdict(set)
        for target in saved.targets:
            for group in target.tpgs if target.fabric in FABRICS else ():
                for acl in group.node_acls:
                    self._seen[acl.node_wwn.lower()].add(numbers(acl, group))

    def judge(self, target: SavedTarget) -> Iterator[Finding]:
        """A port with everything in it."""
        path = f"/{target.fabric}/{target.wwn}"
        try:
            words, refusal = f"Fibre Channel port {_wwpn(target.wwn)} in target mode.", None
        except AccessRefused as error:
            words = refusal = str(error)
        yield Finding(path=path, fits=refusal is None, words=words)
        for group in target.tpgs:
            why = "Its port does not fit." if refusal else _group_refusal(group)
            if why and not refusal:
                yield Finding(path=f"{path}/tpg{group.tag}", fits=False, words=why)
            yield from luns_of(path, group, self._stores, why)
            for acl in group.node_acls:
                yield from self._acl(path, group, acl, "Its port does not admit named hosts only." if why else None)

    def _acl(self, path: str, group: SavedGroup, acl: SavedAcl, outer: str | None) -> Iterator[Finding]:
        path = f"{path}/acls/{acl.node_wwn}"
        try:
            if outer is not None:
                raise AccessRefused(outer)
            wwpn = _wwpn(acl.node_wwn)
            if len(self._seen[acl.node_wwn.lower()]) > 1:
                raise AccessRefused(
                    "It sees other LUNs over other ports, and in Lunette a host sees the same LUNs over every port: "
                    "make its ACLs equal first."
                )
        except AccessRefused as error:
            yield Finding(path=path, fits=False, words=str(error))
            yield from cut_off(path, acl, "Its initiator does not fit.")
            return
        owner = f"host {wwpn.replace(':', '')}"
        yield Finding(path=path, fits=True, words=f"Initiator {wwpn} of {owner}; initiators of one host are combined.")
        yield from mapped(path, acl, {lun.index: lun for lun in group.luns}, self._stores, owner)


def _group_refusal(group: SavedGroup) -> str | None:
    if is_on(group.attributes, "generate_node_acls"):
        return (
            "It is in demo mode (generate_node_acls=1), which admits every host in the fabric's zones: create an ACL "
            "for each host."
        )
    return None


def _wwpn(name: str) -> str:
    """Raises AccessRefused."""
    try:
        return check_wwpn(name)
    except ValueError as error:
        raise AccessRefused(f"The name {name} cannot be used: {error}.") from error
