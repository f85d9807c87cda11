"""An agent without a machine: one observation, which each step turns into what the planner foresees of it.

It shows the engine a world that changes, refuses a chosen step, and can be away. That steps do what is foreseen of
them is tested in `backend/tests/compliance/test_foresight.py`; what the real agent does, with the fault harness on
FakeSystem.
"""

import threading
import time
from collections.abc import Callable

from backend.tests import seen
from backend.tests.planner.sites import FC_PORTS
from lunette.agent.requests import Answering, answers
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
    ProblemReply,
    ReadCopies,
    Request,
    Result,
    SealCopy,
    StepReply,
    StepsReply,
    UndoStep,
    UseKey,
)
from lunette.domain.counters import Counters
from lunette.domain.disks import ObservedDisk
from lunette.domain.encryption import KeyOrder
from lunette.domain.errors import AgentAway, Conflict, LunetteError, ToolFailed
from lunette.domain.export_change import ExportChange, ReportChange, report_change
from lunette.domain.exports import (
    ConvergeReport,
    ExportSet,
    ObservedSession,
    PortalReport,
    ServingState,
    TargetReport,
    VolumeReport,
)
from lunette.domain.fc import FcMode
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.observations import Observation, RefusedLogin, SessionsObservation
from lunette.domain.sealed_copies import FoundCopy, SealOrder
from lunette.domain.steps import (
    AnyManyStep,
    AnyStep,
    ExportsGone,
    GroupCreate,
    GroupRemove,
    MdCreate,
    MdDestroy,
    VolumeAside,
    VolumeBringBack,
    VolumeCut,
    VolumeDelete,
    VolumeSetAside,
    VolumesSeal,
)
from lunette.domain.support import SupportFacts
from lunette.domain.targetcli import SavedConfig
from lunette.domain.updates import BundleFacts, BundleId
from lunette.planner.site.foresight import after

Failures = dict[tuple[str, str], LunetteError]


