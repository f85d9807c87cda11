"""Judges iSCSI targets. Lunette serves each host or host group through its own target with one portal group (0007).

So a portal group with one ACL is the target of a host, and one whose ACLs all see the same LUNs is the target of a host
group.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from ipaddress import ip_address

from lunette.domain.hosts import Chap
from lunette.domain.names import check_iqn
from lunette.domain.targetcli import Finding, SavedAcl, SavedConfig, SavedGroup, SavedPortal, SavedTarget
from lunette.planner.targetcli.access import (
    AccessRefused,
    credentials,
    cut_off,
    enumerated,
    host_name,
    is_on,
    luns_of,
    mapped,
    numbers,
)
from lunette.planner.targetcli.backstores import Backstores

_FIXED = ("prod_mode_write_protect", "default_erl", "t10_pi", "fabric_prot_type")
"""Attributes of a portal group that Lunette sets to 0, and that change what a host may do."""


class Owners:
    """The access of every initiator over all targets: portal groups, credentials and backstores."""

    def __init__(self, saved: SavedConfig) -> None:
        self._behind: dict[str, Counter[str]] = defaultdict(Counter)
        self._places: dict[tuple[str, bool], list[str]] = defaultdict(list)
        self._chap: dict[str, set[Chap | None]] = defaultdict(set)
        for target in saved.targets:
            for group in target.tpgs if target.fabric == "iscsi" else ():
                for acl in group.node_acls if group.enable else ():
                    self._note(target, group, acl)

    def _note(self, target: SavedTarget, group: SavedGroup, acl: SavedAcl) -> None:
        self._places[acl.node_wwn.lower(), len(group.node_acls) > 1].append(f"{target.wwn} tpg{group.tag}")
        luns = {lun.index: lun.storage_object for lun in group.luns}
        seen = {luns[one.tpg_lun] for one in acl.mapped_luns if one.tpg_lun in luns}
        self._behind[acl.node_wwn.lower()].update(seen)
        try:
            self._chap[acl.node_wwn.lower()].add(credentials(acl, group))
        except AccessRefused:
            return

    def check(self, acl: SavedAcl, *, grouped: bool) -> None:
        """Checks that a host has one target, one group, one secret and one way to each volume.

        Raises AccessRefused.
        """
        initiator = acl.node_wwn.lower()
        places = self._places[initiator, grouped]
        if len(places) > 1:
            what = "is in one group" if grouped else "has one target of its own"
            raise AccessRefused(
                f"It has ACLs in {enumerated(places)}. In Lunette a host {what}: move its LUNs into one target first."
            )
        if len(self._chap[initiator]) > 1:
            raise AccessRefused(
                "Its CHAP credentials differ between targets, and in Lunette a host has the same "
                "everywhere: make them equal first."
            )
        if twice := sorted(store for store, times in self._behind[initiator].items() if times > 1):
            raise AccessRefused(
                f"It has {twice[0]} through several targets. In Lunette a host accesses a volume through one target "
                "only: remove its LUN from all but one first."
            )


class Portals:
    """Every portal of Lunette serves every target, so each is reported once, with a note if it becomes reachable to
    more.
    """

    def __init__(self, saved: SavedConfig) -> None:
        groups = [group for target in saved.targets if target.fabric == "iscsi" for group in target.tpgs]
        self._serving = sum(bool(group.enable) for group in groups)
        self._uses: dict[tuple[str, int], int] = defaultdict(int)
        for group in groups:
            for portal in group.portals if group.enable else ():
                self._uses[portal.ip_address, portal.port] += 1

    def judge(self, path: str, portal: SavedPortal) -> Finding:
        path = f"{path}/portals/{portal.ip_address}:{portal.port}"
        refusal = _portal_refusal(portal)
        words = f"Portal on {portal.ip_address} port {portal.port} over {'iSER and iSCSI' if portal.iser else 'iSCSI'}."
        if self._uses[portal.ip_address, portal.port] < self._serving:
            words += " It would lead to all targets, and now leads only to some."
        return Finding(path=path, fits=refusal is None, words=refusal or words)


class Targets:
    """All iSCSI targets of a configuration."""

    def __init__(self, saved: SavedConfig, stores: Backstores) -> None:
        self._stores, self._portals, self._owners = stores, Portals(saved), Owners(saved)

    def judge(self, target: SavedTarget) -> Iterator[Finding]:
        """A target with everything in it."""
        path, refusal = f"/iscsi/{target.wwn}", _target_refusal(target)
        yield Finding(path=path, fits=refusal is None, words=refusal or "A target under its current name.")
        for group in target.tpgs:
            at = f"{path}/tpg{group.tag}"
            why = _group_refusal(group) or ("Its target does not fit." if refusal else None)
            yield Finding(path=at, fits=why is None, words=why or _owner(target, group))
            yield from luns_of(at, group, self._stores, why)
            yield from (self._portals.judge(at, portal) for portal in group.portals)
            for acl in group.node_acls:
                yield from self._acl(f"{at}/acls/{acl.node_wwn}", target, group, acl, fits=why is None)

    def _acl(
        self, path: str, target: SavedTarget, group: SavedGroup, acl: SavedAcl, *, fits: bool
    ) -> Iterator[Finding]:
        grouped = len(group.node_acls) > 1
        try:
            if not fits:
                raise AccessRefused("Its portal group does not fit.")
            _check_name(acl.node_wwn)
            chap = credentials(acl, group)
            self._owners.check(acl, grouped=grouped)
        except AccessRefused as error:
            yield Finding(path=path, fits=False, words=str(error))
            yield from cut_off(path, acl, "Its initiator does not fit.")
            return
        name = host_name(acl.node_wwn)
        with_chap = "mutual CHAP" if chap and chap.mutual_user else "CHAP" if chap else "no CHAP"
        yield Finding(path=path, fits=True, words=f"Host {name} with {with_chap}.")
        owner = f"group {_group_name(target)}" if grouped else f"host {name}"
        yield from mapped(path, acl, {lun.index: lun for lun in group.luns}, self._stores, owner)


def _target_refusal(target: SavedTarget) -> str | None:
    try:
        _check_name(target.wwn)
    except AccessRefused as error:
        return str(error)
    serving = [group.tag for group in target.tpgs if group.enable]
    if len(serving) > 1:
        return (
            f"It has {len(serving)} enabled portal groups, and in Lunette a target has one: merge them, or create a "
            "target for each."
        )
    if all(_group_refusal(group) for group in target.tpgs):
        return "It has no portal group that fits."
    return None


def _group_refusal(group: SavedGroup) -> str | None:
    """Why a portal group cannot be the target of a host or host group."""
    if not group.enable:
        return "It is disabled: it serves no host, so there is nothing to adopt."
    if is_on(group.attributes, "generate_node_acls"):
        return (
            "It is in demo mode (generate_node_acls=1), which admits every initiator to every LUN. Lunette admits "
            "only named hosts: create an ACL for each initiator and set generate_node_acls=0."
        )
    if not group.node_acls:
        return "No initiator has an ACL, so no host can log in and the target has no owner."
    for name in _FIXED:
        if str(group.attributes.get(name) or "0") != "0":
            return f"{name} is {group.attributes[name]}, and Lunette sets it to 0: hosts may depend on it."
    if len({numbers(acl, group) for acl in group.node_acls}) > 1:
        return (
            "Its initiators see different LUNs, and in Lunette all hosts of a target see the same: create a target "
            "for each host."
        )
    return None


def _owner(target: SavedTarget, group: SavedGroup) -> str:
    names = [host_name(acl.node_wwn) for acl in group.node_acls]
    if len(names) == 1:
        return f"The target of host {names[0]}."
    return f"The target of a group {_group_name(target)} of {len(names)} hosts: {enumerated(names)}."


def _group_name(target: SavedTarget) -> str:
    return host_name(target.wwn)


def _check_name(name: str) -> None:
    try:
        check_iqn(name)
    except ValueError as error:
        raise AccessRefused(f"The name {name} cannot be used: {error}.") from error


def _portal_refusal(portal: SavedPortal) -> str | None:
    try:
        ip_address(portal.ip_address.strip("[]"))
    except ValueError:
        return f"{portal.ip_address} is not an IP address."
    if not 1 <= portal.port <= 65535:
        return f"{portal.port} is not a port number."
    if portal.offload:
        return "It is offloaded to a Chelsio adapter (cxgbit), which Lunette does not support: set offload=false first."
    return None
