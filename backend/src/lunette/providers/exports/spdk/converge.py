"""Converges SPDK's target: stale objects are removed from the leaves up, then missing ones are created level by level.

Correct objects are not requested again, so a second run changes nothing. A refusal blocks what depends on it.

A subsystem admits its hosts once all its namespaces exist. Before that SPDK answers that the host or subsystem is not
known, without the Do Not Retry bit (lib/nvmf/ctrlr.c, 26.09), and hosts keep retrying: nothing else is needed to keep
them waiting, also while the process restarts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

from lunette.domain.errors import ToolFailed
from lunette.domain.exports import ConvergeReport, ExportSet, PortalReport, ServingState, TargetReport, VolumeReport
from lunette.domain.identity import SUBSYSTEM_AUTHORITY
from lunette.providers.exports.configfs import KernelRefused
from lunette.providers.exports.device import DeviceGuard
from lunette.providers.exports.nvmet.tree import subsystem_prefix
from lunette.providers.exports.spdk import process, requests, state, steps
from lunette.providers.exports.spdk import tree as wanting
from lunette.providers.exports.spdk.devices import Devices
from lunette.providers.exports.spdk.process import RUN_DIR, socket_in
from lunette.providers.exports.spdk.state import SpdkState
from lunette.providers.exports.spdk.steps import Step, host_path, listener_path, namespace_path
from lunette.providers.exports.spdk.tree import DISCOVERY, SpdkTree, Subsystem
from lunette.providers.exports.turn import PLAIN, Turn
from lunette.system.system_port import System

PATIENCE_S = 60.0
"""Timeout for one round of requests: a namespace is removed when its outstanding I/O has ended."""
TRANSPORT = "transport"


def converge(
    system: System,
    desired: ExportSet,
    *,
    reasons: Mapping[str, str] | None = None,
    held: Mapping[str, str] | None = None,
    turn: Turn = PLAIN,
    run_dir: str = RUN_DIR,
) -> ConvergeReport:
    """Serves the desired state, as nvmet does. Raises Unavailable or ToolFailed if SPDK does not answer."""
    wanted, prefix = wanting.build(desired), subsystem_prefix(desired.appliance_id)
    builder = _Builder(system, wanted, run_dir, turn.overdue)
    if not turn.keep_stale:
        builder.remove(prefix)
    builder.make(DeviceGuard(system, reasons or {}, held or {}, builder.devices.volatile))
    if not turn.keep_stale:
        builder.forget_keys()
    return _report(desired, wanted, builder, prefix)


def clear(system: System, desired: ExportSet, run_dir: str = RUN_DIR) -> int:
    """Remove what is no longer desired, before another engine may need it. Returns the number of changes."""
    builder = _Builder(system, wanting.build(desired), run_dir)
    builder.remove(subsystem_prefix(desired.appliance_id))
    return builder.changed


def withdraw(system: System, refused: dict[str, str], run_dir: str = RUN_DIR) -> None:
    """Take all of ours out, whatever the appliance id. `refused` gets what was refused, by path, also if it ends early.

    Raises Unavailable or ToolFailed.
    """
    builder = _Builder(system, SpdkTree(), run_dir)
    builder.failed = refused
    builder.remove(f"{SUBSYSTEM_AUTHORITY}:")
    builder.forget_keys()


class _Builder:
    """Sends requests, and remembers by path why something could not be created."""

    def __init__(self, system: System, wanted: SpdkTree, run_dir: str, overdue: frozenset[str] = frozenset()) -> None:
        self._system, self.wanted, self._run_dir, self._overdue = system, wanted, run_dir, overdue
        self.devices = Devices(system)
        self.failed: dict[str, str] = {}
        self.changed = 0
        self.found: list[str] = []
        self.seen = self.look()

    def look(self) -> SpdkState:
        return look(self._system, self._run_dir)

    def remove(self, prefix: str) -> None:
        for phase in steps.stale(self.seen, self.wanted, prefix):
            self.send(phase)
        if self.changed:
            self.seen = self.look()

    def make(self, guard: DeviceGuard) -> None:
        """Level by level; each level omits what depends on something that failed."""
        there, wanted = self.seen, self.wanted
        if not there.has_transport:
            self.send([Step(TRANSPORT, TRANSPORT, "serve over TCP", requests.make_transport())])
        self.send(self._bdevs(guard))
        self.send(steps.grown(there, wanted), counts=False)
        self.send(steps.subsystems(there, wanted))
        self.send(steps.namespaces(there, wanted), self._namespace_blocker)
        self.send(self._keys())
        self.send(steps.discovery(there, wanted), lambda _step: self.failed.get(TRANSPORT))
        self.send(steps.listeners(there, wanted), self._listener_blocker)
        self.send(steps.changed_keys(there, wanted), self._host_blocker)
        self.send(steps.hosts(there, wanted), self._host_blocker)

    def forget_keys(self) -> None:
        """Key files are removed too if no key is read from them any more."""
        if self.changed or self.seen.keys - self.wanted.keys.keys():
            self.send(steps.unused_keys(self.look(), self.wanted))
        for name in self._system.listdir(self._run_dir):
            key = name.removesuffix(".key")
            if name != key and key.startswith(wanting.MARK) and key not in self.wanted.keys:
                try:
                    self._system.unlink(f"{self._run_dir}/{name}")
                except OSError as error:
                    self.failed[key] = f"the file of a key cannot be removed: {error}"

    def send(
        self,
        phase: Sequence[Step],
        blocker: Callable[[Step], str | None] = lambda _step: None,
        *,
        counts: bool = True,
    ) -> None:
        """Send a level: steps about one object one at a time, others concurrently."""
        ready: dict[str, list[Step]] = {}
        for step in phase:
            if reason := blocker(step):
                self.failed.setdefault(step.path, reason)
            else:
                ready.setdefault(step.of, []).append(step)
        for turn in zip_longest(*ready.values()):
            batch = [step for step in turn if step is not None]
            answers = self._system.call(socket_in(self._run_dir), [step.call for step in batch], timeout_s=PATIENCE_S)
            for step, answer in zip(batch, answers, strict=True):
                if answer.error is not None:
                    self.failed[step.path] = (
                        f"SPDK refused to {step.what}: {answer.error}; see journalctl -u {process.UNIT}"
                    )
                elif counts:
                    self.changed += 1
                    self.found.append(f"SPDK was asked again to {step.what}")

    def missing(self, subsystem: Subsystem) -> str | None:
        """Why the subsystem does not have all its namespaces; None if it has."""
        return next((self.failed[path] for path in _needs(subsystem) if path in self.failed), None)

    def lacks(self, subsystem: Subsystem) -> dict[str, str]:
        """Volume IDs by path of the namespaces whose volumes cannot be served; not one whose number serves another."""
        there = self.seen.subsystems.get(subsystem.nqn)
        return {
            namespace_path(subsystem.nqn, nsid): wanting.volume_of(namespace.bdev)
            for nsid, namespace in subsystem.namespaces.items()
            if namespace.bdev in self.failed
            and namespace.bdev not in self.seen.bdevs
            and (there is None or nsid not in there.namespaces)
        }

    def blocking(self, subsystem: Subsystem) -> str | None:
        """Why the subsystem admits no host yet; None if it is complete, or has waited long enough for what is missing.

        A host must not see an empty one.
        """
        lacks = self.lacks(subsystem)
        if subsystem.nqn not in self._overdue or len(lacks) == len(subsystem.namespaces):
            return self.missing(subsystem)
        excused = {*lacks, *(wanting.bdev_name(volume_id) for volume_id in lacks.values())}
        return next((self.failed[one] for one in _needs(subsystem) if one in self.failed and one not in excused), None)

    def _bdevs(self, guard: DeviceGuard) -> list[Step]:
        found = []
        for name, bdev in self.wanted.bdevs.items():
            if name in self.seen.bdevs:
                continue
            try:
                guard.check(wanting.volume_of(name), bdev.device, bdev.size_bytes)
                block_bytes = self.devices.block_bytes(bdev.device)
            except (KernelRefused, OSError, ValueError) as error:
                self.failed[name] = str(error)
            else:
                found.append(Step(name, name, f"open {bdev.device}", requests.make_bdev(bdev, block_bytes)))
        return found

    def _keys(self) -> list[Step]:
        """SPDK reads a key's file when a host connects, so it stays. Only root may read it."""
        found = []
        for name, secret in self.wanted.keys.items():
            path, content = f"{self._run_dir}/{name}.key", secret.get_secret_value().encode()
            if self._system.read_file(path) != content:
                self._system.write_durably(path, content, 0o600)
            if name not in self.seen.keys:
                found.append(Step(name, name, "add a key", requests.add_key(name, path)))
        return found

    def _namespace_blocker(self, step: Step) -> str | None:
        nqn, _, nsid = step.path.rpartition("/")
        bdev = self.wanted.subsystems[nqn].namespaces[int(nsid)].bdev
        return self.failed.get(nqn) or self.failed.get(bdev)

    def _listener_blocker(self, step: Step) -> str | None:
        nqn, _, place = step.path.partition(" at ")
        return self.failed.get(nqn) or self.failed.get(f"{DISCOVERY} at {place}")

    def _host_blocker(self, step: Step) -> str | None:
        nqn, _, name = step.path.partition("@")
        subsystem = self.wanted.subsystems[nqn]
        host = subsystem.hosts[name]
        return self.blocking(subsystem) or next(
            (self.failed[key] for key in (host.key, host.mutual_key) if key in self.failed), None
        )


