"""The status of the appliance as a whole, and the capabilities of its engines."""

from enum import StrEnum

from lunette.api.answers.base import Answer
from lunette.domain.arrays import ArrayVerb, EngineAbility, EngineCapability, Level, MemberRole, Raid10Layout, WriteHole
from lunette.domain.encryption import Encryption


class HealthState(StrEnum):
    """Overall health of the appliance."""

    GOOD = "good"
    """No problem is known."""
    WARNING = "warning"
    """Attention is needed, for example because of a degraded array, a stuck job or an active warning."""
    CRITICAL = "critical"
    """Data or access is affected or at risk, for example because of a failed or missing array, blocked hosts, an agent
    that does not answer, or an active critical alert."""


class Convergence(StrEnum):
    """How far the served exports match the desired state."""

    CONVERGED = "converged"
    """The agent has applied the desired state."""
    PENDING = "pending"
    """The agent has not applied the latest change yet."""
    HELD = "held"
    """The brake retains exports that the desired state no longer contains."""
    REFUSED = "refused"
    """The agent refuses the desired state because the database is older or a different one, and serves the earlier
    exports."""
    UNKNOWN = "unknown"
    """The agent has not answered since the API started."""


class ExportsStatus(Answer):
    """How far the served exports match the desired state."""

    state: Convergence
    """State of the exports in comparison with the desired state."""
    wanted_generation: int
    """Generation number of the desired state."""
    applied_generation: int | None
    """Generation number that the agent applied last; `null` if the agent has not reported yet."""
    reason: str | None
    """Why the state is not `converged`; `null` if it is."""
    unexplained: tuple[str, ...]
    """Exports that are served although the desired state no longer contains them. The brake retains them until an
    administrator decides."""
    foreign: tuple[str, ...]
    """Exports that Lunette does not manage. Lunette never changes them."""
    age_s: float | None
    """Age of the agent's last report in seconds; `null` if there is none."""


class AgentStatus(Answer):
    """Whether the storage agent answers."""

    answers: bool
    """Whether the agent answers."""
    reason: str | None
    """Why the agent does not answer; `null` if it does."""
    age_s: float | None
    """Age of the agent's last observation in seconds; `null` if there is none."""


class Counts(Answer):
    """Number of objects of each kind."""

    disks: int | None
    """Number of disks; `null` while the agent does not answer."""
    arrays: int
    """Number of arrays."""
    volumes: int
    """Number of volumes."""
    hosts: int
    """Number of hosts."""
    host_groups: int
    """Number of host groups."""
    portals: int
    """Number of portals."""
    mappings: int
    """Number of mappings."""
    sessions: int | None
    """Number of sessions; `null` while the agent does not answer or cannot list all sessions."""
    running_jobs: int
    """Number of jobs that are pending or running."""
    stuck_jobs: int
    """Number of stuck jobs."""
    alerts: int
    """Number of active alerts."""
    critical_alerts: int
    """Number of active alerts of severity `critical`."""
    warning_alerts: int
    """Number of active alerts of severity `warning`."""
    unacknowledged_alerts: int
    """Number of active alerts of severity `critical` or `warning` that are not acknowledged."""


class Status(Answer):
    """Overview of the appliance."""

    health: HealthState
    """Overall health of the appliance."""
    sentence: str
    """Most serious problem in one sentence, or the statement that there is none."""
    name: str
    """Name of the appliance; its host name if no name is set."""
    version: str
    """Lunette version that is running."""
    appliance_id: str
    """Unique ID of the appliance."""
    addresses: tuple[str, ...]
    """IP addresses of the network interfaces; empty while the agent does not answer."""
    exports: ExportsStatus
    """How far the served exports match the desired state."""
    agent: AgentStatus
    """Whether the storage agent answers."""
    counts: Counts
    """Number of objects of each kind."""


class Health(Answer):
    """Confirmation that the API answers. It contains no other information, because no credentials are needed."""

    status: str
    """Always `ok`."""


class EngineLevel(Answer):
    """One level that an array engine offers, with its limits and costs."""

    level: Level
    """Name of the level."""
    min_disks: int
    """Minimum number of disks."""
    max_disks: int
    """Maximum number of disks."""
    survives_failures: str
    """Number of failed disks that an array of this level survives, in words, such as `one disk`."""
    small_write_ios: float
    """Number of disk I/Os that one random write of 4 KiB causes, for the smallest array of this level."""
    write_hole: tuple[WriteHole, ...]
    """Available protections against a power loss between data and parity writes, the default first."""
    verbs: tuple[ArrayVerb, ...]
    """Changes that an existing array of this level supports, other than deletion."""
    layouts: tuple[Raid10Layout, ...]
    """Available arrangements of the copies, the default first; empty if there is no choice."""
    roles: tuple[MemberRole, ...]
    """Roles that disks can have in addition to the role of data disks."""
    becomes: tuple[Level, ...]
    """Levels to which an existing array of this level can be changed."""
    options: tuple[str, ...]
    """Request fields that apply to the creation of an array of this level, in addition to name, engine, level, disks
    and wipe."""


class EngineLacking(Answer):
    """An ability that an engine does not have on this machine."""

    ability: EngineAbility
    """The ability that is not available."""
    reason: str
    """Why the ability is not available, and what to do."""


class Engine(Answer):
    """Capabilities of one engine on this machine."""

    engine: str
    """Name of the engine, such as `md` or `nvmet`."""
    kind: str
    """Kind of the engine: `array`, `volume` or `export`."""
    available: bool
    """Whether the engine can be used on this machine."""
    reason: str | None
    """Why the engine is not available; `null` if it is."""
    levels: tuple[EngineLevel, ...]
    """Levels that an array engine offers; empty for other engines."""
    can_grow: bool
    """Whether a volume engine can grow volumes."""
    can_thin: bool
    """Whether a volume engine can create thin volumes."""
    can_snapshot: bool
    """Whether a volume engine can create snapshots."""
    can_snapshot_thick: bool
    """Whether thick volumes can have snapshots, in addition to thin volumes."""
    can_snapshot_together: bool
    """Whether snapshots of several volumes of one array can be taken at the same moment."""
    can_qos: bool
    """Whether the engine can limit the I/O of single volumes."""
    reservations: bool
    """Whether an export engine supports persistent reservations, which cluster nodes use to lock shared volumes."""
    compare_and_write: bool
    """Whether an export engine supports atomic compare-and-write, which ESXi uses to lock shared datastores."""
    protocols: tuple[str, ...]
    """Protocols that an export engine can serve on this machine now; empty for other engines."""
    lacking: tuple[EngineLacking, ...]
    """Abilities that the engine does not have on this machine, each with the reason."""
    encryption: tuple[Encryption, ...]
    """Encryption methods that an array engine offers for new arrays on this machine."""
    health_commands: tuple[str, ...]
    """Names of the commands on this machine that report the health of arrays of this engine."""
    needs: tuple[str, ...]
    """Tools and kernel modules that the engine uses."""


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
        lacking=tuple(EngineLacking(ability=one.ability, reason=one.reason) for one in capability.lacking),
        encryption=capability.encryption,
        health_commands=capability.health_commands,
        needs=capability.needs,
    )
