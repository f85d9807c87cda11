"""Converges LIO's configfs: stale objects are removed from the leaves up, then missing ones are created level by level.

Correct objects are not written again, so a second run changes nothing. A refusal blocks only what depends on it: the
rest is served. Only objects with Lunette's mark are ever removed.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from lunette.domain.exports import (
    ConvergeReport,
    ExportSet,
    ExportVolume,
    PortalReport,
    ServingState,
    TargetReport,
    VolumeReport,
)
from lunette.domain.identity import TARGET_AUTHORITY
from lunette.providers.exports.configfs import KernelRefused
from lunette.providers.exports.device import DeviceGuard
from lunette.providers.exports.difference import Difference
from lunette.providers.exports.lio import adopted, discovery, fc, part, reservations, stale, tree
from lunette.providers.exports.lio.configfs import ROOT, LioConfigfs, no_iser
from lunette.providers.exports.lio.fc import Patience
from lunette.providers.exports.lio.lack import Lack, Lacks
from lunette.providers.exports.lio.tree import Backstore, Node, TargetGate, Tree
from lunette.providers.exports.turn import PLAIN, Turn
from lunette.providers.fabrics import rdma
from lunette.system.system_port import System


def converge(
    system: System,
    desired: ExportSet,
    *,
    reasons: Mapping[str, str] | None = None,
    held: Mapping[str, str] | None = None,
    turn: Turn = PLAIN,
) -> ConvergeReport:
    """Serves the desired state. By volume ID, `reasons` says why a device is missing, `held` who else serves it."""
    files = LioConfigfs(system)

    def breathe() -> None:
        """Not between a change and the report about it, which is what the next difference builds on."""
        if not files.changed:
            turn.breathe()

    desired = adopted.settled(files, desired)
    wanted = tree.build(desired)
    ports = fc.look(files, desired, turn.released_ports)
    everything = {**wanted.nodes(), **ports.nodes()}
    prefix = tree.target_prefix(desired.appliance_id)
    theirs = adopted.paths(desired)
    failed, right = dict[str, str](), frozenset[str]()
    if not turn.keep_stale:
        failed, right = _sweep(files, everything, prefix, ports.owned, theirs, breathe)
    status = rdma.listen_status(system, desired.portals, no_iser(system))
    failed |= stale.stop_iser(files, everything, status.unavailable)
    fc.set_modes(files, ports)
    guard = DeviceGuard(system, reasons or {}, held or {})
    builder = _Builder(files, failed, guard, status.blocked, right)
    for level in (discovery.nodes(files, desired, theirs), *wanted.levels, *ports.levels()):
        for node in level:
            breathe()
            builder.make(node)
    lacks = Lacks(files, everything, failed)
    opened = {
        gate.target_id: builder.open(gate, lacks.of(gate.needs), is_overdue=gate.iqn in turn.overdue)
        for gate in wanted.gates
    }
    fc.grant_access(files, ports, failed, builder.make, Patience(lacks, turn.overdue))
    known = stale.foreign(files, tree.target_prefix(desired.appliance_id), theirs)
    found = _report(desired, wanted, builder, opened, foreign=known)
    return found.model_copy(
        update={
            "changed": files.changed,
            "found": files.put_right({**failed, **ports.shut}.keys()),
            "fc_ports": fc.report(files, ports, failed),
            "waiting": tuple(sorted({*found.waiting, *ports.waiting})),
            "foreign": (*found.foreign, *fc.foreign(files, ports.owned)),
        }
    )


def converge_part(
    system: System,
    difference: Difference,
    *,
    reasons: Mapping[str, str],
    held: Mapping[str, str],
    not_listening: Mapping[str, str],
) -> ConvergeReport | None:
    """Serves what differs, and leaves everything else alone. The report is about that part only.

    None if something is in the way of what is new, or could not be removed: then everything has to be served. The state
    before is trusted: a caller whose last run did not serve all of these targets serves everything instead.
    `not_listening` are reasons by ID of portals that could not listen then.
    """
    files = LioConfigfs(system)
    before, wanted = tree.build(difference.before), tree.build(difference.after)
    nodes = wanted.nodes()
    known = before.nodes()
    listening = part.Listening(difference)
    new = (*(path for path in nodes if path not in known), *listening.new)
    if any(path.startswith("iscsi/") and files.exists(path) for path in new):
        return None
    failed = listening.stop(files) | part.remove(files, before, nodes, difference.mapped)
    if failed:
        return None
    builder = _Builder(files, failed, DeviceGuard(system, reasons, held), not_listening)
    settings = discovery.nodes(files, difference.after, ()) if difference.after.discovery else ()
    for level in (settings, *wanted.levels, listening.new.values()):
        for node in level:
            builder.make(node)
    lacks = Lacks(files, nodes, failed)
    opened = {gate.target_id: builder.open(gate, lacks.of(gate.needs), is_overdue=False) for gate in wanted.gates}
    return _report(difference.after, wanted, builder, opened, foreign=())


class _Builder:
    """Creates nodes and remembers why some could not be created."""

    def __init__(
        self,
        files: LioConfigfs,
        failed: dict[str, str],
        guard: DeviceGuard,
        blocked: Mapping[str, str],
        right: frozenset[str] = frozenset(),
    ) -> None:
        """`right` are paths of nodes with a link that were seen to lead where they should in this round."""
        self.files, self.failed, self._guard, self._right = files, failed, guard, right
        self._defaults: dict[str, str] = {}
        """Attributes of a new backstore that nothing has written to, by name."""
        self._reserved: frozenset[str] | None = None
        """Serials with stored reservations; None before they are listed."""
        self._made: set[str] = set()
        """Folders that this round created: nothing can be in them that it did not put there."""
        self.not_listening = dict(blocked)
        """Portals that cannot listen, by ID: one try for all targets, because each costs the kernel a line of log."""

    def make(self, node: Node) -> None:
        reason = self._blocker(node)
        if reason is None:
            try:
                self._make(node)
            except KernelRefused as error:
                reason = str(error)
        if reason is not None:
            self.failed.setdefault(node.path, reason)
            if node.portal_id is not None:
                self.not_listening.setdefault(node.portal_id, reason)

    def open(self, gate: TargetGate, lack: Lack, *, is_overdue: bool) -> Lack:
        """Open a portal group once all of it exists, or its volumes have been waited for long enough; an open one stays
        open. Returns what is missing.
        """
        if self.files.read(f"{gate.path}/enable") == "1" or lack.keeps_closed(() if is_overdue else None):
            return lack
        try:
            self.files.write(f"{gate.path}/enable", "1")
        except KernelRefused as error:
            return replace(lack, reason=str(error))
        return lack

    def volume_reason(self, volume: ExportVolume) -> str | None:
        """Why the volume cannot be served; None if it is, or could be once it is mapped."""
        path = tree.place_of(volume)
        if path in self.failed or path in self._made:
            return self.failed.get(path)
        if self.files.exists(path) or self.files.system.exists(volume.device):
            return self.failed.get(path)
        return self._guard.missing(volume.volume_id, volume.device)

    def _blocker(self, node: Node) -> str | None:
        """Incorrect prerequisites of a node: itself before it was cleared, its parents, its link targets."""
        if node.portal_id in self.not_listening:
            return self.not_listening[node.portal_id]
        if not self.failed:
            return None
        on = [node.path.rsplit("/", count)[0] for count in range(node.path.count("/") + 1)]
        if node.link:
            on.append(node.link[1])
        return next((self.failed[path] for path in on if path in self.failed), None)

    def _make(self, node: Node) -> None:
        if isinstance(node, Backstore):
            self._make_backstore(node)
        elif node.portal_id is not None:
            self.files.listen(node.path, *node.attributes)
            return
        elif node.path not in self._right:
            self._make_folder(node)
        is_new = isinstance(node, Backstore) and node.path in self._made
        for attribute in node.attributes:
            self.files.hold(node.path, attribute, self._default(node.path, attribute.name) if is_new else None)

    def _default(self, path: str, name: str) -> str:
        """What an attribute of a new backstore contains: the same for all of them (target_alloc_device and
        core_alua_allocate_tg_pt_gp in the kernel), so only the first is read. The next look at everything reads all.
        """
        found = self._defaults.get(name) or self.files.read(f"{path}/{name}")
        self._defaults[name] = found
        return found

    def _make_folder(self, node: Node) -> None:
        """A folder, with its link if it has one."""
        is_new = self._is_in_new(node.path)
        if node.link is not None and not is_new and self._leads(node) == node.link[1]:
            return
        if is_new or not self.files.exists(node.path):
            self.files.mkdir(node.path)
            self._made.add(node.path)
        if node.link is not None:
            self.files.link(f"{node.path}/{node.link[0]}", node.link[1])

    def _is_in_new(self, path: str) -> bool:
        """True if the folder that it is in was created now, or the one above, which the kernel fills itself."""
        above = path.rpartition("/")[0]
        return above in self._made or above.rpartition("/")[0] in self._made

    def _leads(self, node: Node) -> str | None:
        return self.files.follow(node.path, node.link[0], adopted=node.adopted) if node.link else None

    def _make_backstore(self, node: Backstore) -> None:
        is_new = self._is_in_new(node.path)
        if not is_new and self.files.read(f"{node.path}/enable") == "1":
            self._check_backstore(node)
            self._show(node)
            return
        self._guard.check(node.volume_id or "", node.device, node.size_bytes)
        if not is_new and self.files.exists(node.path):  # a start was interrupted before it was enabled
            self.files.rmdir(node.path)
        self.files.mkdir(node.path)
        self._made.add(node.path)
        for attribute in node.setup:
            if attribute.name == "enable":
                self._restore_reservations(node)
            self.files.write(f"{node.path}/{attribute.name}", attribute.value)
        self._show(node)

    def _restore_reservations(self, node: Backstore) -> None:
        """Only what is enabled gets new ones, so they are listed once."""
        if self._reserved is None:
            self._reserved = reservations.serials(self.files.system)
        if node.serial in self._reserved:
            reservations.restore(self.files, node.path, node.serial)

    def _show(self, node: Backstore) -> None:
        """Once a backstore is enabled, the kernel knows whether its device can discard. An adopted one offers what it
        did.
        """
        if not node.adopted and self.files.read(f"{node.path}/attrib/max_unmap_lba_count") not in ("", "0"):
            for pin in tree.PINNED:
                if pin.if_discards:
                    self.files.hold(node.path, pin.attribute)

    def _check_backstore(self, node: Backstore) -> None:
        serial = self.files.read(f"{node.path}/wwn/vpd_unit_serial").rpartition(": ")[2]
        device = self.files.read(f"{node.path}/udev_path")
        same = device == node.device or (node.adopted and adopted.is_same(self.files, device, node.device))
        if serial != node.serial or not same:
            raise KernelRefused(
                f"it is served from {device} with serial number {serial}, which is not its own: unmap it and map it "
                "again"
            )


def _sweep(
    files: LioConfigfs,
    wanted: Mapping[str, Node],
    prefix: str,
    ports: Collection[str],
    theirs: Collection[str],
    breathe: Callable[[], None],
) -> tuple[dict[str, str], frozenset[str]]:
    """Remove what is no longer desired. Returns what was refused, by path, and which paths lead where they should."""
    ending = reservations.ending(files, wanted)
    failed, right = stale.remove(files, wanted, prefix, ports, theirs, breathe)
    for path in ending.keys() - failed.keys():
        reservations.forget(files.system, ending[path])
    return failed, right


def _report(
    desired: ExportSet,
    wanted: Tree,
    builder: _Builder,
    opened: Mapping[str, Lack],
    *,
    foreign: tuple[str, ...],
) -> ConvergeReport:
    files = builder.files
    states = {gate.target_id: _state(files, gate) for gate in wanted.gates}
    volumes = [(v.volume_id, builder.volume_reason(v)) for v in desired.volumes]
    portals = {p.portal_id: builder.not_listening.get(p.portal_id) for p in desired.portals}
    return ConvergeReport(
        generation=desired.generation,
        accepted=True,
        refusal=None,
        changed=files.changed,
        targets=tuple(
            TargetReport(target_id=id_, state=states[id_], reason=lack.reason, missing=lack.volumes)
            for id_, lack in opened.items()
        ),
        waiting=tuple(
            gate.iqn
            for gate in wanted.gates
            if states[gate.target_id] is ServingState.BLOCKED and opened[gate.target_id].volumes
        ),
        volumes=tuple(VolumeReport(volume_id=id_, state=_blocked(why), reason=why) for id_, why in volumes),
        portals=tuple(PortalReport(portal_id=id_, state=_blocked(why), reason=why) for id_, why in portals.items()),
        unexplained=(),
        foreign=foreign,
    )


def _state(files: LioConfigfs, gate: TargetGate) -> ServingState:
    return ServingState.OPEN if files.read(f"{gate.path}/enable") == "1" else ServingState.BLOCKED


def _blocked(reason: str | None) -> ServingState:
    return ServingState.OPEN if reason is None else ServingState.BLOCKED


def exported_volumes(system: System, served: ExportSet | None = None) -> frozenset[str]:
    """IDs of the volumes that have a backstore now; `served` shows which foreign ones were adopted."""
    files = LioConfigfs(system)
    own = frozenset(name.removeprefix(tree.PREFIX) for _, name in stale.own_backstores(files))
    return own | (adopted.standing_volumes(files, served) if served else frozenset())


def is_served(system: System) -> bool:
    """True if anything of Lunette, of any appliance ID, exists in configfs."""
    files = LioConfigfs(system)
    return bool(stale.own_backstores(files) or stale.own_targets(files, f"{TARGET_AUTHORITY}:"))


def withdraw(system: System, served: ExportSet | None = None) -> dict[str, str]:
    """Close every target of Lunette and remove everything from configfs, for a shutdown. Returns what was refused, by
    path.

    `served` shows what was adopted.
    """
    if not system.is_dir(ROOT):
        return {}
    files = LioConfigfs(system)
    theirs = adopted.paths(adopted.settled(files, served)) if served else frozenset()
    names = frozenset(path.removeprefix("iscsi/") for path in theirs if path.startswith("iscsi/"))
    targets = stale.own_targets(files, f"{TARGET_AUTHORITY}:", names)
    ports = list(fc.own_ports(files))
    failed = stale.close(files, [*(f"iscsi/{iqn}" for iqn in targets), *ports]) | fc.close(files, ports)
    # Portals are removed before targets: a host that finds the portal but no target would drop its disk permanently.
    failed |= stale.remove_portals(files, targets)
    refused, _ = stale.remove(files, {}, f"{TARGET_AUTHORITY}:", ports, theirs)
    return failed | refused
