"""Decides which targets can be adopted unchanged, and why the others cannot."""

from collections.abc import Iterator
from ipaddress import ip_address

from lunette.domain.adopting import Foreign
from lunette.domain.errors import Invalid, LunetteError
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import PortalCreate
from lunette.domain.observations import Observation
from lunette.domain.targetcli import Finding, SavedAcl, SavedGroup, SavedPortal, SavedStore, SavedTarget
from lunette.planner.access import portals as portal_planner
from lunette.planner.adopting.beneath import Beneath
from lunette.planner.adopting.facts import Facts
from lunette.planner.adopting.nvme import NvmeJudge
from lunette.planner.targetcli import inspect
from lunette.planner.targetcli.access import numbers

_STAYS = "It stays unchanged with its target."


class Judge:
    """The verdict on all exports of other systems. `adopted` are the targets to adopt."""

    def __init__(self, foreign: Foreign, seen: Observation, facts: Facts, chosen: tuple[str, ...]) -> None:
        self.foreign, self.seen, self.facts = foreign, seen, facts
        self.beneath = Beneath(foreign, seen, facts)
        self._over_ip = [target for target in foreign.saved.targets if target.fabric == "iscsi"]
        known = {target.wwn for target in self._over_ip} | {one.nqn for one in foreign.subsystems}
        if unknown := sorted(set(chosen) - known):
            raise Invalid(
                f"Target or subsystem {unknown[0]} was not found: a dry run without names lists what can be adopted."
            )
        self.nvme = NvmeJudge(foreign, seen, facts, self.beneath, chosen)
        whole = inspect(foreign.saved.model_copy(update={"targets": tuple(self._over_ip)}))
        self._findings = {finding.path: finding for finding in whole.findings}
        self._stores = {store.reference: store for store in foreign.saved.storage_objects}
        self._look_beneath()
        for target in self._over_ip:
            self._look_at(target)
        self.adopted = self._choose(chosen)
        self._settle()

    def findings(self) -> tuple[Finding, ...]:
        return (*self._findings.values(), *self.nvme.findings())

    def group_of(self, target: SavedTarget) -> SavedGroup:
        """The only portal group of an adopted target."""
        return target.tpgs[0]

    def stores_of(self, target: SavedTarget) -> list[SavedStore]:
        """The backstores of a target, ordered by LUN."""
        luns = sorted((lun for group in target.tpgs for lun in group.luns), key=lambda lun: lun.index)
        return [self._stores[lun.storage_object] for lun in luns]

    def _look_beneath(self) -> None:
        for reference, store in self._stores.items():
            if self._fits(reference) and (refusal := self.beneath.refusal(store)):
                self._refuse(reference, refusal)
            found = self.foreign.backstore(reference)
            if found and (nqn := self.foreign.subsystem_of(found.group, found.lv_name)):
                self._refuse(reference, f"NVMe subsystem {nqn} also serves its volume and is not adopted.")

    def _look_at(self, target: SavedTarget) -> None:
        path = f"/iscsi/{target.wwn}"
        if target.wwn in self.facts.targets:
            self._refuse(path, "A host or group of Lunette is already served under this name.")
        if target.wwn != target.wwn.lower():
            self._refuse(path, "Its name contains capital letters, and Lunette only supports lower case.")
        for group in target.tpgs:
            at = f"{path}/tpg{group.tag}"
            for lun in group.luns:
                if not self._fits(lun.storage_object):
                    self._refuse(f"{at}/luns/lun{lun.index}", f"Its backstore {lun.storage_object} is not adopted.")
            self._look_at_luns(at, group)
            for portal in group.portals:
                if refusal := self._portal_refusal(portal):
                    self._refuse(f"{at}/portals/{portal.ip_address}:{portal.port}", refusal)
            for acl in group.node_acls:
                self._look_at_acl(f"{at}/acls/{acl.node_wwn}", acl)

    def _look_at_luns(self, at: str, group: SavedGroup) -> None:
        behind: dict[str, int] = {}
        mapped = {one.tpg_lun for acl in group.node_acls for one in acl.mapped_luns}
        for lun in group.luns:
            path = f"{at}/luns/lun{lun.index}"
            first = behind.setdefault(lun.storage_object, lun.index)
            if first != lun.index:
                self._refuse(
                    path, f"It refers to the same backstore as LUN {first}: a host can have a volume only once."
                )
            elif lun.index not in mapped:
                self._refuse(path, "It is mapped to no initiator: delete or map it, then try again.")
        if len({numbers(acl, group) for acl in group.node_acls}) > 1:
            self._refuse(at, "Its initiators see different LUNs.")

    def _look_at_acl(self, path: str, acl: SavedAcl) -> None:
        if acl.node_wwn != acl.node_wwn.lower():
            self._refuse(path, "Its name contains capital letters, and Lunette only supports lower case.")
        if owner := self.facts.initiators.get(acl.node_wwn):
            self._refuse(path, f"It is already an initiator of host {owner} in Lunette: delete it there, or here.")
        for one in acl.mapped_luns:
            if one.index != one.tpg_lun:
                words = (
                    f"Its host sees LUN {one.index}, which is LUN {one.tpg_lun} in the portal group. In Lunette both "
                    "numbers are the same, and neither can change while hosts are logged in."
                )
                self._refuse(f"{path}/mapped_lun{one.index}", words)

    def _portal_refusal(self, portal: SavedPortal) -> str | None:
        if portal.iser:
            return "It also serves iSER, which cannot be adopted while hosts use it: set iser=false first."
        address = ip_address(portal.ip_address.strip("[]"))
        named = f"[{address}]" if address.version == 6 else str(address)
        if named != portal.ip_address:
            return f"Lunette writes this address as {named}: create the portal again under that address first."
        if self.known_portal(portal):
            return None
        try:
            spec = PortalCreate(name="adopted", address=str(address), port=portal.port)
            portal_planner.plan_create(spec, self.seen, False, self.facts.portals, IdentitySource())
        except LunetteError as error:
            return f"{error.errors[0].message if error.errors else error.detail}."
        return None

    def known_portal(self, portal: SavedPortal) -> bool:
        """True if Lunette already serves this portal."""
        wanted = ("iscsi", portal.ip_address.strip("[]"), portal.port)
        return any((one.protocol, one.address, one.port) == wanted for one in self.facts.portals)

    def _choose(self, chosen: tuple[str, ...]) -> list[SavedTarget]:
        """The targets that fit completely, and that share no backstore with a target that is not adopted."""
        good = [one for one in self._over_ip if one.wwn in (chosen or {one.wwn}) and not self._first_refusal(one)]
        while True:
            names = {target.wwn for target in good}
            staying = {
                lun.storage_object: target.wwn
                for target in self.foreign.saved.targets
                if target.fabric != "iscsi" or target.wwn not in names
                for group in target.tpgs
                for lun in group.luns
            }
            held = [one for one in good if any(store.reference in staying for store in self.stores_of(one))]
            for target in held:
                other = next(store.reference for store in self.stores_of(target) if store.reference in staying)
                words = f"Its backstore {other} is also served by {staying[other]}, which is not adopted."
                self._refuse(f"/iscsi/{target.wwn}", words)
            if not held:
                return good
            good = [target for target in good if target not in held]

    def _settle(self) -> None:
        """Gives a reason for everything that fits but is not adopted."""
        names = {target.wwn for target in self.adopted}
        used = {store.reference for target in self.adopted for store in self.stores_of(target)}
        for reference in self._stores:
            if reference not in used:
                self._refuse(reference, "No adopted target uses it.")
        for target in self._over_ip:
            if target.wwn in names:
                continue
            path = f"/iscsi/{target.wwn}"
            reason = self._first_refusal(target)
            words = f"It is not adopted because of {reason.path}: {reason.words}" if reason else "It was not selected."
            for inner in list(self._under(path)):
                self._refuse(inner.path, words if inner.path == path else _STAYS)
        for target in self.foreign.saved.targets:
            if target.fabric != "iscsi":
                path = f"/{target.fabric}/{target.wwn}"
                words = f"Targets of {target.fabric} cannot be adopted while hosts use them."
                self._findings[path] = Finding(path=path, fits=False, words=words)

    def _first_refusal(self, target: SavedTarget) -> Finding | None:
        return next((finding for finding in self._under(f"/iscsi/{target.wwn}") if not finding.fits), None)

    def _under(self, path: str) -> Iterator[Finding]:
        return (one for one in self._findings.values() if one.path == path or one.path.startswith(f"{path}/"))

    def _fits(self, path: str) -> bool:
        return path in self._findings and self._findings[path].fits

    def _refuse(self, path: str, words: str) -> None:
        """Refuses an object. The first reason is retained."""
        if path not in self._findings or self._findings[path].fits:
            self._findings[path] = Finding(path=path, fits=False, words=words)
