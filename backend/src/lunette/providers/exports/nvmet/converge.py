"""Converges nvmet's configfs: stale objects are removed from the leaves up, then missing ones are created level by
level.

Correct objects are not written again, so a second run changes nothing. A refusal blocks only what depends on it.

The order keeps every host retrying (decision 0012): hosts exist with an unusable key before a subsystem allows them, a
subsystem allows them before a port serves it, and the correct key is set when everything exists.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

from lunette.domain.exports import ConvergeReport, ExportSet, PortalReport, ServingState, TargetReport, VolumeReport
from lunette.domain.mappings import Protocol, is_fc_address
from lunette.providers.exports.configfs import KernelRefused, attempt
from lunette.providers.exports.device import DeviceGuard
from lunette.providers.exports.difference import Difference
from lunette.providers.exports.nvmet import adopted, part, stale, tree
from lunette.providers.exports.nvmet.adopted import Ours
from lunette.providers.exports.nvmet.configfs import ROOT, NvmetConfigfs, lacking
from lunette.providers.exports.nvmet.lack import Lack
from lunette.providers.exports.nvmet.tree import HostGate, Namespace, Node, SubsystemGate, Tree
from lunette.providers.exports.turn import PLAIN, Turn
from lunette.providers.fabrics import nvme_fc, rdma
from lunette.system.system_port import System


def clear(system: System, desired: ExportSet) -> int:
    """Remove what is no longer desired, before another engine may need it. Returns the number of changes."""
    files = NvmetConfigfs(system)
    desired = adopted.settled(files, desired)
    stale.remove(files, tree.build(desired), adopted.of_appliance(files, desired))
    return files.changed


def converge(
    system: System,
    desired: ExportSet,
    *,
    reasons: Mapping[str, str] | None = None,
    held: Mapping[str, str] | None = None,
    turn: Turn = PLAIN,
) -> ConvergeReport:
    """Serves the desired state. By volume ID, `reasons` says why a device is missing, `held` who else serves it."""
    files = NvmetConfigfs(system)
    desired = adopted.settled(files, desired)
    wanted, ours = tree.build(desired), adopted.of_appliance(files, desired)
    failed = {} if turn.keep_stale else stale.remove(files, wanted, ours)
    status = rdma.listen_status(system, desired.portals, lacking(system).get(Protocol.NVME_RDMA))
    failed |= stale.stop_listening(files, [wanted.port_paths[id_] for id_ in status.unavailable], ours)
    blocked = status.blocked | nvme_fc.blocked(system, desired.portals)
    failed |= {wanted.port_paths[id_]: reason for id_, reason in blocked.items()}

    def breathe() -> None:
        """Not between a change and the report about it, which is what the next difference builds on."""
        if not files.changed:
            turn.breathe()

    builder = _Builder(files, failed, DeviceGuard(system, reasons or {}, held or {}), breathe)
    lack = builder.build(wanted, ours, turn.overdue)
    return _report(desired, wanted, builder, ours, lack)


def converge_part(
    system: System, difference: Difference, *, reasons: Mapping[str, str], held: Mapping[str, str]
) -> ConvergeReport | None:
    """Serves what differs, and leaves everything else alone. The report is about that part only.

    None if something is in the way of what is new, or could not be removed: then everything has to be served. The state
    before is trusted: a caller whose last run did not serve all of these subsystems serves everything.
    """
    files = NvmetConfigfs(system)
    if (trees := part.trees(difference)) is None:
        return None
    before, wanted = trees
    ours = adopted.of_appliance(files, difference.after)
    known = before.nodes()
    if any(path not in known and files.exists(path) for path in wanted.nodes()):
        return None
    failed = part.remove(files, before, wanted, ours)
    if failed:
        return None
    builder = _Builder(files, failed, DeviceGuard(system, reasons, held))
    lack = builder.build(wanted, ours, frozenset())
    return _report(difference.after, wanted, builder, ours, lack)


Maker = Callable[[Node], None]


class _Builder:
    """Creates nodes and remembers why some could not be created."""

    def __init__(
        self,
        files: NvmetConfigfs,
        failed: dict[str, str],
        guard: DeviceGuard,
        breathe: Callable[[], None] = PLAIN.breathe,
    ) -> None:
        self.files, self.failed, self._guard, self._breathe = files, failed, guard, breathe
        self.excused: frozenset[str] = frozenset()
        """Namespaces that were waited for long enough: no gate stays closed for them."""

    def build(self, wanted: Tree, ours: Ours, overdue: frozenset[str]) -> Lack:
        """Creates everything level by level, and opens the gates at the end. Returns what is missing."""
        self.refuse(stale.foreign_hosts(self.files, ours), wanted)
        for node in wanted.hosts:
            self.make(node, self.host)
        for node in wanted.subsystems:
            self.make(node, self.folder)
        before = frozenset(self.failed)
        for namespace in wanted.namespaces:
            self.make(namespace, partial(self.namespace, namespace))
        lack = Lack(self.files, wanted, self.failed, before)
        self.excused = lack.excused(overdue)
        gates = {gate.path: gate for gate in wanted.gates}
        for node in wanted.allowed:
            self.make(node, partial(self.allow, gates[node.link or ""]))
        for node in wanted.ports:
            self.make(node, self.folder)
        for node in wanted.port_links:
            self.make(node, self.serve)
        for node in wanted.referrals:
            self.make(node, self.refer)
        for gate in wanted.gates:
            attempt(self.failed, f"{gate.path}/dhchap_key", partial(self.open, gate))
        return lack

    def refuse(self, foreign_hosts: Mapping[str, str], wanted: Tree) -> None:
        """A host name that a foreign subsystem allows has one key, which Lunette does not change."""
        for node in wanted.hosts:
            if node.path in foreign_hosts:
                self.failed[node.path] = (
                    f"host {node.path.partition('/')[2]} is allowed in subsystem {foreign_hosts[node.path]}, which "
                    "does not belong to Lunette: remove it there first"
                )

    def make(self, node: Node, how: Maker) -> None:
        self._breathe()
        reason = self._blocker(node)
        if reason is not None:
            self.failed.setdefault(node.path, reason)
        else:
            attempt(self.failed, node.path, partial(how, node))

    def missing(self, needs: tuple[str, ...]) -> str | None:
        """Why it is incomplete; None if it is complete."""
        return next((self.failed[path] for path in needs if path in self.failed), None)

    def blocking(self, needs: tuple[str, ...]) -> str | None:
        """Why a gate stays closed; None if it need not."""
        return self.missing(tuple(path for path in needs if path not in self.excused))

    def host(self, node: Node) -> None:
        if not self.files.exists(node.path):
            self.files.mkdir(node.path)
        for attribute in node.attributes:
            self.files.hold(node.path, attribute)

    def folder(self, node: Node) -> None:
        if not self.files.exists(node.path):
            self.files.mkdir(node.path)
        for attribute in node.attributes:
            self.files.hold(node.path, attribute)

    def namespace(self, node: Namespace, _node: Node) -> None:
        if self.files.exists(node.path) and self.files.read(f"{node.path}/enable") == "1":
            self._look_at_size(node)
            return
        self._guard.check(node.volume_id, node.device, node.size_bytes)
        self.folder(node)
        self.files.write(f"{node.path}/enable", "1")

    def allow(self, gate: HostGate, node: Node) -> None:
        """Admit a host. One that is not admitted anywhere yet waits behind its gate; otherwise everything must
        exist.
        """
        if self.files.points_to(node.path) is not None:
            return
        if not self._is_allowed(gate):
            self.files.close(gate.path)
        elif not self.files.is_closed(gate.path):
            subsystem = node.path.rsplit("/", 2)[0]
            inside = tuple(path for path in gate.needs if path == subsystem or path.startswith(f"{subsystem}/"))
            if reason := self.blocking(inside):
                raise KernelRefused(reason)
        self.files.link(node.path, node.link or "")

    def serve(self, node: Node) -> None:
        """Serve a subsystem on a port once it admits all its hosts: a host that is not admitted would never retry.

        The first one makes the port listen; if that is refused, the others need not try.
        """
        if self.files.points_to(node.path) is not None:
            return
        if reason := self.missing(node.needs):
            raise KernelRefused(reason)
        try:
            self.files.link(node.path, node.link or "")
        except KernelRefused as error:
            port = node.path.rsplit("/", 2)[0]
            if not self.files.names(f"{port}/subsystems"):
                self.failed[port] = self._why_not_listening(port, str(error).rpartition(": ")[2])
            raise

    def refer(self, node: Node) -> None:
        """Refers hosts on one port to another as well, unless that one does not listen."""
        if self.missing(node.needs) is None:
            self.folder(node)
        elif self.files.exists(node.path):
            self.files.rmdir(node.path)

    def _why_not_listening(self, port: str, words: str) -> str:
        address, number = self.files.read(f"{port}/addr_traddr"), self.files.read(f"{port}/addr_trsvcid")
        if is_fc_address(address):
            return nvme_fc.away(self.files.system, address)
        return f"cannot listen on {address} port {number}: {words}"

    def open(self, gate: HostGate) -> None:
        """Give a host its key once all its volumes exist, or were waited for long enough; an open host stays open, with
        its desired key.

        A host that could not be admitted everywhere continues to wait: it would find a subsystem permanently closed.
        """
        if not self.files.exists(gate.path) or gate.path in self.failed:
            return
        if not self.files.is_closed(gate.path):
            self.files.hold(gate.path, gate.key)
        elif self.blocking(gate.needs) is None:
            self.files.write(f"{gate.path}/dhchap_key", gate.key.value or self.files.cleared)

    def is_let_in(self, host: str, subsystem: str) -> bool:
        """True if the host reaches the subsystem when it connects now with the correct key."""
        link = f"{subsystem}/allowed_hosts/{host.partition('/')[2]}"
        return self.files.points_to(link) is not None and not self.files.is_closed(host) and host not in self.failed

    def volume_reason(self, volume_id: str, device: str, paths: tuple[str, ...]) -> str | None:
        """Why the volume cannot be served; None if it is, or could be once it is mapped. `paths` are its namespaces."""
        if reason := self.missing(paths):
            return reason
        return None if paths or self.files.system.exists(device) else self._guard.missing(volume_id, device)

    def _is_allowed(self, gate: HostGate) -> bool:
        subsystems = {path for path in gate.needs if path.count("/") == 1}
        name = gate.path.partition("/")[2]
        return any(self.files.points_to(f"{path}/allowed_hosts/{name}") is not None for path in subsystems)

    def _blocker(self, node: Node) -> str | None:
        """Incorrect prerequisites of a node: itself before it was cleared, its parents, its link targets."""
        on = [node.path.rsplit("/", count)[0] for count in range(node.path.count("/"))]
        return self.missing((*on, node.link) if node.link else tuple(on))

    def _look_at_size(self, node: Namespace) -> None:
        """The kernel does not show the size it serves, so it is asked to revalidate each time; no change causes no
        event.
        """
        with suppress(OSError):  # present exports stay; the next run retries
            self.files.system.write(f"{ROOT}/{node.path}/revalidate_size", "1")


def _report(desired: ExportSet, wanted: Tree, builder: _Builder, ours: Ours, lack: Lack) -> ConvergeReport:
    targets = {
        subsystem.nqn: _subsystem_report(builder, wanted, subsystem, lack) for subsystem in wanted.subsystem_gates
    }
    paths: dict[str, tuple[str, ...]] = {}
    for node in wanted.namespaces:
        paths[node.volume_id] = (*paths.get(node.volume_id, ()), node.path)
    volumes = [
        (v.volume_id, builder.volume_reason(v.volume_id, v.device, paths.get(v.volume_id, ()))) for v in desired.volumes
    ]
    return ConvergeReport(
        generation=desired.generation,
        accepted=True,
        refusal=None,
        changed=builder.files.changed,
        found=builder.files.put_right(builder.failed.keys()),
        targets=(),
        subsystems=tuple(targets.values()),
        waiting=tuple(nqn for nqn, one in targets.items() if one.state is ServingState.BLOCKED and one.missing),
        volumes=tuple(VolumeReport(volume_id=id_, state=_state(why), reason=why) for id_, why in volumes),
        portals=tuple(_port_report(builder, id_, path) for id_, path in wanted.port_paths.items()),
        unexplained=(),
        foreign=stale.foreign(builder.files, ours),
    )


def _subsystem_report(builder: _Builder, wanted: Tree, subsystem: SubsystemGate, lack: Lack) -> TargetReport:
    """A subsystem is open if none of its hosts waits; what is missing behind an open one is reported all the same."""
    missing = builder.missing(subsystem.needs) or builder.missing(subsystem.hosts)
    waiting = [host for host in subsystem.hosts if not builder.is_let_in(host, subsystem.path)]
    stands = builder.files.exists(subsystem.path)
    if missing is None and waiting:
        gate = next(gate for gate in wanted.gates if gate.path == waiting[0])
        missing = builder.missing(gate.needs) or builder.failed.get(f"{gate.path}/dhchap_key")
    state = ServingState.OPEN if stands and not waiting else ServingState.BLOCKED
    volumes = tuple(dict.fromkeys(node.volume_id for node in lack.of(subsystem)))
    return TargetReport(target_id=subsystem.target_id, state=state, reason=missing, missing=volumes)


def _port_report(builder: _Builder, portal_id: str, path: str) -> PortalReport:
    reason = next((why for where, why in builder.failed.items() if where == path), None)
    return PortalReport(portal_id=portal_id, state=_state(reason), reason=reason)


def _state(reason: str | None) -> ServingState:
    return ServingState.OPEN if reason is None else ServingState.BLOCKED


def served_devices(system: System) -> dict[str, str]:
    """The subsystem that serves a device, by the device's real path; includes foreign ones."""
    if not system.is_dir(ROOT):
        return {}
    files = NvmetConfigfs(system)
    found = {}
    for subsystem, namespace in files.namespaces():
        device = files.read(f"{namespace}/device_path")
        if device.startswith("/") and files.read(f"{namespace}/enable") == "1":
            found[system.realpath(device)] = subsystem.partition("/")[2]
    return found


def exported_volumes(system: System, served: ExportSet | None = None) -> frozenset[str]:
    """UUIDs of the volumes (their identity, not their ID) in Lunette's subsystems now. `served` shows what was
    adopted.
    """
    if not system.is_dir(ROOT):
        return frozenset()
    files = NvmetConfigfs(system)
    ours = adopted.of_any(files, served)
    return frozenset(
        files.read(f"{namespace}/device_uuid")
        for subsystem, namespace in files.namespaces()
        if ours.has(subsystem.partition("/")[2])
    )


def is_served(system: System) -> bool:
    """True if anything of Lunette, of any appliance ID, exists in configfs."""
    return system.is_dir(ROOT) and bool(
        adopted.of_any(NvmetConfigfs(system), None).subsystem_paths(NvmetConfigfs(system))
    )


def withdraw(system: System, served: ExportSet | None = None) -> dict[str, str]:
    """Close every path of Lunette and remove everything from configfs, for a shutdown. Returns what was refused, by
    path. `served` shows what was adopted.
    """
    if not system.is_dir(ROOT):
        return {}
    files = NvmetConfigfs(system)
    return stale.withdraw(files, adopted.of_any(files, served))
