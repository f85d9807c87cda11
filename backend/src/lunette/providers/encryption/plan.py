"""Space and names of encryption: pure, so that the planner can show it before anything runs."""

from lunette.domain.arrays import EngineAbility, EngineCapability, LackingAbility
from lunette.domain.encryption import Encryption
from lunette.domain.sizes import MIB
from lunette.domain.steps import LuksCreate, LuksDestroy
from lunette.providers.arrays.md.plan import md_name

TOOL = "cryptsetup"
HEADER_BYTES = 16 * MIB
"""Offset of the data: cryptsetup's default for LUKS2, two copies of the metadata and the key slots."""


def mapping_name(array_id: str) -> str:
    """The opened device's name in /dev/mapper."""
    return f"lunette-{md_name(array_id)}"


def mapping_of_md(name: str) -> str:
    """The mapping on the array of this md name, with or without its home host in front."""
    return f"lunette-{name.rpartition(':')[2]}"


def mapping_of(array_id: str, encryption: Encryption | None) -> str | None:
    """The mapping of an array; None if it is not encrypted."""
    return mapping_name(array_id) if encryption else None


def mapping_path(mapping: str) -> str:
    return f"/dev/mapper/{mapping}"


def inner_bytes(array_bytes: int, encryption: Encryption | None) -> int:
    """The space that an encrypted array of this size offers a volume group."""
    return max(0, array_bytes - HEADER_BYTES) if encryption else array_bytes


def create_step(array_id: str, array_uuid: str, sector_bytes: int, *, keep_key: bool) -> LuksCreate:
    return LuksCreate(
        array_id=array_id,
        array_uuid=array_uuid,
        mapping=mapping_name(array_id),
        sector_bytes=sector_bytes,
        keep_key=keep_key,
    )


def destroy_step(array_id: str, array_uuid: str) -> LuksDestroy:
    return LuksDestroy(array_id=array_id, array_uuid=array_uuid, mapping=mapping_name(array_id))


def without(record: EngineCapability, words: str) -> EngineCapability:
    """The record of an array engine that cannot encrypt: `words` say why, and which can."""
    lacking = LackingAbility(ability=EngineAbility.ENCRYPTION, reason=words)
    return record.model_copy(update={"lacking": (*record.lacking, lacking)})


def offered(record: EngineCapability, reason: str | None) -> EngineCapability:
    """The record of an array engine that can encrypt; `reason` says what this machine lacks for it, if anything."""
    if reason:
        return without(record, reason)
    return record.model_copy(update={"encryption": (Encryption.LUKS2,)})
