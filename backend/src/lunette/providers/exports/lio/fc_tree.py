"""Fibre Channel's part of LIO's configfs: pure, as in tree.py.

    <fabric>/<our wwpn>/tpgt_1/                    one group for every host: the port is the target
        lun/lun_<k>/volume -> backstore            k is internal: a host sees the number its ACL maps
        acls/<host's wwpn>/lun_<n>/lun -> lun/lun_<k>

A host's ACL is its access: it is created when every volume of the host is present, so its paths open with all volumes
although other hosts share the port.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lunette.domain.exports import ExportFcPort, ExportTarget
from lunette.providers.exports.configfs import Attribute
from lunette.providers.exports.lio.tree import Node, backstore_path
from lunette.providers.fabrics.fc_host import FcFabric


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A port in target mode and where it is served. `numbers` gives the place of each volume in its group."""

    port: ExportFcPort
    folder: str
    has_switch: bool
    attributes: tuple[Attribute, ...]
    numbers: Mapping[str, int]
    host: str | None
    """Its SCSI host; None while the HBA is missing."""

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.port.wwpn}"

    @property
    def group(self) -> str:
        return f"{self.path}/tpgt_1"


@dataclass(frozen=True, slots=True, kw_only=True)
class WwpnAccess:
    """The ACL of one WWPN with all its LUNs: `needs` must exist before any of `nodes` is created."""

    port_id: str
    wwpn: str
    needs: tuple[str, ...]
    nodes: tuple[Node, ...]
    owners: dict[str, tuple[str, ...]]
    """The volumes of each of its targets, by IQN."""
    refusal: str | None = None
    """Why no new host is admitted, whatever exists."""

    @property
    def path(self) -> str:
        return self.nodes[0].path


def place(port: ExportFcPort, fabric: FcFabric, host: str | None, numbers: Mapping[str, int]) -> Place:
    attributes = tuple(Attribute(name=f"attrib/{name}", value=str(int(on))) for name, on in fabric.attributes.items())
    return Place(
        port=port, folder=fabric.folder, has_switch=fabric.has_switch, attributes=attributes, numbers=numbers, host=host
    )


def choose_numbers(standing: Mapping[int, str], volumes: Sequence[str]) -> dict[str, int]:
    """A number in the group for each volume: the present one, else the lowest free, in order.

    `standing` gives the volume by number; one that is no longer desired frees its number once it is removed.
    """
    chosen = {volume: number for number, volume in sorted(standing.items(), reverse=True) if volume in set(volumes)}
    taken = set(standing)
    free = (number for number in range(1, 65536) if number not in taken)
    return {volume: chosen[volume] if volume in chosen else next(free) for volume in volumes}


def levels(places: Sequence[Place], targets: Sequence[ExportTarget]) -> tuple[tuple[Node, ...], ...]:
    """Ports, their groups, and the volumes in each: parents first."""
    return (
        tuple(Node(path=one.path, port_id=one.port.port_id) for one in places),
        tuple(Node(path=one.group, port_id=one.port.port_id, attributes=one.attributes) for one in places),
        tuple(
            Node(
                path=_lun(one, volume),
                port_id=one.port.port_id,
                volume_id=volume,
                link=("volume", backstore_path(volume)),
            )
            for one in places
            for volume in served(targets)
        ),
    )


def served(targets: Sequence[ExportTarget]) -> list[str]:
    """The volumes of hosts that have a WWPN, each once, in a fixed order."""
    return sorted({lun.volume_id for target in targets if target.fc_initiators for lun in target.luns})


def accesses(
    places: Sequence[Place], targets: Sequence[ExportTarget], standing: Mapping[str, str] | None = None
) -> Iterator[WwpnAccess]:
    """A WWPN has one ACL on a port, with the mappings of its host and of its host's group.

    `standing` gives the LUN that a mapped one leads to, by path, for the numbers of `collisions`.
    """
    for one in places:
        for wwpn, owners in _by_wwpn(targets).items():
            yield _access(one, wwpn, owners, standing or {})


def collisions(targets: Sequence[ExportTarget]) -> dict[str, set[int]]:
    """By WWPN, the LUNs under which a host has one volume of its own and another one through its group."""
    found = {wwpn: set(_colliding(owners)) for wwpn, owners in _by_wwpn(targets).items()}
    return {wwpn: numbers for wwpn, numbers in found.items() if numbers}


def _colliding(owners: Sequence[ExportTarget]) -> Iterator[int]:
    uses = Counter(lun.lun for owner in owners for lun in owner.luns)
    return (lun for lun, count in uses.items() if count > 1)


def _access(one: Place, wwpn: str, owners: Sequence[ExportTarget], standing: Mapping[str, str]) -> WwpnAccess:
    acl, colliding = f"{one.group}/acls/{wwpn}", set(_colliding(owners))
    luns = {
        lun.lun: lun.volume_id
        for owner in owners
        for lun in owner.luns
        if lun.lun not in colliding or standing.get(f"{acl}/lun_{lun.lun}") == _lun(one, lun.volume_id)
    }
    mapped = (
        Node(path=f"{acl}/lun_{lun}", port_id=one.port.port_id, volume_id=volume, link=("lun", _lun(one, volume)))
        for lun, volume in sorted(luns.items())
    )
    return WwpnAccess(
        port_id=one.port.port_id,
        wwpn=wwpn,
        needs=(one.group, *(_lun(one, volume) for volume in luns.values())),
        nodes=(Node(path=acl, port_id=one.port.port_id), *mapped),
        owners={owner.iqn: tuple(lun.volume_id for lun in owner.luns) for owner in owners},
        refusal=(
            f"LUN {min(colliding)} is used by a volume of the host itself and by another volume of its group, and "
            "over Fibre Channel the host would see both under the same LUN: map one of them under a different LUN"
        )
        if colliding
        else None,
    )


def _by_wwpn(targets: Sequence[ExportTarget]) -> dict[str, list[ExportTarget]]:
    found: dict[str, list[ExportTarget]] = {}
    for target in targets:
        for initiator in target.fc_initiators:
            found.setdefault(initiator.wwpn, []).append(target)
    return found


def _lun(one: Place, volume_id: str) -> str:
    return f"{one.group}/lun/lun_{one.numbers[volume_id]}"
