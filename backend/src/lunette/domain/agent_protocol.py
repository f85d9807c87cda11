"""The closed set of requests the root agent answers (DESIGN R6), versioned.

Framing on the Unix socket: a 4-byte big-endian length, then UTF-8 JSON. One reply per request, in order. A request
that is not of this set, or of another version, is answered with a problem and changes nothing.
"""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, field_validator

from lunette.domain.adopting import Foreign
from lunette.domain.base import Model
from lunette.domain.border import Id
from lunette.domain.counters import Counters
from lunette.domain.encryption import KeyOrder
from lunette.domain.errors import ERRORS, FieldProblem, LunetteError, ProblemType
from lunette.domain.exports import ConvergeReport, ExportSet
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.hosts import CLEARED, is_cleared
from lunette.domain.observations import Observation, RefusedLogin, SessionsObservation
from lunette.domain.sealed_copies import FoundCopy, SealOrder
from lunette.domain.steps import AnyStep
from lunette.domain.support import SupportFacts
from lunette.domain.updates import BundleFacts, BundleId

PROTOCOL_VERSION = 1
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
SOCKET_PATH = "/run/lunette/agent.sock"


class Hello(Model):
    """Asks who answers."""

    kind: Literal["hello"] = "hello"


class Observe(Model):
    """Asks for a fresh snapshot of disks, arrays, pools, volumes and engines."""

    kind: Literal["observe"] = "observe"


class ObserveSessions(Model):
    kind: Literal["observe_sessions"] = "observe_sessions"


class ObserveRefused(Model):
    """Asks whom LIO turned away because it knows no such initiator; it reads the kernel's log."""

    kind: Literal["observe_refused"] = "observe_refused"


class ObserveServed(Model):
    """Asks for the boot ledger: what is served, whatever the database says. Secrets are left out."""

    kind: Literal["observe_served"] = "observe_served"


class ObserveForeign(Model):
    """Asks what LIO serves for others, with the secrets of its hosts: it is what they are let in with later."""

    kind: Literal["observe_foreign"] = "observe_foreign"


class ObserveForeignArrays(Model):
    """Asks for all md arrays with what lies on those that run; none is started for it."""

    kind: Literal["observe_foreign_arrays"] = "observe_foreign_arrays"


class ObserveCounters(Model):
    """Asks what has been counted so far; nothing is run for it, so it may be asked every few seconds."""

    kind: Literal["observe_counters"] = "observe_counters"


class CollectFacts(Model):
    """Asks for what a support bundle says of the machine; it takes up to some minutes."""

    kind: Literal["collect_facts"] = "collect_facts"


class AwaitChange(Model):
    """Asks for the number of changes of drives and arrays; answers when it is not `known`, or after `timeout_s`."""

    kind: Literal["await_change"] = "await_change"
    known: int
    timeout_s: float = Field(ge=0, le=60)


class LookAtBundle(Model):
    """Asks what an uploaded bundle is, and refuses one that is not signed by somebody who is trusted."""

    kind: Literal["look_at_bundle"] = "look_at_bundle"
    bundle_id: BundleId


class DoStep(Model):
    """Runs one step; one that is done already answers `already` and changes nothing."""

    kind: Literal["do_step"] = "do_step"
    job_id: Id | None
    """None: outside any job, such as to confirm what is on trial."""
    step: AnyStep


class UndoStep(Model):
    """Takes one step back; does nothing unless what it finds is the step's own work."""

    kind: Literal["undo_step"] = "undo_step"
    job_id: Id
    step: AnyStep


class Converge(Model):
    """Makes the exports as wanted and keeps the document as the boot ledger."""

    kind: Literal["converge"] = "converge"
    wanted: ExportSet

    @field_validator("wanted")
    @classmethod
    def _can_be_asked_for(cls, wanted: ExportSet) -> ExportSet:
        """Not in ExportSet: a ledger that an older agent wrote is read all the same."""
        chaps = (wanted.discovery, *(one.chap for door in wanted.targets for one in door.initiators))
        if any(is_cleared((c.user, c.mutual_user), (c.secret, c.mutual_secret)) for c in chaps if c):
            raise ValueError(f"expected CHAP names and secrets that do not begin with {CLEARED}")
        return wanted


