"""The closed set of requests the root agent answers (DESIGN R6), versioned.

A request is a class of this module, which names the type of its answer, and one method of the agent that is marked to
answer it (agent/requests.py). Framing on the Unix socket: a 4-byte big-endian length, then UTF-8 JSON. One reply per
request, in order. A request that is not of this set, or of another version, is answered with a problem and changes
nothing.
"""

import functools
import math
import operator
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, TypeVar, cast

from pydantic import ConfigDict, Field, TypeAdapter, field_validator

from lunette.domain.adopting import Foreign
from lunette.domain.base import Model
from lunette.domain.border import Id
from lunette.domain.counters import Counters
from lunette.domain.encryption import KeyOrder
from lunette.domain.errors import ERRORS, FieldProblem, LunetteError, ProblemType
from lunette.domain.export_change import ExportChange, ReportChange
from lunette.domain.exports import ConvergeReport, ExportChap, ExportSet, ExportTarget
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.hosts import CLEARED, is_cleared
from lunette.domain.observations import Observation, RefusedLogin, SessionsObservation
from lunette.domain.sealed_copies import FoundCopy, SealOrder
from lunette.domain.steps import AnyManyStep, AnyStep
from lunette.domain.support import SupportFacts
from lunette.domain.updates import BundleFacts, BundleId

PROTOCOL_VERSION = 4
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
SOCKET_PATH = "/run/lunette/agent.sock"
CONNECT_S = 5.0
SESSIONS_S = 15.0
"""Shorter than a writer of the database is waited for: plans ask who is logged in while they hold its turn."""
REFUSED_S = 20.0
"""A little more than the agent gives journalctl."""
FACTS_S = 600.0
"""Some thirty commands, each with its own deadline, on a machine that may be faulty."""
BUNDLE_S = 330.0
"""A signature is checked, and its tree of hashes; a little more than the agent gives RAUC."""
KEY_S = 1800.0
"""A change of keys stretches several passphrases; on an emulated CPU each takes a minute."""
MOST_STEPS = 50
"""In one request: the agent does no other storage step meanwhile, and the job shows no progress."""
STEP_S = 3600.0
"""A step may wait for hosts to disconnect, or run on an emulated machine; the agent limits each command itself."""
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class Request(Model, Generic[Result_co]):
    """One request; `Request[Observation]` is answered with an Observation.

    A subclass has a `kind` of its own. Raises TypeError if there is a request of this kind already.
    """

    kind: str
    at_most_s: ClassVar[float] = math.inf
    """How many seconds a client waits for the answer at most, if it waits longer for other requests."""
    fixed_s: ClassVar[float | None] = None
    """How many seconds a client waits for the answer, however long it waits for other requests."""

    @classmethod
    def __pydantic_init_subclass__(cls, **more: Any) -> None:
        super().__pydantic_init_subclass__(**more)
        kind = cls.model_fields["kind"].default
        if isinstance(kind, str) and REQUESTS.setdefault(kind, cls) is not cls:
            raise TypeError(f"{cls.__name__} and {REQUESTS[kind].__name__} are both of kind {kind}")

    def wait_s(self, answer_s: float) -> float:
        """How many seconds a client waits for the answer, if it waits `answer_s` for an ordinary one."""
        return min(self.at_most_s, answer_s) if self.fixed_s is None else self.fixed_s


REQUESTS: dict[str, type[Request[Any]]] = {}
"""Every request by its kind."""


class HelloReply(Model):
    """Who answers."""

    version: int
    agent: str
    ledger_generation: int | None
    serving: tuple[str, ...] = ()
    """Targets and subsystems that are open to their hosts."""


class StepReply(Model):
    """The result of doing a step, or of undoing it."""

    changed: bool
    """False if there was nothing to do: the work was done, or undone, already."""
    detail: str


class Hello(Request[HelloReply]):
    """Asks who answers."""

    kind: Literal["hello"] = "hello"


class Observe(Request[Observation]):
    """Asks for a fresh snapshot of disks, arrays, pools, volumes and engines."""

    kind: Literal["observe"] = "observe"


