"""An agent without a machine: it keeps arrays, groups and volumes in memory and runs steps on them.

It knows just enough to show the engine a world that changes, to refuse a chosen step, and to be away. What the real
agent does is tested with the fault harness on FakeSystem.
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
    AwaitChange,
    CollectFacts,
    Converge,
    DoStep,
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
    Request,
    Result,
    SealCopy,
    StepReply,
    UndoStep,
    UseKey,
)
from lunette.domain.arrays import ArrayState, ScrubOutcome
from lunette.domain.counters import Counters
from lunette.domain.disks import ObservedDisk
from lunette.domain.encryption import KeyOrder
from lunette.domain.errors import AgentAway, Conflict, LunetteError, ToolFailed
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
from lunette.domain.spdk import SpdkEnded
from lunette.domain.steps import (
    AnyStep,
    DiskWipe,
    ExportsGone,
    GroupCreate,
    GroupErase,
    GroupRemove,
    MdCreate,
    MdDestroy,
    VolumeBringBack,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeSetAside,
    VolumesSeal,
)
from lunette.domain.support import SupportFacts
from lunette.domain.targetcli import SavedConfig
from lunette.domain.updates import BundleFacts, BundleId
from lunette.providers.arrays.md import plan as md
from lunette.providers.volumes.lvm import plan as lvm

Failures = dict[tuple[str, str], LunetteError]


class MemoryAgent(Answering):
    """`failures[("do", kind)]` or `[("undo", kind)]` is raised by that step; `away` by everything."""

    def __init__(self) -> None:
        self.disks: dict[str, ObservedDisk] = {disk.id: disk for disk in seen.machine().disks}
        self.arrays: dict[str, MdCreate] = {}
        self.array_state = ArrayState.CLEAN
        self.dirty_without: tuple[int, ...] = ()
        self.scrubbed: ScrubOutcome | None = None
        self.groups: dict[str, tuple[str, int]] = {}
        self.volumes: dict[tuple[str, str], VolumeCut] = {}
        self.sealed: set[tuple[str, str]] = set()
        self.sessions_now: tuple[ObservedSession, ...] = ()
        self.failures: Failures = {}
        self.away = False
        self.block_bytes = 512
        self.clock_is_set: bool | None = None
        self.spdk_ended: SpdkEnded | None = None
        self.calls: list[tuple[str, str]] = []
        self.observed = 0
        self.wanted: ExportSet | None = None
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
        return super().ask(request)

    @answers(Hello)
    def hello(self) -> HelloReply:
        return HelloReply(version=PROTOCOL_VERSION, agent="memory", ledger_generation=None)

    @answers(Observe)
    def observe(self) -> Observation:
        self.observed += 1
        with self._lock:
            return seen.machine(
                clock_is_set=self.clock_is_set,
                spdk_ended=self.spdk_ended,
                fc_ports=tuple(seen.fc_port(wwpn, FcMode.DISABLED) for wwpn in FC_PORTS),
                disks=tuple(self.disks.values()),
                arrays=tuple(
                    seen.array(step.uuid, step.devices(), self.array_state, name=step.md_name).model_copy(
                        update={"dirty_without": self.dirty_without, "scrubbed": self.scrubbed}
                    )
                    for step in self.arrays.values()
                ),
                pools=tuple(seen.pool(group, self._free(group), uuid) for group, (uuid, _) in self.groups.items()),
                volumes=tuple(
                    seen.volume(
                        cut.volume_id, group, name, cut.size_bytes, (group, name) in self.sealed, self.block_bytes
                    )
                    for (group, name), cut in self.volumes.items()
                ),
            )

    @answers(ObserveSessions)
    def sessions(self) -> SessionsObservation:
        return SessionsObservation(taken_at=0.0, sessions=self.sessions_now)

    @answers(ObserveRefused)
    def refused_logins(self) -> tuple[RefusedLogin, ...]:
        """Nobody was."""
        return ()

    @answers(ObserveForeign)
    def foreign(self) -> Foreign:
        return Foreign(saved=SavedConfig(), backstores=(), groups=())

    @answers(ObserveForeignArrays)
    def foreign_arrays(self) -> tuple[FoundArray, ...]:
        """Nobody made any."""
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
        """Nothing changes by itself here."""
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
            return self._do(step)

    @answers(UndoStep)
    def undo_step(self, job_id: str, step: AnyStep) -> StepReply:
        self.before("undo", step)
        self.calls.append(("undo", step.kind))
        if ("undo", step.kind) in self.failures:
            raise self.failures["undo", step.kind]
        with self._lock:
            return self._undo(step)

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

    @answers(Converge)
    def converge(self, wanted: ExportSet) -> ConvergeReport:
        if self.fails:
            raise ToolFailed(self.fails)
        if self.refusal is None:
            self.wanted = wanted
        return ConvergeReport(
            generation=wanted.generation,
            accepted=self.refusal is None,
            refusal=self.refusal,
            changed=0,
            targets=tuple(self._door(ref) for ref in (target.target_id for target in wanted.targets)),
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

    def is_clean(self) -> bool:
        """True if no step left anything behind."""
        return not (self.arrays or self.groups or self.volumes)

    def _door(self, ref: str) -> TargetReport:
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

    def _free(self, group: str) -> int:
        return self.groups[group][1] - sum(cut.size_bytes for (at, _), cut in self.volumes.items() if at == group)

    def _do(self, step: AnyStep) -> StepReply:
        match step:
            case DiskWipe() | MdCreate() | MdDestroy():
                self._do_on_disks(step)
            case GroupCreate() | GroupRemove() | GroupErase():
                self._do_on_group(step)
            case VolumeCut():
                if (step.group, step.lv_name) not in self.volumes and step.size_bytes > self._free(step.group):
                    raise ToolFailed(f"The group {step.group} has too little space.")
                self.volumes[step.group, step.lv_name] = step
            case VolumesSeal():
                self.sealed |= {(step.group, volume.lv_name) for volume in step.volumes}
            case ExportsGone():
                served = {v.volume_id for v in self.wanted.volumes} if self.wanted else set()
                if served & set(step.volume_ids):
                    raise ToolFailed("The volume is still exported.")
            case VolumeSetAside():
                self._move(step.group, step.lv_name, step.aside_name)
            case VolumeBringBack():
                self._move(step.group, step.aside_name, step.lv_name)
            case VolumeDelete():
                self.volumes.pop((step.group, step.lv_name), None)
            case VolumeGrow():
                grown = self.volumes[step.group, step.lv_name].model_copy(update={"size_bytes": step.size_bytes})
                self.volumes[step.group, step.lv_name] = grown
        return StepReply(changed=True, detail="done")

    def _do_on_disks(self, step: DiskWipe | MdCreate | MdDestroy) -> None:
        match step:
            case DiskWipe():
                self._show_disks(step.devices(), signatures=(), partitions=0)
            case MdCreate():
                self.arrays[step.uuid] = step
                carried = {"signatures": (seen.MD_MEMBER,), "holders": ("md127",), "array_uuid": step.uuid}
                self._show_disks(step.devices(), **carried)
            case MdDestroy():
                self._drop_array(step.uuid)

    def _do_on_group(self, step: GroupCreate | GroupRemove | GroupErase) -> None:
        if isinstance(step, GroupErase):
            for kept in step.kept:
                self.volumes.pop((step.group, kept.aside_name), None)
        if not isinstance(step, GroupCreate):
            self.groups.pop(step.group, None)
            return
        if step.md_uuid not in self.arrays:
            raise ToolFailed(f"There is no array {step.md_uuid}.")
        created = self.arrays[step.md_uuid]
        size = md.usable_bytes(created.level, created.member_bytes, len(created.members))
        self.groups.setdefault(step.group, (step.md_uuid, lvm.group_bytes(size)))

    def _undo(self, step: AnyStep) -> StepReply:
        match step:
            case MdCreate():
                self._drop_array(step.uuid)
            case GroupCreate():
                self.groups.pop(step.group, None)
            case GroupRemove():
                self._do(GroupCreate(**step.model_dump(exclude={"kind"})))
            case VolumeSetAside():
                self._move(step.group, step.aside_name, step.lv_name)
            case VolumeBringBack():
                self._move(step.group, step.lv_name, step.aside_name)
            case VolumeCut():
                if (step.group, step.lv_name) not in self.sealed:
                    self.volumes.pop((step.group, step.lv_name), None)
            case VolumesSeal():
                self.sealed -= {(step.group, volume.lv_name) for volume in step.volumes}
        return StepReply(changed=True, detail="undone")

    def _move(self, group: str, name: str, to: str) -> None:
        if (group, name) in self.volumes:
            self.volumes[group, to] = self.volumes.pop((group, name))

    def _drop_array(self, uuid: str) -> None:
        step = self.arrays.pop(uuid, None)
        if step:
            self._show_disks(step.devices(), signatures=(), holders=(), array_uuid=None)

    def _show_disks(self, disk_ids: tuple[str, ...], **changes: object) -> None:
        for disk_id in disk_ids:
            self.disks[disk_id] = self.disks[disk_id].model_copy(update=changes)
