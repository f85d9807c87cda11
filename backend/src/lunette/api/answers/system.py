"""The appliance as a whole: health in one sentence, and what its engines can do."""

from enum import StrEnum

from lunette.api.answers.base import Answer
from lunette.domain.arrays import ArrayVerb, EngineCapability, Level, MemberRole, Raid10Layout, WriteHole
from lunette.domain.encryption import Encryption


class HealthState(StrEnum):
    GOOD = "good"
    WARNING = "warning"
    CRITICAL = "critical"


class Convergence(StrEnum):
    """converged: all that is wanted is taken up. pending: the agent is behind. held: the brake keeps things served.

    refused: the agent refused the wish. unknown: it has not answered yet.
    """

    CONVERGED = "converged"
    PENDING = "pending"
    HELD = "held"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class ExportsStatus(Answer):
    """How far the machine's exports are what the database wants."""

    state: Convergence
    wanted_generation: int
    applied_generation: int | None
    reason: str | None
    unexplained: tuple[str, ...]
    """Served though nobody asks for it any more: the brake keeps it until someone decides."""
    foreign: tuple[str, ...]
    """Exports that are not ours: shown, never touched."""
    age_s: float | None


class AgentStatus(Answer):
    """Whether the root agent answers; `age_s` is the age of its last observation."""

    answers: bool
    reason: str | None
    age_s: float | None


class Counts(Answer):
    """How many there are. Disks and sessions are null while the agent does not answer, or cannot see all of them."""

    disks: int | None
    arrays: int
    volumes: int
    hosts: int
    host_groups: int
    portals: int
    mappings: int
    sessions: int | None
    running_jobs: int
    stuck_jobs: int
    alerts: int


class Status(Answer):
    """The appliance at a glance."""

    health: HealthState
    sentence: str
    name: str
    version: str
    appliance_id: str
    addresses: tuple[str, ...]
    exports: ExportsStatus
    agent: AgentStatus
    counts: Counts


class Health(Answer):
    """That the API answers; nothing more is told without credentials."""

    status: str


class EngineLevel(Answer):
    """One level an engine offers: how many disks it takes, how many losses it survives, the cost of a small write."""

    level: Level
    min_disks: int
    max_disks: int
    survives_failures: str
    small_write_ios: float
    write_hole: tuple[WriteHole, ...]
    verbs: tuple[ArrayVerb, ...]
    """What can be done with an array of it that stands, other than deleting it."""
    layouts: tuple[Raid10Layout, ...]
    """Where its copies can lie, the default first; empty where there is nothing to choose."""
    roles: tuple[MemberRole, ...]
    """What disks beside its data disks can be for."""
    becomes: tuple[Level, ...]
    """Levels that a standing array of it can be changed to."""
    options: tuple[str, ...]
    """Fields of a creation that mean something for it, beside name, engine, level, disks and wipe."""


class Engine(Answer):
    """What an engine can do on this machine; where it is not available, why, and what would bring it."""

    engine: str
    kind: str
    available: bool
    reason: str | None
    levels: tuple[EngineLevel, ...]
    can_grow: bool
    can_thin: bool
    can_snapshot: bool
    can_snapshot_thick: bool
    """Thick volumes can have snapshots as well."""
    can_snapshot_together: bool
    """Snapshots of several volumes of one array can be taken at one moment."""
    can_qos: bool
    reservations: bool
    compare_and_write: bool
    protocols: tuple[str, ...]
    """What an export engine can serve here now."""
    lacking: tuple[str, ...]
    """Why it cannot serve the others it knows."""
    encryption: tuple[Encryption, ...]
    """How an array engine can encrypt a new array here; why not, if not, is in `lacking`."""
    health_commands: tuple[str, ...]
    """Names of the commands on this machine that can tell the health of an array of this engine."""
    needs: tuple[str, ...]


def engine_answer(capability: EngineCapability) -> Engine:
    return Engine(
        engine=capability.engine,
        kind=capability.kind,
        available=capability.available,
        reason=capability.reason,
        levels=tuple(
            EngineLevel(
                level=level.level,
                min_disks=level.min_disks,
                max_disks=level.max_disks,
                survives_failures=level.survives_failures,
                small_write_ios=level.small_write_ios,
                becomes=level.becomes,
                write_hole=level.write_hole,
                verbs=level.verbs,
                layouts=level.layouts,
                roles=level.roles,
                options=level.options,
            )
            for level in capability.levels
        ),
        can_grow=capability.can_grow,
        can_thin=capability.can_thin,
        can_snapshot=capability.can_snapshot,
        can_snapshot_thick=capability.can_snapshot_thick,
        can_snapshot_together=capability.can_snapshot_together,
        can_qos=capability.can_qos,
        reservations=capability.reservations,
        compare_and_write=capability.compare_and_write,
        protocols=capability.protocols,
        lacking=capability.lacking,
        encryption=capability.encryption,
        health_commands=capability.health_commands,
        needs=capability.needs,
    )