class ObserveSessions(Request[SessionsObservation]):
    """Asks who is logged in."""

    kind: Literal["observe_sessions"] = "observe_sessions"
    at_most_s = SESSIONS_S


class ObserveRefused(Request[tuple[RefusedLogin, ...]]):
    """Asks for the initiators that LIO rejected because they are unknown; none if the kernel's log cannot be read."""

    kind: Literal["observe_refused"] = "observe_refused"
    at_most_s = REFUSED_S


class ObserveServed(Request[ExportSet | None]):
    """Asks for the boot ledger: what is served, whatever the database says. Secrets are left out.

    None if nothing was ever asked for, or the ledger cannot be read.
    """

    kind: Literal["observe_served"] = "observe_served"


class ObserveForeign(Request[Foreign]):
    """Asks what LIO and nvmet serve for others, with the secrets of the hosts, which are let in with them later."""

    kind: Literal["observe_foreign"] = "observe_foreign"


class ObserveForeignArrays(Request[tuple[FoundArray, ...]]):
    """Asks for all md arrays with the content of running ones; none is started for it."""

    kind: Literal["observe_foreign_arrays"] = "observe_foreign_arrays"


class ObserveCounters(Request[Counters]):
    """Asks what has been counted so far; nothing is run for it, so it may be asked every few seconds."""

    kind: Literal["observe_counters"] = "observe_counters"
    at_most_s = SESSIONS_S


class CollectFacts(Request[SupportFacts]):
    """Asks for what a support bundle says of the machine; it takes up to some minutes."""

    kind: Literal["collect_facts"] = "collect_facts"
    fixed_s = FACTS_S


class AwaitChange(Request[int]):
    """Asks how often drives or arrays changed by themselves; answers when it is not `known`, or after `timeout_s`."""

    kind: Literal["await_change"] = "await_change"
    known: int
    timeout_s: float = Field(ge=0, le=60)

    def wait_s(self, answer_s: float) -> float:
        return self.timeout_s + CONNECT_S


class LookAtBundle(Request[BundleFacts]):
    """Asks for information about an uploaded bundle.

    Refused with NotFound, with Conflict for another product, and with Invalid if no trusted signer signed it.
    """

    kind: Literal["look_at_bundle"] = "look_at_bundle"
    fixed_s = BUNDLE_S
    bundle_id: BundleId


class DoStep(Request[StepReply]):
    """Runs one step; one that is done already answers `already` and changes nothing."""

    kind: Literal["do_step"] = "do_step"
    fixed_s = STEP_S
    job_id: Id | None
    """None: outside any job, such as to confirm what is on trial."""
    step: AnyStep


class UndoStep(Request[StepReply]):
    """Takes one step back; does nothing unless what it finds is the step's own work."""

    kind: Literal["undo_step"] = "undo_step"
    fixed_s = STEP_S
    job_id: Id
    step: AnyStep


class ProblemReply(Model):
    """A refusal; raise it again on the other side with `as_error`."""

    kind: Literal["problem"] = "problem"
    type: ProblemType
    detail: str
    errors: tuple[FieldProblem, ...] = ()
    log: str = ""

    @classmethod
    def of(cls, error: LunetteError) -> "ProblemReply":
        return cls(type=error.type, detail=error.detail, errors=error.errors, log=error.log)

    def as_error(self) -> LunetteError:
        return ERRORS[self.type](self.detail, errors=self.errors, log=self.log)


class StepsReply(Model):
    """The results of several steps, in their order: what was done, why it was refused, or None for a step that is not
    done because another was refused; it may have begun.
    """

    replies: tuple[StepReply | ProblemReply | None, ...]


class DoSteps(Request[StepsReply]):
    """Runs steps of one kind on one group of one engine. The engine may run them at once, so a refusal of one prevents
    only those that have not begun.
    """

    kind: Literal["do_steps"] = "do_steps"
    fixed_s = STEP_S
    job_id: Id
    steps: tuple[AnyManyStep, ...] = Field(min_length=1, max_length=MOST_STEPS)

    @field_validator("steps")
    @classmethod
    def _are_alike(cls, steps: tuple[AnyManyStep, ...]) -> tuple[AnyManyStep, ...]:
        if len({(step.kind, step.engine, step.group) for step in steps}) > 1:
            raise ValueError("expected steps of one kind, on one group of one engine")
        if len({step.backing_name for step in steps}) < len(steps):
            raise ValueError("expected no two steps on one volume or snapshot")
        return steps


