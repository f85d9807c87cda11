"""The agent: its answer to each request, and its state: the ledger, three locks, and what arrays wait for.

Storage steps run one at a time, and so do changes of exports and of the network; observing takes no lock. A step waits
only for its own array to be brought up.

Tests run this class on the fake machine; agent/server.py connects it to the socket.
"""

import logging
import threading
from collections.abc import Callable

import lunette
from lunette.agent import counters, foreign, foreign_arrays, guard, sealed_copies, serving, support
from lunette.agent.answers import in_words, many_replied, replied
from lunette.agent.array_facts import ArrayFacts
from lunette.agent.array_keys import ArrayKeys
from lunette.agent.brake import merge, with_objects_of
from lunette.agent.bring_up import PATIENCE_S, READY_S, BringUp, names_of
from lunette.agent.changes import Changes
from lunette.agent.deadlines import Deadlines
from lunette.agent.disk_health import DiskHealth
from lunette.agent.exports_turn import ExportsTurn, Superseded
from lunette.agent.firewall import Firewall
from lunette.agent.host_name import HostNameKeeper
from lunette.agent.host_steps import HostStep, HostSteps
from lunette.agent.ledger import STATE_DIR, Broken, Ledger
from lunette.agent.looks import Looks, is_whole
from lunette.agent.repairs import Repairs
from lunette.agent.requests import Answering, answers
from lunette.agent.snapshot import Observer
from lunette.agent.spdk_watch import SpdkWatch
from lunette.agent.steps import RUNNERS, do_many
from lunette.domain.adopting import Foreign
from lunette.domain.agent_protocol import (
    PROTOCOL_VERSION,
    Amend,
    AwaitChange,
    CollectFacts,
    Converge,
    DoStep,
    DoSteps,
    Hello,
    HelloReply,
    LookAtBundle,
    Observe,
    ObserveCounters,
    ObserveForeign,
    ObserveForeignArrays,
    ObserveRefused,
    ObserveServed,
    ObserveSessions,
    ReadCopies,
    SealCopy,
    StepReply,
    StepsReply,
    UndoStep,
    UseKey,
)
from lunette.domain.counters import Counters
from lunette.domain.disk_health import HEALTH_PERIOD_S
from lunette.domain.encryption import KeyOrder
from lunette.domain.errors import InUse, Unavailable
from lunette.domain.export_change import ExportChange, ReportChange, report_change
from lunette.domain.exports import ConvergeReport, ExportArray, ExportSet
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.observations import Observation, RefusedLogin, SessionsObservation
from lunette.domain.sealed_copies import FoundCopy, SealOrder
from lunette.domain.steps import (
    MAKES_ARRAYS,
    AnyManyStep,
    AnyStep,
    DiskErase,
    ExportsGone,
    InterfaceStep,
    MachineStop,
    MdForceStart,
    PathsAsk,
    PathTry,
    SlotStart,
    SlotWrite,
    VolumeAside,
    VolumeCut,
    VolumeSwap,
)
from lunette.domain.support import SupportFacts
from lunette.domain.updates import BundleFacts, BundleId
from lunette.providers import power
from lunette.providers.disks.erase import erase
from lunette.providers.exports.lio import adopted, connected, refused
from lunette.providers.exports.turn import Turn
from lunette.providers.updates import record
from lunette.providers.updates import run as updates
from lunette.providers.volumes.lvm import sealed_copy
from lunette.system.system_port import System

log = logging.getLogger(__name__)


