"""What the agent does for each request, and the state it keeps: the ledger, three locks, and what arrays wait for.

Storage steps run one at a time, and so do changes of exports and of the network; observing takes no lock. Tests run
this class on the fake machine; agent/server.py puts it behind the socket.
"""

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

import lunette
from lunette.agent import counters, foreign, serving, support
from lunette.agent.brake import merge
from lunette.agent.bring_up import GRACE_S, BringUp
from lunette.agent.changes import Changes
from lunette.agent.firewall import Firewall
from lunette.agent.ledger import STATE_DIR, Broken, Ledger
from lunette.agent.serving_nvme import engine_of
from lunette.agent.snapshot import Observer
from lunette.agent.stacks import STACKS
from lunette.agent.steps import RUNNERS
from lunette.domain.adopting import Foreign
from lunette.domain.agent_protocol import PROTOCOL_VERSION, HelloReply, StepReply
from lunette.domain.arrays import ObservedArray
from lunette.domain.counters import Counters
from lunette.domain.errors import InUse, LunetteError, ToolFailed
from lunette.domain.exports import ConvergeReport, ExportArray, ExportSet, ServingState
from lunette.domain.health_commands import DeviceHealth
from lunette.domain.mappings import ExportEngine
from lunette.domain.observations import Observation, SessionsObservation
from lunette.domain.sealed_copies import FoundCopy, SealOrder
from lunette.domain.steps import (
    AnyStep,
    DiskWipe,
    ExportsGone,
    GroupCreate,
    InterfaceStep,
    MdCreate,
    MdStep,
    PoolCreate,
    PoolStep,
    SlotStart,
    SlotWrite,
    VolumeAside,
    VolumeCut,
    VolumeDelete,
    VolumeRollBack,
)
from lunette.domain.support import SupportFacts
from lunette.domain.updates import BundleFacts, BundleId
from lunette.providers.arrays.external import health
from lunette.providers.arrays.external.observe import observe_arrays as external_arrays
from lunette.providers.arrays.md.observe import observe_arrays
from lunette.providers.disks.inventory import observe_disks
from lunette.providers.disks.parse import plain
from lunette.providers.exports.lio import connected
from lunette.providers.updates import record
from lunette.providers.updates import run as updates
from lunette.providers.volumes.lvm import sealed_copy
from lunette.system.doorway import System

log = logging.getLogger(__name__)
POLL_S = 0.2
READY_S = GRACE_S + 15.0
"""How long a step waits for its array after a boot: until it starts without its late drives, and a little."""
Answer = TypeVar("Answer")