class MemoryAgent(Answering):
    """`failures[("do", kind)]` or `[("undo", kind)]` is raised by that step; `away` by everything."""

    def __init__(self) -> None:
        self.machine = seen.machine(fc_ports=tuple(seen.fc_port(wwpn, FcMode.DISABLED) for wwpn in FC_PORTS))
        self.sessions_now: tuple[ObservedSession, ...] = ()
        self.failures: Failures = {}
        self.away = False
        self.calls: list[tuple[str, str]] = []
        self.requests: list[str] = []
        """Kinds of all requests, in order."""
        self.observed = 0
        self.wanted: ExportSet | None = None
        self.amended = 0
        self.answered: ConvergeReport | None = None
        """How many documents came as a change."""
        self.blocked: dict[str, str] = {}
        self.lacking: dict[str, tuple[str, int]] = {}
        """By target the volume that an open one lacks, and after how many seconds it opened without it."""
        self.refusal: str | None = None
        self.unexplained: tuple[str, ...] = ()
        self.unkept: str | None = None
        self.fails: str | None = None
        """Why it cannot do what a document says."""
        self.before: Callable[[str, AnyStep], None] = lambda _verb, _step: None
        self._lock = threading.Lock()

    def ask(self, request: Request[Result]) -> Result:
        if self.away:
            raise AgentAway("The agent does not answer.")
        self.requests.append(request.kind)
        return super().ask(request)

    @answers(Hello)
    def hello(self) -> HelloReply:
        return HelloReply(version=PROTOCOL_VERSION, agent="memory", ledger_generation=None)

    @answers(Observe)
    def observe(self) -> Observation:
        self.observed += 1
        return self.machine

    @answers(ObserveSessions)
    def sessions(self) -> SessionsObservation:
        return SessionsObservation(taken_at=0.0, sessions=self.sessions_now)

    @answers(ObserveRefused)
    def refused_logins(self) -> tuple[RefusedLogin, ...]:
        """No login was refused."""
        return ()

    @answers(ObserveForeign)
    def foreign(self) -> Foreign:
        return Foreign(saved=SavedConfig(), backstores=(), groups=())

    @answers(ObserveForeignArrays)
    def foreign_arrays(self) -> tuple[FoundArray, ...]:
        """There are no foreign arrays here."""
        return ()

    @answers(ObserveServed)
    def served(self) -> ExportSet | None:
        return self.wanted.without_secrets() if self.wanted else None

    @answers(ObserveCounters)
    def counters(self) -> Counters:
        """Nothing is counted here."""
        return Counters(taken_at=0.0, clock_s=time.monotonic(), disks={}, volumes={}, arrays={}, sessions=(), ports=())

    @answers(CollectFacts)
    def facts(self) -> SupportFacts:
        return SupportFacts(files=())

    @answers(AwaitChange)
    def await_change(self, known: int, timeout_s: float) -> int:
        """Nothing changes here without a request."""
        time.sleep(timeout_s)
        return known

    @answers(LookAtBundle)
    def look_at_bundle(self, bundle_id: BundleId) -> BundleFacts:
        """There are no slots here."""
        raise Conflict("this system has no second slot")

    @answers(DoStep)
    def do_step(self, job_id: str | None, step: AnyStep) -> StepReply:
        self.before("do", step)
        self.calls.append(("do", step.kind))
        if ("do", step.kind) in self.failures:
            raise self.failures["do", step.kind]
        with self._lock:
            self._refuse(step)
            self._become(after(self.machine, step))
        return StepReply(changed=True, detail="done")

    @answers(DoSteps)
    def do_steps(self, job_id: str, steps: tuple[AnyManyStep, ...]) -> StepsReply:
        """One after the other, as far as none is refused."""
        replies: list[StepReply | ProblemReply | None] = []
        for step in steps:
            try:
                replies.append(self.do_step(job_id, step))
            except LunetteError as error:
                replies.append(ProblemReply.of(error))
                break
        return StepsReply(replies=(*replies, *[None] * (len(steps) - len(replies))))

    @answers(UndoStep)
    def undo_step(self, job_id: str, step: AnyStep) -> StepReply:
        self.before("undo", step)
        self.calls.append(("undo", step.kind))
        if ("undo", step.kind) in self.failures:
            raise self.failures["undo", step.kind]
        with self._lock:
            self._become(taken_back(self.machine, step))
        return StepReply(changed=True, detail="undone")

    @answers(ReadCopies)
    def read_copies(self, *, degraded: bool = False) -> tuple[FoundCopy, ...]:
        """Nothing lies on these disks."""
        return ()

    @answers(SealCopy)
    def seal_copy(self, order: SealOrder) -> int:
        return order.header.generation

    @answers(UseKey)
    def use_key(self, order: KeyOrder) -> str | None:
        """Nothing here is encrypted."""
        return None

    @answers(Amend)
    def amend(self, database_id: str, base: int, change: ExportChange) -> ReportChange | None:
        """The document is that of the last `Converge` or `Amend`; None if it has another generation."""
        if self.wanted is None or (self.wanted.database_id, self.wanted.generation) != (database_id, base):
            return None
        self.amended += 1
        answered = self.answered
        return report_change(answered, self.converge(change.applied_to(self.wanted)), base)

    @answers(Converge)
    def converge(self, wanted: ExportSet) -> ConvergeReport:
        if self.fails:
            raise ToolFailed(self.fails)
        if self.refusal is None:
            self.wanted = wanted
        self.answered = ConvergeReport(
            generation=wanted.generation,
            accepted=self.refusal is None,
            refusal=self.refusal,
            changed=0,
            targets=tuple(self._target_report(ref) for ref in (target.target_id for target in wanted.targets)),
            volumes=tuple(
                VolumeReport(volume_id=v.volume_id, state=ServingState.OPEN, reason=None) for v in wanted.volumes
            ),
            portals=tuple(
                PortalReport(portal_id=ref, state=self._state(ref), reason=self.blocked.get(ref))
                for ref in (portal.portal_id for portal in wanted.portals)
            ),
            unexplained=self.unexplained,
            foreign=(),
            unkept=self.unkept,
        )
        return self.answered

    def is_clean(self) -> bool:
        """True if no step left anything behind."""
        return not (self.machine.arrays or self.machine.groups or self.machine.volumes)

    def show(self, **changes: object) -> None:
        """These fields of the observation are others now."""
        with self._lock:
            self.machine = self.machine.model_copy(update=changes)

    def show_arrays(self, **changes: object) -> None:
        """These fields of every array are others now."""
        self.show(arrays=tuple(array.model_copy(update=changes) for array in self.machine.arrays))

    def insert(self, disk: ObservedDisk) -> None:
        """A disk, in the place of the one with its id if there is one."""
        others = tuple(one for one in self.machine.disks if one.id != disk.id)
        self.show(disks=tuple(sorted((*others, disk), key=lambda one: one.id)))

    def pull(self, disk_id: str) -> None:
        self.show(disks=tuple(disk for disk in self.machine.disks if disk.id != disk_id))

    def _target_report(self, ref: str) -> TargetReport:
        if ref in self.lacking:
            volume_id, after_s = self.lacking[ref]
            return TargetReport(
                target_id=ref,
                state=ServingState.OPEN,
                reason="its array is away.",
                missing=(volume_id,),
                opened_without_after_s=after_s,
            )
        return TargetReport(target_id=ref, state=self._state(ref), reason=self.blocked.get(ref))

    def _state(self, ref: str) -> ServingState:
        return ServingState.BLOCKED if ref in self.blocked else ServingState.OPEN

    def _refuse(self, step: AnyStep) -> None:
        """Nothing takes a volume that is exported."""
        exported = {volume.volume_id for volume in self.wanted.volumes} if self.wanted else set()
        if isinstance(step, ExportsGone) and exported & set(step.volume_ids):
            raise ToolFailed("The volume is still exported.")

    def _become(self, machine: Observation) -> None:
        if any(pool.free_bytes < 0 for pool in machine.groups):
            raise ToolFailed("The group has too little space.")
        self.machine = machine


