"""What encryption changes in the plans of an array: a step between the array and its volume group, and its undo."""

import dataclasses
from collections.abc import Iterator, Sequence

from lunette.domain.arrays import ArrayCreate, EngineAbility
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import FieldProblem
from lunette.domain.observations import Observation
from lunette.domain.steps import AnyStep, GroupErase, GroupRemove
from lunette.planner.engines.planning import Blueprint
from lunette.planner.engines.volume_engines import capabilities
from lunette.providers.encryption import plan as luks

KEPT = (
    "The appliance stores a key and unlocks the array automatically: this protects disks that are removed from the "
    "appliance, but not if the whole appliance is stolen."
)
ONLY = (
    "The passphrase is not stored: if it is lost, all data on the array is lost. The array stays locked after each "
    "restart until the passphrase is entered."
)


def problem(spec: ArrayCreate, seen: Observation) -> FieldProblem | None:
    """Why an array of this engine cannot be encrypted here; None if it can, or should not be."""
    if spec.encryption is None:
        return None
    record = capabilities(seen, "array").get(spec.engine.value)
    if record is None or spec.encryption in record.encryption:
        return None
    why = record.lacks(EngineAbility.ENCRYPTION)
    rule = why or f"arrays of engine {spec.engine.value} cannot be encrypted on this appliance"
    return FieldProblem(field="encryption", value=spec.encryption.value, message=rule)


def blueprint(made: Blueprint, array_id: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
    """The planned array, with its encryption."""
    if spec.encryption is None or made.group is None:
        return made
    sector = max(disk.logical_block_bytes for disk in disks)
    crypt = luks.create_step(array_id, made.uuid, sector, keep_key=spec.keep_key)
    return dataclasses.replace(
        made,
        crypt=crypt,
        group=made.group.model_copy(update={"mapping": crypt.mapping}),
        warnings=(*made.warnings, KEPT if spec.keep_key else ONLY),
    )


def destroying(steps: Sequence[AnyStep], array_id: str, array_uuid: str) -> Iterator[AnyStep]:
    """Steps that destroy an array; its keys are erased before it is stopped."""
    for step in steps:
        if isinstance(step, GroupRemove | GroupErase):
            yield step.model_copy(update={"mapping": luks.mapping_name(array_id)})
            yield luks.destroy_step(array_id, array_uuid)
        else:
            yield step