def look(system: System, run_dir: str = RUN_DIR) -> SpdkState:
    """What exists now. Raises Unavailable or ToolFailed."""
    answers = system.call(socket_in(run_dir), requests.looks(), timeout_s=PATIENCE_S)
    for method, answer in zip(requests.LOOKS, answers, strict=True):
        if answer.error is not None:
            raise ToolFailed(f"SPDK does not report the content of its target: {method}: {answer.error}")
    return state.read([answer.result for answer in answers])


def _needs(subsystem: Subsystem) -> Iterator[str]:
    yield subsystem.nqn
    for nsid, namespace in subsystem.namespaces.items():
        yield namespace.bdev
        yield namespace_path(subsystem.nqn, nsid)


def _report(desired: ExportSet, wanted: SpdkTree, builder: _Builder, prefix: str) -> ConvergeReport:
    now = builder.look() if builder.changed else builder.seen
    paths: dict[str, list[str]] = {}
    for nqn, one in builder.wanted.subsystems.items():
        for nsid, namespace in one.namespaces.items():
            paths.setdefault(namespace.bdev, []).append(namespace_path(nqn, nsid))
    volumes = [(volume.volume_id, _volume_reason(builder, volume.volume_id, paths)) for volume in desired.volumes]
    reports = {
        one.nqn: _subsystem_report(builder, wanted.subsystems[one.nqn], now, one.target_id)
        for one in desired.subsystems
    }
    return ConvergeReport(
        generation=desired.generation,
        accepted=True,
        refusal=None,
        changed=builder.changed,
        found=tuple(builder.found),
        targets=(),
        subsystems=tuple(reports.values()),
        waiting=tuple(nqn for nqn, one in reports.items() if one.state is ServingState.BLOCKED and one.missing),
        volumes=tuple(VolumeReport(volume_id=id_, state=_state(why), reason=why) for id_, why in volumes),
        portals=tuple(_portal_reports(desired, builder)),
        unexplained=(),
        foreign=(*now.foreign, *(nqn for nqn in now.subsystems if not nqn.startswith(prefix))),
    )


