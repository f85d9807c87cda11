"""Which engine plans what: the pure halves of the providers behind one protocol each."""

from collections.abc import Sequence
from typing import Protocol

from lunette.domain.arrays import ArrayCreate, ArrayEngine, EngineCapability, Level
from lunette.domain.errors import FieldProblem
from lunette.domain.observations import Observation
from lunette.domain.steps import MdCreate, MdDestroy, MdMember
from lunette.providers.arrays.md import plan as md


class ArrayPlanning(Protocol):
    """The pure half of an array engine."""

    def problems(self, wish: ArrayCreate, disk_bytes: Sequence[int]) -> tuple[FieldProblem, ...]: ...

    def usable_bytes(self, level: Level, member: int, disks: int) -> int: ...

    def create_step(
        self, array_id: str, uuid: str, wish: ArrayCreate, members: Sequence[MdMember], disk_bytes: Sequence[int]
    ) -> MdCreate: ...

    def destroy_step(self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MdMember]) -> MdDestroy: ...


ARRAY_ENGINES: dict[ArrayEngine, ArrayPlanning] = {ArrayEngine.MD: md}


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


def unserved_reason(seen: Observation, engine: str, protocol: str) -> str | None:
    """Why an export engine cannot serve a protocol here, or None if it can."""
    if reason := missing_reason(seen, "export", engine):
        return reason
    record = capabilities(seen, "export")[engine]
    if protocol in record.protocols:
        return None
    why = next((line for line in record.lacking if line.startswith(f"{protocol}:")), None)
    return why or f"{engine} does not serve {protocol}; it serves: {', '.join(record.protocols) or 'nothing'}"
