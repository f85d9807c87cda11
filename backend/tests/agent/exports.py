"""Export documents for tests: small, whole, and easy to vary."""

import uuid
from collections.abc import Sequence

from pydantic import SecretStr

from lunette.domain.arrays import ArrayEngine
from lunette.domain.exports import (
    ExportArray,
    ExportChap,
    ExportInitiator,
    ExportLun,
    ExportPortal,
    ExportSet,
    ExportTarget,
    ExportVolume,
)
from lunette.domain.hosts import OsType
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import ExportEngine, Protocol

APPLIANCE = "0123456789ab"
CHAP = ExportChap(
    user="alice", secret=SecretStr("secretsecret1"), mutual_user="target", mutual_secret=SecretStr("mutualmutual1")
)


def id_of(number: int) -> str:
    """A stable UUID for a small number."""
    return str(uuid.UUID(int=number))


def array(number: int) -> ExportArray:
    return ExportArray(
        array_id=id_of(number), name=f"tank{number}", engine=ArrayEngine.MD, uuid=f"{number:032x}",
        group=f"lunette-{number:012x}", members=(),
    )  # fmt: skip


def volume(number: int, of_array: int = 0) -> ExportVolume:
    group, name = f"lunette-{of_array:012x}", f"v{number:012x}"
    return ExportVolume(
        volume_id=id_of(number), name=f"vol{number}", array_id=id_of(of_array), group=group,
        device=f"/dev/{group}/{name}", size_bytes=64 * 1024**2,
        identity=IdentitySource(lambda: uuid.UUID(int=number + (1 << 100))).volume(),
    )  # fmt: skip


def portal(number: int, address: str = "192.0.2.1") -> ExportPortal:
    return ExportPortal(
        portal_id=id_of(number), protocol=Protocol.ISCSI, engine=ExportEngine.LIO, address=address, port=3260
    )


def initiator(number: int, chap: ExportChap | None = None) -> ExportInitiator:
    return ExportInitiator(
        initiator_id=id_of(number), host=f"host{number}", iqn=f"iqn.2026-01.com.example:h{number}", chap=chap
    )


def lun(mapping: int, number: int, of_volume: int) -> ExportLun:
    return ExportLun(mapping_id=id_of(mapping), lun=number, volume_id=id_of(of_volume))


def target(number: int, initiators: Sequence[ExportInitiator], luns: Sequence[ExportLun]) -> ExportTarget:
    return ExportTarget(
        target_id=id_of(number), owner=id_of(number), iqn=f"iqn.2026-11.io.lunette:{APPLIANCE}.{number:08x}", tag=1,
        os_type=OsType.LINUX, initiators=tuple(initiators), luns=tuple(luns),
    )  # fmt: skip


def exports(**parts: object) -> ExportSet:
    """A document of generation 1, with the parts given."""
    whole = {
        "database_id": "db", "appliance_id": APPLIANCE, "generation": 1, "arrays": (), "volumes": (), "portals": (),
        "targets": (),
    }  # fmt: skip
    return ExportSet.model_validate(whole | parts)