def _volume_reason(builder: _Builder, volume_id: str, paths: Mapping[str, Sequence[str]]) -> str | None:
    """Why it is not served, or must not be for long: a drive with a cache may have appeared below a volume in use.

    `paths` are the namespaces by bdev.
    """
    name = wanting.bdev_name(volume_id)
    bdev = builder.wanted.bdevs.get(name)
    if name in builder.failed or bdev is None:
        return builder.failed.get(name)
    failed = next((builder.failed[path] for path in paths.get(name, ()) if path in builder.failed), None)
    return failed or builder.devices.volatile(bdev.device)


def _subsystem_report(builder: _Builder, subsystem: Subsystem, now: SpdkState, target_id: str) -> TargetReport:
    """A subsystem is open if all its hosts are admitted; what is missing behind an open one is reported all the
    same.
    """
    there = now.subsystems.get(subsystem.nqn)
    is_open = there is not None and subsystem.hosts.keys() <= there.hosts.keys()
    paths = [host_path(subsystem.nqn, name) for name in subsystem.hosts]
    reason = builder.missing(subsystem) or next(
        (builder.failed[path] for path in paths if path in builder.failed), None
    )
    return TargetReport(
        target_id=target_id,
        state=ServingState.OPEN if is_open else ServingState.BLOCKED,
        reason=reason,
        missing=tuple(dict.fromkeys(builder.lacks(subsystem).values())),
    )


def _portal_reports(desired: ExportSet, builder: _Builder) -> Iterator[PortalReport]:
    for portal in desired.portals:
        if wanting.is_served(portal):
            reason = builder.failed.get(listener_path(DISCOVERY, wanting.listener(portal)))
        else:
            reason = "SPDK serves only portals over TCP that have one address of the appliance"
        yield PortalReport(portal_id=portal.portal_id, state=_state(reason), reason=reason)


def _state(reason: str | None) -> ServingState:
    return ServingState.OPEN if reason is None else ServingState.BLOCKED


def served_devices(system: System, run_dir: str = RUN_DIR) -> dict[str, str]:
    """The bdev that has a device open, by the device's real path; includes foreign ones.

    Raises ToolFailed if the process exists and does not answer: then it is unknown.
    """
    if not process.answers(system, run_dir):
        return {}
    return {system.realpath(file): name for name, file in look(system, run_dir).files.items()}


def exported_volumes(system: System, run_dir: str = RUN_DIR) -> frozenset[str]:
    """Ids of the volumes that it has open. Raises ToolFailed as `served_devices`."""
    if not process.answers(system, run_dir):
        return frozenset()
    return frozenset(wanting.volume_of(name) for name in look(system, run_dir).bdevs)


def is_served(system: System, run_dir: str = RUN_DIR) -> bool:
    """True if anything of Lunette exists there. Raises ToolFailed as `served_devices`."""
    if not process.answers(system, run_dir):
        return False
    found = look(system, run_dir)
    return bool(found.subsystems or found.bdevs)
