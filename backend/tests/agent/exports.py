"""Export documents for tests: small, whole, and easy to vary."""

import base64
import uuid
import zlib
from collections.abc import Sequence

from pydantic import SecretStr

from lunette.domain.arrays import ArrayEngine
from lunette.domain.dhchap import DhGroup, DhHash
from lunette.domain.exports import (
    ExportArray,
    ExportChap,
    ExportDhChap,
    ExportFcInitiator,
    ExportFcPort,
    ExportInitiator,
    ExportLun,
    ExportNvmeHost,
    ExportPortal,
    ExportSet,
    ExportSubsystem,
    ExportTarget,
    ExportVolume,
)
from lunette.domain.fc import FcMode
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
        array_id=id_of(number),
        name=f"tank{number}",
        engine=ArrayEngine.MD,
        uuid=f"{number:032x}",
        group=f"lunette-{number:012x}",
        members=(),
    )


def volume(number: int, of_array: int = 0) -> ExportVolume:
    group, name = f"lunette-{of_array:012x}", f"v{number:012x}"
    return ExportVolume(
        volume_id=id_of(number),
        name=f"vol{number}",
        array_id=id_of(of_array),
        group=group,
        device=f"/dev/{group}/{name}",
        size_bytes=64 * 1024**2,
        identity=IdentitySource(lambda: uuid.UUID(int=number + (1 << 100))).volume(),
    )


def portal(number: int, address: str = "192.0.2.1") -> ExportPortal:
    return ExportPortal(
        portal_id=id_of(number), protocol=Protocol.ISCSI, engine=ExportEngine.LIO, address=address, port=3260
    )


def initiator(number: int, chap: ExportChap | None = None) -> ExportInitiator:
    return ExportInitiator(
        initiator_id=id_of(number), host=f"host{number}", iqn=f"iqn.2026-01.com.example:h{number}", chap=chap
    )


def wwpn_of(number: int, kind: str = "10") -> str:
    """A host's WWPN for a small number; kind 50 are ours."""
    return f"{kind}:00:00:00:00:00:00:{number:02x}"


def fc_initiator(number: int) -> ExportFcInitiator:
    return ExportFcInitiator(initiator_id=id_of(number), host=f"host{number}", wwpn=wwpn_of(number))


def fc_port(number: int, mode: FcMode = FcMode.TARGET) -> ExportFcPort:
    return ExportFcPort(port_id=id_of(number), wwpn=wwpn_of(number, "50"), mode=mode)


def lun(mapping: int, number: int, of_volume: int) -> ExportLun:
    return ExportLun(mapping_id=id_of(mapping), lun=number, volume_id=id_of(of_volume))


def target(number: int, initiators: Sequence[ExportInitiator], luns: Sequence[ExportLun]) -> ExportTarget:
    return ExportTarget(
        target_id=id_of(number),
        owner=id_of(number),
        iqn=f"iqn.2026-11.io.lunette:{APPLIANCE}.{number:08x}",
        tag=1,
        os_type=OsType.LINUX,
        initiators=tuple(initiators),
        luns=tuple(luns),
    )


def nvme_portal(number: int, address: str = "192.0.2.1", protocol: Protocol = Protocol.NVME_TCP) -> ExportPortal:
    return ExportPortal(
        portal_id=id_of(number), protocol=protocol, engine=ExportEngine.NVMET, address=address, port=4420
    )


def dhchap_key(number: int) -> str:
    """A key that is whole, for a small number."""
    secret = bytes([number]) * 32
    return f"DHHC-1:00:{base64.b64encode(secret + zlib.crc32(secret).to_bytes(4, 'little')).decode()}:"


def dhchap(number: int, mutual: int | None = None) -> ExportDhChap:
    return ExportDhChap(
        secret=SecretStr(dhchap_key(number)),
        mutual_secret=SecretStr(dhchap_key(mutual)) if mutual else None,
        hash=DhHash.SHA256,
        dh_group=DhGroup.FFDHE2048,
    )


def nqn_of(number: int) -> str:
    """The name of an NVMe host."""
    return f"nqn.2014-08.org.nvmexpress:uuid:{id_of(number)}"


def nvme_host(number: int, asked: ExportDhChap | None = None) -> ExportNvmeHost:
    return ExportNvmeHost(initiator_id=id_of(number), host=f"host{number}", nqn=nqn_of(number), dhchap=asked)


def subsystem(number: int, hosts: Sequence[ExportNvmeHost], luns: Sequence[ExportLun]) -> ExportSubsystem:
    return ExportSubsystem(
        target_id=id_of(number),
        owner=id_of(number),
        nqn=f"nqn.2026-11.io.lunette:{APPLIANCE}.{number:08x}",
        serial=f"{number:020}",
        hosts=tuple(hosts),
        luns=tuple(luns),
    )


def exports(**parts: object) -> ExportSet:
    """A document of generation 1, with the parts given."""
    whole = {
        "database_id": "db",
        "appliance_id": APPLIANCE,
        "generation": 1,
        "arrays": (),
        "volumes": (),
        "portals": (),
        "targets": (),
    }
    return ExportSet.model_validate(whole | parts)