class Agent:
    """Implements `lunette.system.agent_port.AgentPort` on one machine."""

    def __init__(self, system: System, *, state_dir: str = STATE_DIR) -> None:
        self._system = system
        self._observer = Observer(system)
        self._storage, self._exports, self._network = threading.Lock(), threading.Lock(), threading.Lock()
        self._ledger = Ledger(system, state_dir)
        self._bring_up = BringUp(system)
        self._firewall = Firewall(system)
        self._keep_strays = False
        self._let_go: frozenset[str] = frozenset()
        """Fibre Channel ports that are managed no more, until what stands of them is taken away."""
        self._served = self._load()
        self.wake: Callable[[], None] = lambda: None
        """Called when the loop has something new to look at."""
        self.changes = Changes()
        self._told_open = False
        self._open: tuple[str, ...] = ()
        """Targets and subsystems that were open at the last look."""
        self._health: dict[str, DeviceHealth] = {}
        """What the health commands said last, by array id."""

    def _load(self) -> ExportSet | None:
        try:
            served = self._ledger.load()
        except Broken as error:
            log.error("ledger broken: %s; it is set aside and nothing that is served is removed", error)
            self._ledger.set_aside()
            served = None
        # Without a ledger nothing explains what stands in configfs, so until the next start none of it is removed.
        self._keep_strays = served is None and serving.is_served(self._system)
        return served

    def hello(self) -> HelloReply:
        return HelloReply(
            version=PROTOCOL_VERSION,
            agent=lunette.__version__,
            ledger_generation=self._served.generation if self._served else None,
            serving=self._open,
        )

    def observe(self) -> Observation:
        seen, served = _in_words(self._observer.observe), self._served
        seen = seen.model_copy(update={"firewall": self._firewall.told})
        asked = {array.uuid: array for array in served.arrays if array.health_command} if served else {}
        arrays = (
            tuple(self._with_health(found, asked.get(found.uuid)) for found in seen.arrays) if asked else seen.arrays
        )
        return seen.model_copy(update={"arrays": arrays}) if asked else seen

    def _with_health(self, found: ObservedArray, asked: ExportArray | None) -> ObservedArray:
        if asked is None or not asked.health_command:
            return found
        return health.told(found, self._health.get(asked.array_id), asked.health_command)

    def ask_health(self) -> None:
        """Runs the health command of every array that has one; takes no lock, since each may take its time.

        Whoever waits for a change hears of one.
        """
        served = self._served
        asked = [array for array in served.arrays if array.health_command] if served else []
        before, self._health = self._health, {array.array_id: health.ask(self._system, array) for array in asked}
        if before != self._health:
            self.changes.happened()

    def sessions(self) -> SessionsObservation:
        taken_at = self._system.now()
        sessions, unseen = serving.observe_sessions(self._system, self._served)
        counts, connections = connected.observe(self._system, serving.iqns(self._served))
        return SessionsObservation(
            taken_at=taken_at, sessions=sessions, unseen=unseen, counts=counts, connections=connections
        )

    def served(self) -> ExportSet | None:
        """Raises InUse while something is served that no ledger explains: then nobody knows who has which volume."""
        if self._keep_strays:
            raise InUse(
                "the boot ledger was lost and exports stand that it would explain, so nobody knows who uses which "
                "volume: stop the hosts, restart the appliance, then try again"
            )
        return self._served.without_secrets() if self._served else None

    def serves_over_spdk(self) -> bool:
        return self._served is not None and engine_of(self._served) is ExportEngine.SPDK

    def foreign(self) -> Foreign:
        return _in_words(lambda: foreign.observe(self._system, self._served))

    def counters(self) -> Counters:
        return _in_words(lambda: counters.take(self._system, self._served))

    def facts(self) -> SupportFacts:
        """For a support bundle; takes no lock, since it is asked for when something hangs."""
        return support.take(self._system, self._served)

    def await_change(self, known: int, timeout_s: float) -> int:
        return self.changes.wait(known, timeout_s)

    def do_step(self, job_id: str, step: AnyStep) -> StepReply:
        if isinstance(step, ExportsGone):
            return self._await_gone(step)
        if isinstance(step, SlotWrite | SlotStart):
            return self._update(step)
        self._guard(step)
        return self._run(job_id, step, undo=False)

    def undo_step(self, job_id: str, step: AnyStep) -> StepReply:
        if isinstance(step, ExportsGone):
            return StepReply(changed=False, detail="waiting leaves nothing to take back")
        if isinstance(step, SlotStart):
            return _replied(_in_words(lambda: updates.undo_start(self._system, step)), "undone")
        if isinstance(step, VolumeCut | VolumeAside):
            self._guard(step)
        serving = {array.array_id: array.name for array in self._served.arrays} if self._served else {}
        if isinstance(step, MdCreate | PoolCreate | GroupCreate) and step.array_id in serving:
            raise InUse(f"array {serving[step.array_id]} is in service by now: it is not taken back, delete it instead")
        return self._run(job_id, step, undo=True)

    def look_at_bundle(self, bundle_id: BundleId) -> BundleFacts:
        return _in_words(lambda: updates.look(self._system, bundle_id))

    def _update(self, step: SlotWrite | SlotStart) -> StepReply:
        """Takes no lock: a restart is waited for, and closing the exports must not wait for that."""
        if isinstance(step, SlotWrite):
            return _replied(_in_words(lambda: updates.write(self._system, step)), "done")
        return _replied(_in_words(lambda: updates.start(self._system, step, lambda: self._open)), "done")

    def converge(self, wanted: ExportSet) -> ConvergeReport:
        with self._exports:
            verdict = merge(self._served, wanted)
            effective = verdict.effective
            if verdict.refusal is not None:
                log.warning("exports refused: %s", verdict.refusal)
            else:
                left = serving.left_over(self._system, self._served, effective)
                effective = effective.model_copy(update={"leftovers": left})
                if effective != self._served:
                    self._keep(effective)
            report = self._serve(effective)
        self.wake()
        return report.model_copy(
            update={
                "accepted": verdict.refusal is None,
                "refusal": verdict.refusal,
                "unexplained": verdict.unexplained,
            }
        )

    def _keep(self, effective: ExportSet) -> None:
        """Write what is served from now on into the ledger."""
        _in_words(lambda: self._ledger.save(effective))
        self._let_go |= _ports(self._served) - _ports(effective)
        self._served = effective

    def read_copies(self, *, degraded: bool = False) -> tuple[FoundCopy, ...]:
        with self._storage:
            if self._system.find_tool("pvs") is None:
                return ()
            disks = _in_words(lambda: observe_disks(self._system))
            arrays = _in_words(lambda: external_arrays(self._system, disks, ()))
            if self._system.find_tool("mdadm") is not None:
                arrays = (*_in_words(lambda: observe_arrays(self._system, disks)), *arrays)
            return tuple(sealed_copy.read(self._system, array, degraded=degraded) for array in arrays if array.ours)

    def seal_copy(self, order: SealOrder) -> int:
        with self._storage:
            return _in_words(lambda: sealed_copy.write(self._system, order))

    def bring_up(self) -> bool:
        """One pass over everything the ledger holds: arrays, groups, exports. True if all of it is served.

        Start-up and steady state are this same pass. Raises what keeps it from even trying.
        """
        served = self._served
        if served is None:
            self._firewall.settle(None, keep_all=self._keep_strays)
            return True
        with self._storage:
            _in_words(lambda: self._bring_up.run(served))
        with self._exports:
            report = self._serve(self._served or served)
        reasons = {door.reason for door in (*report.targets, *report.subsystems)}
        reasons |= {volume.reason for volume in report.volumes} | {portal.reason for portal in report.portals}
        reasons |= {port.reason for port in report.fc_ports}
        whole = reasons <= {None} and not self._bring_up.waiting
        if whole and not self._told_open:
            record.exports_open(self._system)
            self._told_open = True
        return whole

    def _serve(self, exports: ExportSet) -> ConvergeReport:
        waiting = dict(self._bring_up.waiting)
        repaired = self._firewall.open_for(exports)
        report = _in_words(
            lambda: serving.serve(
                self._system, exports, waiting, keep_strays=self._keep_strays, let_go=self._let_go - _ports(exports)
            )
        )
        self._let_go = frozenset()
        self._open = _open_doors(exports, report)
        repaired += self._firewall.settle(exports, keep_all=self._keep_strays)
        return report.model_copy(update={"changed": report.changed + repaired}) if repaired else report

    def _run(self, job_id: str, step: AnyStep, *, undo: bool) -> StepReply:
        runner = RUNNERS[type(step)]
        self._await_array(step)
        with self._network if isinstance(step, InterfaceStep) else self._storage:
            detail = _in_words(lambda: (runner.undo if undo else runner.do)(self._system, step))
        if isinstance(step, InterfaceStep):
            self._firewall.follow_roles()
        word = "undone" if undo else "done"
        log.info("step %s job=%s kind=%s detail=%s", word, job_id, step.kind, detail)
        return _replied(detail, word)

    def _await_array(self, step: AnyStep) -> None:
        """A boot may not be over when a job goes on: bring up the array that the step, or its group, is about.

        Waits no longer than a late drive is waited for; the step itself then says what is missing.
        """
        served, group = self._served, getattr(step, "group", None)
        uuid = step.uuid if isinstance(step, MdStep) else step.guid if isinstance(step, PoolStep) else None
        array = next((a for a in served.arrays if a.group == group or a.uuid == uuid), None) if served else None
        if served is None or array is None:
            return
        deadline = self._system.monotonic() + READY_S
        while True:
            with self._storage:
                if self._bring_up.is_up(array):
                    return
                _in_words(lambda: self._bring_up.run(served))
            if array.array_id not in self._bring_up.waiting or self._system.monotonic() >= deadline:
                return
            self._system.sleep(1.0)

    def _guard(self, step: AnyStep) -> None:
        """What the ledger serves is not destroyed, whatever the plan thought."""
        served = self._served
        if served is None:
            return
        if isinstance(step, DiskWipe):
            # A disk that a running array does without holds nothing of it any more; one that waits needs all it has,
            # and so does one with a single disk. A label of ZFS lies on a partition, so there the record of its members
            # tells.
            carried = {plain(s.uuid) for s in step.signatures if s.uuid}
            held = [
                array.name
                for array in served.arrays
                if (array.uuid in carried or step.disk_id in array.members)
                and (len(array.members) == 1 or not self._runs(array))
            ]
            if held:
                raise InUse(f"disk {step.disk_id} belongs to array {held[0]}: delete the array, or replace the disk")
        if isinstance(
            step, VolumeDelete | VolumeCut | VolumeRollBack | VolumeAside
        ) and step.volume_id in serving.mapped_volumes(served):
            raise InUse(f"volume {step.lv_name} is mapped: take its mappings away first")

    def _runs(self, array: ExportArray) -> bool:
        return array.engine in STACKS and STACKS[array.engine].is_up(self._system, array)

    def _await_gone(self, step: ExportsGone) -> StepReply:
        deadline = self._system.monotonic() + step.deadline_s
        waited = False
        while held := serving.still_served(self._system, step.volume_ids, self._served):
            if self._system.monotonic() >= deadline:
                raise InUse(
                    f"volume {held[0]} is still exported after {step.deadline_s:.0f} s: "
                    "disconnect the hosts that use it, then try again"
                )
            waited = True
            self._system.sleep(POLL_S)
        return StepReply(changed=waited, detail="no export holds the volumes")


def _open_doors(exports: ExportSet, report: ConvergeReport) -> tuple[str, ...]:
    """The IQNs and NQNs that hosts can log in to now."""
    targets = {one.target_id for one in report.targets if one.state is ServingState.OPEN}
    subsystems = {one.target_id for one in report.subsystems if one.state is ServingState.OPEN}
    return (
        *(door.iqn for door in exports.targets if door.target_id in targets),
        *(door.nqn for door in exports.subsystems if door.target_id in subsystems),
    )


def _replied(detail: str | None, word: str) -> StepReply:
    return StepReply(changed=detail is not None, detail=detail or f"it was {word} already")


def _ports(exports: ExportSet | None) -> frozenset[str]:
    return frozenset(port.wwpn for port in exports.fc_ports) if exports else frozenset()


def _in_words(call: Callable[[], Answer]) -> Answer:
    """Run a call; what the kernel refuses without words becomes a refusal of ours."""
    try:
        return call()
    except OSError as error:
        where = f" at {error.filename}" if error.filename else ""
        raise ToolFailed(
            f"the system refused ({error.strerror or error}){where}: look at the journal, then try again",
            log=repr(error),
        ) from error
    except LunetteError as error:
        log.warning("refused: %s log=%r", error.detail, error.log)
        raise