class Converge(Request[ConvergeReport]):
    """Makes the exports as wanted and keeps the document as the boot ledger."""

    kind: Literal["converge"] = "converge"
    wanted: ExportSet

    @field_validator("wanted")
    @classmethod
    def _can_be_asked_for(cls, wanted: ExportSet) -> ExportSet:
        """Not in ExportSet: a ledger that an older agent wrote is read all the same."""
        _check_chaps((wanted.discovery, *_chaps(wanted.targets)))
        return wanted


class Amend(Request[ReportChange | None]):
    """Makes the exports as wanted, given as the difference to the document of generation `base` of the same database.

    None if that is not the last document that was accepted here: then the whole document has to be sent.
    """

    kind: Literal["amend"] = "amend"
    database_id: Id
    base: int
    change: ExportChange

    @field_validator("change")
    @classmethod
    def _can_be_asked_for(cls, change: ExportChange) -> ExportChange:
        _check_chaps(_chaps(change.targets))
        return change


def _chaps(targets: Iterable[ExportTarget]) -> Iterator[ExportChap | None]:
    return (one.chap for target in targets for one in target.initiators)


def _check_chaps(chaps: Iterable[ExportChap | None]) -> None:
    """Raises ValueError for names and secrets that the kernel treats as none."""
    if any(is_cleared((c.user, c.mutual_user), (c.secret, c.mutual_secret)) for c in chaps if c):
        raise ValueError(f"expected CHAP names and secrets that do not begin with {CLEARED}")


class ReadCopies(Request[tuple[FoundCopy, ...]]):
    """Asks for the sealed copies of all arrays with our mark; one that is down is started for it.

    It waits for missing disks unless it may start `degraded`.
    """

    kind: Literal["read_copies"] = "read_copies"
    fixed_s = STEP_S
    degraded: bool = False


class SealCopy(Request[int]):
    """Writes an array's sealed copy; the answer is its generation."""

    kind: Literal["seal_copy"] = "seal_copy"
    order: SealOrder


class UseKey(Request[str | None]):
    """Lends a passphrase, unlocks an array, or changes who opens it.

    The answer is what was done, None if there was nothing to do. Refused with Invalid for a passphrase that does not
    open the array.
    """

    kind: Literal["use_key"] = "use_key"
    fixed_s = KEY_S
    order: KeyOrder


# One request of the closed set, which is defined above: a class that is defined elsewhere is not accepted.
if TYPE_CHECKING:
    AnyRequest = Request[Any]
else:
    AnyRequest = Annotated[functools.reduce(operator.or_, REQUESTS.values()), Field(discriminator="kind")]


class Envelope(Model):
    """What travels to the agent."""

    version: Literal[4] = 4
    request: AnyRequest


ENVELOPE = TypeAdapter(Envelope)


class Answer(Model, Generic[Result_co]):
    """A reply that is not a refusal."""

    kind: Literal["answer"] = "answer"
    answer: Result_co


Reply = Answer[Any] | ProblemReply


@functools.cache
def answer_type(request: type[Request[Any]]) -> type[Answer[Any]]:
    """What carries the answer to a request of this class, and takes no other answer."""
    arguments = (base.__pydantic_generic_metadata__["args"] for base in request.__mro__ if issubclass(base, Request))
    [result] = next(filter(None, arguments))
    return cast("type[Answer[Any]]", Answer.__class_getitem__(result))


@functools.cache
def reply_type(request: type[Request[Any]]) -> TypeAdapter[Reply]:
    """Reads a reply to a request of this class; its errors do not show what was wrong, which may be a secret."""
    either: Any = Annotated[answer_type(request) | ProblemReply, Field(discriminator="kind")]
    return TypeAdapter(either, config=ConfigDict(hide_input_in_errors=True))