def taken_back(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once a step is undone: the same as after the opposite step."""
    match step:
        case MdCreate():
            members = (*step.members, *step.spares)
            names = step.model_dump(include={"array_id", "uuid", "md_name"})
            return after(seen, MdDestroy(**names, size_bytes=0, members=members))
        case GroupCreate():
            return after(seen, GroupRemove(**step.model_dump(exclude={"kind"})))
        case GroupRemove():
            return after(seen, GroupCreate(**step.model_dump(exclude={"kind"})))
    return _volumes_taken_back(seen, step)


def _volumes_taken_back(seen: Observation, step: AnyStep) -> Observation:
    """A volume that is sealed stays; sealing is the one step that no other takes back."""
    match step:
        case VolumeSetAside():
            return after(seen, VolumeBringBack(**step.model_dump(include=set(VolumeAside.model_fields))))
        case VolumeBringBack():
            return after(seen, VolumeSetAside(**step.model_dump(exclude={"kind"}), keep_hours=0, held_bytes=0))
        case VolumeCut():
            if any(volume.volume_id == step.volume_id and volume.sealed for volume in seen.volumes):
                return seen
            return after(seen, VolumeDelete(**step.model_dump(include=set(VolumeDelete.model_fields) - {"kind"})))
        case VolumesSeal():
            fresh = {volume.volume_id for volume in step.volumes}
            volumes = tuple(
                one.model_copy(update={"sealed": False}) if one.volume_id in fresh else one for one in seen.volumes
            )
            return seen.model_copy(update={"volumes": volumes})
    return seen