class Agent(Answering, complete=True):
    """Implements `lunette.system.agent_port.AgentPort` on one machine."""

    def __init__(self, system: System, *, state_dir: str = STATE_DIR, patience_s: float = PATIENCE_S) -> None:
        self._system = system
        self._observer = Observer(system)
        self._storage, self._network, self._exports = threading.Lock(), threading.Lock(), ExportsTurn()
        self._host_steps = HostSteps(system)
        self._ledger = Ledger(system, state_dir)
        self._bring_up = BringUp(system, patience_s=patience_s, on_late=lambda: self.wake())  # noqa: PLW0108 set later
        self._firewall = Firewall(system)
        self._host_name = HostNameKeeper(system)
        self._disk_health = DiskHealth(system)
        self._keep_stale = False
        self._release: frozenset[str] = frozenset()  # Fibre Channel ports that are being removed
        self._served = self._load()
        self.wake: Callable[[], None] = lambda: None
        """Called when the loop has something new to process."""
        self.changes = Changes()
        self._spdk = SpdkWatch(system, self.changes.happened)
        self._reported_open = False
        self.looks = Looks(system.monotonic)
        self._asked: ExportSet | None = None
        """The last document that was accepted, as it was sent."""
        self._answered: ConvergeReport | None = None
        self._found: tuple[ExportSet, ConvergeReport] | None = None
        """What was served at the last observation, and how."""
        self._deadlines = Deadlines(system.monotonic)
        self.due_in_s = self._deadlines.due_in_s
        self._array_facts, self._keys, self._repairs = ArrayFacts(system), ArrayKeys(system), Repairs()

    def _load(self) -> ExportSet | None:
        try:
            served = self._ledger.load()
        except Broken as error:
            log.error("the boot ledger is damaged: %s; it is set aside, and no export is removed", error)
            self._ledger.set_aside()
            served = None
        # Without a ledger nothing explains the content of configfs, so none of it is removed until the next start.
        self._keep_stale = served is None and serving.is_served(self._system)
        return served

    @answers(Hello)
    def hello(self) -> HelloReply:
        generation = self._served.generation if self._served else None
        return HelloReply(
            version=PROTOCOL_VERSION, agent=lunette.__version__, ledger_generation=generation, serving=self._open
        )

    @answers(Observe)
    def observe(self) -> Observation:
        seen = in_words(self._observer.observe)
        fresh = {"disks": self._disk_health.reported(seen.disks), "spdk_ended": self._spdk.ended}
        seen = seen.model_copy(update=fresh | {"firewall": self._firewall.reported})
        return self._array_facts.reported(seen, self._served)

    def ask_health(self) -> None:
        """Runs the health command of every array that has one, each with its own timeout, without a lock."""
        if self._array_facts.ask(self._served):
            self.changes.happened()

    def ask_disks(self) -> None:
        """Queries drives whose health reading is due. Takes no lock, because a hanging drive blocks."""
        served = self._served
        period_s, schedule = (served.disk_health_s, served.self_tests) if served else (HEALTH_PERIOD_S, None)
        if self._disk_health.round(period_s, schedule):
            self.changes.happened()

    @answers(ObserveRefused)
    def refused_logins(self) -> tuple[RefusedLogin, ...]:
        return in_words(lambda: refused.observe(self._system))

    @answers(ObserveSessions)
    def sessions(self) -> SessionsObservation:
        taken_at = self._system.now()
        sessions, unseen = serving.observe_sessions(self._system, self._served)
        counts, connections = connected.observe(self._system, adopted.iqns(self._served))
        return SessionsObservation(
            taken_at=taken_at, sessions=sessions, unseen=unseen, counts=counts, connections=connections
        )

    @answers(ObserveServed)
    def served(self) -> ExportSet | None:
        """Raises InUse while something is served that no ledger explains: then the users of volumes are unknown."""
        if self._keep_stale:
            raise InUse(
                "the boot ledger was lost while exports exist, so it is unknown which host uses which volume: stop "
                "the hosts, restart the appliance, then try again"
            )
        return self._served.without_secrets() if self._served else None

    def watch_spdk(self) -> bool:
        """True if SPDK has lost its exports: the next pass restores them."""
        return self._spdk.look(self._served)

    @answers(ObserveForeign)
    def foreign(self) -> Foreign:
        return in_words(lambda: foreign.observe(self._system, self._served))

    @answers(ObserveForeignArrays)
    def foreign_arrays(self) -> tuple[FoundArray, ...]:
        return in_words(lambda: foreign_arrays.found(self._system))

    @answers(ObserveCounters)
    def counters(self) -> Counters:
        return in_words(lambda: counters.take(self._system, self._served))

    @answers(CollectFacts)
    def facts(self) -> SupportFacts:
        """Collects the support bundle. Takes no lock, because it is requested when something hangs."""
        return support.take(self._system, self._served)

    @answers(AwaitChange)
    def await_change(self, known: int, timeout_s: float) -> int:
        return self.changes.wait(known, timeout_s)

    @answers(DoStep)
    def do_step(self, job_id: str | None, step: AnyStep) -> StepReply:
        if isinstance(step, ExportsGone):
            return guard.await_gone(self._system, step, lambda: self._served)
        if isinstance(step, SlotWrite | SlotStart | MachineStop):
            return self._update(step)
        if isinstance(step, HostStep):
            return in_words(lambda: self._host_steps.do(step, adopted.iqns(self._served)))
        guard.check(self._system, step, lambda: self._served)
        if isinstance(step, DiskErase):  # no lock: a drive takes its time, and the step holds only the disk
            return replied(in_words(lambda: erase(self._system, step)), "done")
        return self._run(job_id, step, undo=False)

    @answers(DoSteps)
    def do_steps(self, job_id: str, steps: tuple[AnyManyStep, ...]) -> StepsReply:
        outcomes = guard.first_refusal(self._system, steps, lambda: self._served)
        if not outcomes:
            self._await_array(steps[0])
            with self._bring_up.hold(names_of(steps[0])), self._storage:
                outcomes = in_words(lambda: do_many(self._system, steps))
        for index, outcome in outcomes.items():
            log.info("step job=%s kind=%s outcome=%s", job_id, steps[index].kind, outcome)
        return many_replied(outcomes, len(steps))

    @answers(UndoStep)
    def undo_step(self, job_id: str, step: AnyStep) -> StepReply:
        if isinstance(step, ExportsGone):
            return StepReply(changed=False, detail="nothing to undo after waiting")
        if isinstance(step, PathsAsk | PathTry):
            return in_words(lambda: self._host_steps.undo(step))
        if isinstance(step, SlotStart):
            return replied(in_words(lambda: updates.undo_start(self._system, step)), "undone")
        if isinstance(step, MachineStop):
            return StepReply(changed=False, detail="the appliance did not stop and continues to run")
        if isinstance(step, VolumeCut | VolumeAside | VolumeSwap):
            guard.check(self._system, step, lambda: self._served)
        serving = {array.array_id: array.name for array in self._served.arrays} if self._served else {}
        if isinstance(step, MAKES_ARRAYS) and step.array_id in serving:
            raise InUse(
                f"array {serving[step.array_id]} is already in service and is not rolled back: delete it instead"
            )
        return self._run(job_id, step, undo=True)

    @answers(LookAtBundle)
    def look_at_bundle(self, bundle_id: BundleId) -> BundleFacts:
        return in_words(lambda: updates.look(self._system, bundle_id))

    def _update(self, step: SlotWrite | SlotStart | MachineStop) -> StepReply:
        """Takes no lock: the restart is waited for, and closing the exports must not wait for that."""
        if isinstance(step, MachineStop):
            return replied(in_words(lambda: power.stop(self._system, step)), "done")
        if isinstance(step, SlotWrite):
            return replied(in_words(lambda: updates.write(self._system, step)), "done")
        return replied(in_words(lambda: updates.start(self._system, step, lambda: self._open)), "done")

    @answers(Converge)
    def converge(self, wanted: ExportSet) -> ConvergeReport:
        with self._exports:
            before = self._served
            verdict = merge(self._served, wanted)
            effective = verdict.effective
            if verdict.refusal is not None:
                log.warning("exports refused: %s", verdict.refusal)
                if self._ledger.holds_back:
                    raise Unavailable(f"the boot ledger is outdated, so no exports are started, and {verdict.refusal}")
            else:
                self._asked = wanted if verdict.unexplained else with_objects_of(effective, wanted)
                effective = serving.with_leftovers(self._system, self._served, effective)
                if effective != self._served or self._ledger.unkept:
                    self._keep(effective)
            in_words(lambda: self._bring_up.prove(effective))
            is_known = before is self._served and not self._ledger.unkept
            part = (self.looks.known(effective) if is_known else None) or self._serve_difference(before, effective)
            report = self._repairs.reported(part or self._serve(effective))
            self._answered = answer = report.model_copy(
                update={
                    "accepted": verdict.refusal is None,
                    "refusal": verdict.refusal,
                    "unexplained": verdict.unexplained,
                    "unkept": self._ledger.unkept,
                }
            )
        if part is None:
            self.wake()
        return answer

    @answers(Amend)
    def amend(self, database_id: str, base: int, change: ExportChange) -> ReportChange | None:
        with self._exports:
            asked, answered = self._asked, self._answered
        if asked is None or (asked.database_id, asked.generation) != (database_id, base):
            return None
        try:
            wanted = change.applied_to(asked)
        except ValueError:
            return None
        return report_change(answered, self.converge(wanted), base)

    def _keep(self, effective: ExportSet) -> None:
        """Write what is served from now on into the ledger. If that fails, it is served all the same."""
        in_words(lambda: self._ledger.save(effective, self._served))
        self._release |= _ports(self._served) - _ports(effective)
        self._served = effective

    @answers(ReadCopies)
    def read_copies(self, *, degraded: bool = False) -> tuple[FoundCopy, ...]:
        names = {name for array in self._arrays() for name in (array.array_id, array.uuid, array.group)}
        with self._bring_up.hold(names, READY_S), self._storage:
            return in_words(lambda: sealed_copies.read(self._system, degraded=degraded))

    @answers(SealCopy)
    def seal_copy(self, order: SealOrder) -> int:
        with self._bring_up.hold((order.group,)), self._storage:
            return in_words(lambda: sealed_copy.write(self._system, order))

    @answers(UseKey)
    def use_key(self, order: KeyOrder) -> str | None:
        with self._bring_up.hold((order.array_id,)), self._storage:
            detail = in_words(lambda: self._keys.use(order))
        log.info("key used kind=%s array=%s detail=%s", order.kind, order.array_id, detail)
        self.changes.happened()
        self.wake()
        return detail

    def bring_up(self) -> bool:
        """Runs one pass over everything in the ledger: arrays, groups, exports. True if all of it is served.

        Start-up and steady state are this same pass. Raises errors that prevent even trying.
        """
        served = self._served
        self._keys.forget_old()
        if served is None:
            self._firewall.settle(None, keep_all=self._keep_stale)
            return True
        in_words(lambda: self._bring_up.run(served, lambda array: array in self._arrays()))
        with self._exports:
            if self._ledger.holds_back:
                return False
            present = self._served or served
            self._deadlines.judge(present)
            try:
                report = self._serve(present, self._breathe)
            except Superseded:
                return False
        whole = is_whole(report) and not self._bring_up.waiting
        if whole and not self._reported_open:
            record.exports_open(self._system)
            self._reported_open = True
        return whole

    def _serve_difference(self, before: ExportSet | None, exports: ExportSet) -> ConvergeReport | None:
        """Serves only what the document changes; None if that has no such form, and everything has to be served."""
        last, self.looks.last = self.looks.last, None
        if before is None or last is None or self._keep_stale or self._release or last.generation != before.generation:
            return None
        proven = self._proven(exports)
        waiting = dict(self._bring_up.waiting)
        portals_differ = before.portals != exports.portals
        repaired = self._firewall.open_for(exports) if portals_differ else 0
        report = in_words(lambda: serving.serve_difference(self._system, before, exports, last, waiting, proven))
        if report is None:
            return None
        self._host_name.settle(exports.host_name)
        report = self._noted(exports, report)
        if portals_differ:
            repaired += self._firewall.settle(exports)
        return report.model_copy(update={"changed": report.changed + repaired}) if repaired else report

    def _proven(self, exports: ExportSet) -> set[str]:
        return {array.array_id for array in exports.arrays if self._bring_up.is_proven(array)}

    def _noted(self, exports: ExportSet, report: ConvergeReport) -> ConvergeReport:
        """Remembers how everything is served now."""
        report = self._deadlines.reported(exports, report)
        self._found = exports, report
        self._repairs.note(exports, report)
        self.looks.last = report
        return report

    @property
    def _open(self) -> tuple[str, ...]:
        """Targets and subsystems that were open at the last observation."""
        return serving.open_targets(*self._found) if self._found else ()

    def _breathe(self) -> None:
        """During a look at everything: lets documents be served. Raises Superseded if one changed what is served."""
        served = self._served
        if self.looks.may_end_early and self._exports.let_others() and self._served is not served:
            self.looks.ended_early()
            raise Superseded

    def _serve(self, exports: ExportSet, breathe: Callable[[], None] | None = None) -> ConvergeReport:
        """Looks at everything, and corrects it."""
        waiting = dict(self._bring_up.waiting)
        self._host_name.settle(exports.host_name)
        repaired = self._firewall.open_for(exports)
        turn = Turn(
            keep_stale=self._keep_stale,
            released_ports=self._release - _ports(exports),
            overdue=self._deadlines.overdue(exports),
            **({} if breathe is None else {"breathe": breathe}),
        )
        proven = self._proven(exports)
        with self.looks.look():
            found = in_words(lambda: serving.serve(self._system, exports, waiting, proven, turn=turn))
        report = self._noted(exports, found)
        self._release = frozenset()
        repaired += self._firewall.settle(exports, keep_all=self._keep_stale)
        return report.model_copy(update={"changed": report.changed + repaired}) if repaired else report

    def _run(self, job_id: str | None, step: AnyStep, *, undo: bool) -> StepReply:
        runner = RUNNERS[type(step)]
        if not isinstance(step, MdForceStart):  # an array that has to be forced does not come up automatically
            self._await_array(step)
        lock = self._network if isinstance(step, InterfaceStep) else self._storage
        with self._bring_up.hold(names_of(step)), lock:
            detail = in_words(lambda: (runner.undo if undo else runner.do)(self._system, step))
        if isinstance(step, InterfaceStep):
            self._firewall.follow_roles()
        log.info("step %s job=%s kind=%s detail=%s", "undone" if undo else "done", job_id, step.kind, detail)
        return replied(detail, "undone" if undo else "done")

    def _await_array(self, step: AnyStep) -> None:
        """Bring up the array of the step, or of its group, because a boot may not have finished when a job continues.
        Waits no longer than for a late drive; the step itself then reports what is missing.
        """
        served, names = self._served, names_of(step)
        array = next((array for array in self._arrays() if names & {array.uuid, array.group}), None)
        if served is None or array is None:
            return
        deadline = self._system.monotonic() + READY_S
        while not self._bring_up.is_up(array):
            in_words(lambda: self._bring_up.bring(array, served))
            waits = array.array_id in self._bring_up.waiting.keys() - self._bring_up.locked
            if not waits or self._system.monotonic() >= deadline:
                return
            self._system.sleep(1.0)

    def _arrays(self) -> tuple[ExportArray, ...]:
        return self._served.arrays if self._served else ()

    def stop(self, timeout_s: float) -> None:
        """Start no further work on arrays, and wait this long for running work to end."""
        self._bring_up.stop(timeout_s)
        with self._exports:
            self._ledger.settle(self._served)


def _ports(exports: ExportSet | None) -> frozenset[str]:
    return frozenset(port.wwpn for port in exports.fc_ports) if exports else frozenset()
