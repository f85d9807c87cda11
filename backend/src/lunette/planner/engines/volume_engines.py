"""The volume engines of the planner, and questions about any engine.

Callers refuse what the capability record of an engine does not offer (`unable_reason`) before requesting steps.
"""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from lunette.domain.arrays import ArrayCreate, ArrayEngine, EngineAbility, EngineCapability, MemberRole
from lunette.domain.encryption import Encryption
from lunette.domain.errors import FieldProblem
from lunette.domain.observations import Observation
from lunette.domain.volumes import Provisioning, VolumeEngine
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.providers.encryption.plan import inner_bytes
from lunette.providers.volumes.lvm.planning import PLANNING as LVM
from lunette.providers.volumes.planning import (
    Cutting,
    Growing,
    Snapshotting,
    SnapshottingTogether,
    ThinPooling,
    VolumePlanning,
)
from lunette.providers.volumes.zvol.planning import PLANNING as ZVOL

Part = TypeVar("Part")
VOLUME_ENGINES: Mapping[VolumeEngine, VolumePlanning] = {one.engine: one for one in (LVM, ZVOL)}


NO_THICK_SNAPSHOTS = (
    "it is thick, and a snapshot would turn each first write by its hosts into several writes for the lifetime of "
    "the snapshot; only thin volumes support snapshots here"
)


_WORDS = {
    EngineAbility.THIN: "thin volumes",
    EngineAbility.GROW: "growth of volumes",
    EngineAbility.SNAPSHOT: "snapshots",
}


def _offers(record: EngineCapability, ability: EngineAbility) -> bool:
    """Whether a volume engine offers an ability beyond thick volumes."""
    offered = {
        EngineAbility.THIN: record.can_thin,
        EngineAbility.GROW: record.can_grow,
        EngineAbility.SNAPSHOT: record.can_snapshot,
    }
    return offered[ability]


def volume_engine(engine: ArrayEngine) -> VolumeEngine:
    """The engine of volumes on arrays of this engine."""
    return ARRAY_ENGINES[engine].volumes


def volumes_of(engine: ArrayEngine) -> VolumePlanning:
    """The engine that plans the volumes on an array of this engine."""
    return VOLUME_ENGINES[volume_engine(engine)]


def volume_planning(engine: ArrayEngine) -> Cutting:
    """The planning of volumes on an array of this engine."""
    return volumes_of(engine).cutting


def capacity(engine: ArrayEngine, array_bytes: int, encryption: Encryption | None) -> int:
    """Space for volumes on an array of this size, as planned and while the array does not run."""
    return volume_planning(engine).room_bytes(inner_bytes(array_bytes, encryption))


def thin_pooling(engine: ArrayEngine) -> ThinPooling | None:
    """The planning of thin pools on an array of this engine; None if thin volumes need none there."""
    return volumes_of(engine).thin_pooling


def growing(engine: ArrayEngine) -> Growing:
    """The planning of growth of volumes on an array of this engine. Raises LookupError if it does not offer growth."""
    return _offered(volumes_of(engine).growing, engine)


def snapshotting(engine: ArrayEngine) -> Snapshotting:
    """The planning of snapshots on an array of this engine. Raises LookupError if it does not offer them."""
    return _offered(volumes_of(engine).snapshotting, engine)


def snapshotting_together(engine: ArrayEngine) -> SnapshottingTogether | None:
    """The planning of simultaneous snapshots on an array of this engine; None if it takes one after another."""
    return volumes_of(engine).snapshotting_together


def _offered(part: Part | None, engine: ArrayEngine) -> Part:
    if part is None:
        raise LookupError(f"volumes on arrays of engine {engine.value} do not offer this")
    return part


def hides_volumes(seen: Observation, engine: ArrayEngine, group: str) -> bool:
    """True while the pool or group of an array, or a volume in it, may exist although it is not observed."""
    return seen.hides(volumes_of(engine).parts, group)


def thick_snapshot_reason(engine: ArrayEngine, provisioning: Provisioning) -> str | None:
    """Why a volume with this provisioning on an array of this engine has no snapshots; None if it can have them."""
    if provisioning is Provisioning.THIN or volume_planning(engine).capability().can_snapshot_thick:
        return None
    return NO_THICK_SNAPSHOTS


