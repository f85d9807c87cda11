"""What has to stand in SPDK's target for a desired state: pure, and in the same shape as what is seen to stand there.

bdevs        one for each volume that is mapped, named after it, with the volume's own UUID
subsystems   one for each host or host group, as with nvmet: same NQN, serial, namespace numbers and identities
    namespaces -> bdev        nguid, uuid
    hosts                     NQN, with the names of its keys
    listeners                 every portal
discovery    answers on every portal
keys         DH-HMAC-CHAP, each a file that the program reads when a host connects; named after its content
"""

import hashlib
from collections.abc import Iterator
from ipaddress import ip_address
from uuid import UUID

from pydantic import Field, SecretStr

from lunette.domain.base import Model
from lunette.domain.exports import ExportNvmeHost, ExportPortal, ExportSet, ExportSubsystem, ExportVolume
from lunette.domain.mappings import ExportEngine, Protocol
from lunette.providers.exports.nvmet.tree import MODEL

MARK = "lunette-"
"""Our bdevs and keys are named so; our subsystems have the appliance's authority."""
DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery"


class Listener(Model):
    address: str
    port: int

    @property
    def shown(self) -> str:
        return f"{self.address} port {self.port}"


class Bdev(Model):
    name: str
    uuid: str
    device: str
    size_bytes: int


class Namespace(Model):
    nsid: int
    bdev: str
    uuid: str
    nguid: str
    """32 hexadecimal digits; zero where hosts are shown none."""


class Host(Model):
    nqn: str
    key: str | None = None
    """Name of the key that it must present; None if there is none."""
    mutual_key: str | None = None


class Subsystem(Model):
    """Parts by number and name, so that two states can be compared part by part."""

    nqn: str
    serial: str
    model: str
    namespaces: dict[int, Namespace] = Field(default_factory=dict)
    hosts: dict[str, Host] = Field(default_factory=dict)
    listeners: frozenset[Listener] = frozenset()


class SpdkTree(Model):
    bdevs: dict[str, Bdev] = Field(default_factory=dict)
    subsystems: dict[str, Subsystem] = Field(default_factory=dict)
    listeners: frozenset[Listener] = frozenset()
    keys: dict[str, SecretStr] = Field(default_factory=dict)
    volumes: dict[str, ExportVolume] = Field(default_factory=dict)
    """By the name of their bdev."""


def build(desired: ExportSet) -> SpdkTree:
    """What SPDK serves for a desired state. Unmapped volumes, portals and targets of other engines are omitted."""
    volumes = {volume.volume_id: volume for volume in desired.volumes}
    mapped = {lun.volume_id for subsystem in desired.subsystems for lun in subsystem.luns}
    listeners = frozenset(listener(portal) for portal in desired.portals if is_served(portal))
    keys = {key_name(secret): secret for subsystem in desired.subsystems for secret in _secrets(subsystem)}
    return SpdkTree(
        bdevs={bdev_name(id_): _bdev(volumes[id_]) for id_ in sorted(mapped)},
        subsystems={one.nqn: _subsystem(one, volumes, listeners) for one in desired.subsystems},
        listeners=listeners,
        keys=keys,
        volumes={bdev_name(id_): volumes[id_] for id_ in mapped},
    )


def is_served(portal: ExportPortal) -> bool:
    """True if this engine can listen there: discovery reports the listener's own address to hosts, so it must be a real
    one.
    """
    return (
        portal.engine is ExportEngine.SPDK
        and portal.protocol is Protocol.NVME_TCP
        and not ip_address(portal.address).is_unspecified
    )


def listener(portal: ExportPortal) -> Listener:
    return Listener(address=str(ip_address(portal.address)), port=portal.port)


def bdev_name(volume_id: str) -> str:
    return f"{MARK}{volume_id}"


def volume_of(bdev: str) -> str:
    """The volume ID of one of Lunette's bdevs."""
    return bdev.removeprefix(MARK)


def key_name(secret: SecretStr) -> str:
    """A changed key gets another name: removing one that is in use would lock its host out."""
    return f"{MARK}{hashlib.sha256(secret.get_secret_value().encode()).hexdigest()[:32]}"


def _bdev(volume: ExportVolume) -> Bdev:
    return Bdev(
        name=bdev_name(volume.volume_id), uuid=volume.identity.uuid, device=volume.device, size_bytes=volume.size_bytes
    )


def _subsystem(desired: ExportSubsystem, volumes: dict[str, ExportVolume], listeners: frozenset[Listener]) -> Subsystem:
    namespaces = [
        Namespace(
            nsid=lun.lun,
            bdev=bdev_name(lun.volume_id),
            uuid=volumes[lun.volume_id].identity.uuid,
            nguid=UUID(volumes[lun.volume_id].identity.nguid).hex,
        )
        for lun in desired.luns
    ]
    return Subsystem(
        nqn=desired.nqn,
        serial=desired.serial,
        model=MODEL,
        namespaces={one.nsid: one for one in namespaces},
        hosts={host.nqn: _host(host) for host in desired.hosts},
        listeners=listeners,
    )


def _host(desired: ExportNvmeHost) -> Host:
    asked = desired.dhchap
    if asked is None:
        return Host(nqn=desired.nqn)
    mutual = key_name(asked.mutual_secret) if asked.mutual_secret else None
    return Host(nqn=desired.nqn, key=key_name(asked.secret), mutual_key=mutual)


def _secrets(desired: ExportSubsystem) -> Iterator[SecretStr]:
    for host in desired.hosts:
        if host.dhchap:
            yield host.dhchap.secret
            if host.dhchap.mutual_secret:
                yield host.dhchap.mutual_secret