class ReadCopies(Model):
    """Asks for the sealed copies of all arrays with our mark; one that is down is started for it.

    It waits for missing disks unless it may start `degraded`.
    """

    kind: Literal["read_copies"] = "read_copies"
    degraded: bool = False


class SealCopy(Model):
    """Writes an array's sealed copy."""

    kind: Literal["seal_copy"] = "seal_copy"
    order: SealOrder


class UseKey(Model):
    """Lends a passphrase, unlocks an array, or changes who opens it."""

    kind: Literal["use_key"] = "use_key"
    order: KeyOrder


AnyRequest = Annotated[
    Hello
    | Observe
    | ObserveSessions
    | ObserveRefused
    | ObserveServed
    | ObserveForeign
    | ObserveForeignArrays
    | ObserveCounters
    | CollectFacts
    | AwaitChange
    | LookAtBundle
    | DoStep
    | UndoStep
    | Converge
    | ReadCopies
    | SealCopy
    | UseKey,
    Field(discriminator="kind"),
]


class Envelope(Model):
    """What travels to the agent."""

    version: Literal[1] = 1
    request: AnyRequest


class HelloReply(Model):
    kind: Literal["hello"] = "hello"
    version: int
    agent: str
    ledger_generation: int | None
    serving: tuple[str, ...] = ()
    """Targets and subsystems that are open to their hosts."""


class ObserveReply(Model):
    kind: Literal["observe"] = "observe"
    observation: Observation


class SessionsReply(Model):
    kind: Literal["observe_sessions"] = "observe_sessions"
    sessions: SessionsObservation


class RefusedReply(Model):
    kind: Literal["observe_refused"] = "observe_refused"
    logins: tuple[RefusedLogin, ...]


class ServedReply(Model):
    kind: Literal["observe_served"] = "observe_served"
    served: ExportSet | None
    """None if nothing was ever asked for, or the ledger cannot be read."""


class ForeignReply(Model):
    kind: Literal["observe_foreign"] = "observe_foreign"
    foreign: Foreign


class ForeignArraysReply(Model):
    kind: Literal["observe_foreign_arrays"] = "observe_foreign_arrays"
    arrays: tuple[FoundArray, ...]


class CountersReply(Model):
    kind: Literal["observe_counters"] = "observe_counters"
    counters: Counters


class FactsReply(Model):
    kind: Literal["collect_facts"] = "collect_facts"
    facts: SupportFacts


class ChangeReply(Model):
    kind: Literal["await_change"] = "await_change"
    number: int


class BundleReply(Model):
    kind: Literal["look_at_bundle"] = "look_at_bundle"
    bundle: BundleFacts


class StepReply(Model):
    kind: Literal["step"] = "step"
    changed: bool
    """False if there was nothing to do: the work was done, or undone, already."""
    detail: str


class ConvergeReply(Model):
    kind: Literal["converge"] = "converge"
    report: ConvergeReport


class CopiesReply(Model):
    kind: Literal["read_copies"] = "read_copies"
    copies: tuple[FoundCopy, ...]


class SealedReply(Model):
    kind: Literal["seal_copy"] = "seal_copy"
    generation: int


class KeyReply(Model):
    kind: Literal["use_key"] = "use_key"
    detail: str | None
    """None if there was nothing to do."""


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


AnyReply = Annotated[
    HelloReply
    | ObserveReply
    | SessionsReply
    | RefusedReply
    | ServedReply
    | ForeignReply
    | ForeignArraysReply
    | CountersReply
    | FactsReply
    | ChangeReply
    | BundleReply
    | StepReply
    | ConvergeReply
    | CopiesReply
    | SealedReply
    | KeyReply
    | ProblemReply,
    Field(discriminator="kind"),
]
ENVELOPE = TypeAdapter(Envelope)
REPLY: TypeAdapter[AnyReply] = TypeAdapter(AnyReply, config=ConfigDict(hide_input_in_errors=True))