def unable_reason(seen: Observation, engine: ArrayEngine, ability: EngineAbility | None = None) -> str | None:
    """Why volumes on an array of this engine are not available here, or not with this ability; None if they are."""
    name = volume_engine(engine).value
    if reason := missing_reason(seen, "volume", name):
        return reason
    record = capabilities(seen, "volume")[name]
    if ability is None or _offers(record, ability):
        return None
    if why := record.lacks(ability):
        return f"{_WORDS[ability]}: {why}"
    return f"volume engine {name}, which arrays of engine {engine.value} use, does not offer {_WORDS[ability]}"


def level_problem(spec: ArrayCreate) -> FieldProblem | None:
    """Why the engine does not support the level; None if it does."""
    offered = [facts.level for facts in ARRAY_ENGINES[spec.engine].capability().levels]
    if spec.level in offered:
        return None
    rule = f"engine {spec.engine.value} offers {', '.join(level.value for level in offered)}"
    return FieldProblem(field="level", value=spec.level.value, message=rule)


def recorded_roles(spec: ArrayCreate) -> tuple[MemberRole, ...]:
    """The roles other than data that disks of such an array retain; none if the engine turns spares into members."""
    return next(facts.roles for facts in ARRAY_ENGINES[spec.engine].capability().levels if facts.level is spec.level)


def role_problems(spec: ArrayCreate) -> Iterator[FieldProblem]:
    """Refuses disks of roles that this engine does not use, and groups it does not create. The engine checks spares
    itself.
    """
    for role, ids in spec.by_role().items():
        if ids and role not in (MemberRole.DATA, MemberRole.SPARE, *recorded_roles(spec)):
            rule = f"an array of engine {spec.engine.value} does not support {role.value} disks: omit {role.field}"
            yield FieldProblem(field=role.field, value=str(len(ids)), message=rule)
    levels = ARRAY_ENGINES[spec.engine].capability().levels
    options = next(facts.options for facts in levels if facts.level is spec.level)
    if spec.write_mostly and "write_mostly" not in options:
        rule = (
            f"{spec.level.value} reads every disk for its own part of the data: only md raid1 supports write-mostly "
            "disks"
        )
        yield FieldProblem(field="write_mostly", value=", ".join(spec.write_mostly), message=rule)
    if spec.integrity and "integrity" not in options:
        rule = f"engine {spec.engine.value} does not support these checksums: omit integrity"
        yield FieldProblem(field="integrity", value="true", message=rule)
    if spec.spare_group is not None and "spare_group" not in options:
        rule = f"{spec.level.value} of engine {spec.engine.value} does not share spares: omit spare_group"
        yield FieldProblem(field="spare_group", value=spec.spare_group, message=rule)
    for field in ("group_data_disks", "distributed_spares"):
        if (value := getattr(spec, field)) is not None and field not in options:
            yield FieldProblem(field=field, value=str(value), message=f"only a draid supports {field}: omit it")


def capabilities(seen: Observation, kind: str) -> dict[str, EngineCapability]:
    """The engines of one kind (array, volume, export) that the machine reported, by name."""
    return {engine.engine: engine for engine in seen.engines if engine.kind == kind}


def missing_reason(seen: Observation, kind: str, engine: str) -> str | None:
    """Why an engine cannot be used here, or None if it can."""
    known = capabilities(seen, kind)
    offered = ", ".join(sorted(name for name, record in known.items() if record.available)) or "none"
    if engine not in known:
        return f"this appliance has no {kind} engine {engine}; it has: {offered}"
    if not known[engine].available:
        return f"{kind} engine {engine} is not available: {known[engine].reason}"
    return None


_OVER = {one.value: one for one in EngineAbility}


def unserved_reason(seen: Observation, engine: str, protocol: str) -> str | None:
    """Why an export engine cannot serve a protocol here, or None if it can."""
    if reason := missing_reason(seen, "export", engine):
        return reason
    record = capabilities(seen, "export")[engine]
    if protocol in record.protocols:
        return None
    if (ability := _OVER.get(protocol)) and (why := record.lacks(ability)):
        return f"{protocol}: {why}"
    return f"{engine} does not serve {protocol}; it serves: {', '.join(record.protocols) or 'nothing'}"
