"""What nvmet's part of configfs has to look like for a desired state: pure, level by level.

    hosts/<host nqn>/                              dhchap_*: what the host must show
    subsystems/<nqn>/                              subsystem of one host or host group: attr_*
        namespaces/<n>/                            device_path, device_uuid, device_nguid, at last enable
        allowed_hosts/<host nqn> -> hosts/<host nqn>
    ports/<id>/                                    addr_* (Fibre Channel has no trsvcid), ana_groups/1/ana_state
        subsystems/<nqn> -> subsystems/<nqn>       the first link makes the port listen
        referrals/lunette-<id>/                    addr_* of another port of ours, at last enable

Levels are created in the order given and removed in reverse. `dhchap_key` is not an attribute here: it is the gate
(decision 0012). A host whose volumes are not all available yet finds a key that no host can use, and has to retry.
Adopted objects keep their names and identities; their port may be in another directory (decision 0051).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from uuid import UUID

from lunette.domain.exports import ExportDhChap, ExportPortal, ExportSet, ExportSubsystem, ExportVolume
from lunette.domain.identity import SUBSYSTEM_AUTHORITY
from lunette.domain.mappings import ExportEngine, Protocol, is_everywhere, is_fc_address
from lunette.providers.exports.configfs import Attribute

MODEL, FIRMWARE = "Lunette volume", "1.0"
"""Shown by Identify Controller. Hosts match multipath settings by the model, so it never changes (DESIGN R12)."""
CNTLID_MAX = 32767
"""Controller IDs of one appliance end here: the upper half is reserved for a partner that serves the same subsystem."""
FIRST_PORT, PORTS = 20000, 40000
"""Numbers of our ports, which administrators' tools, counting from 1, do not reach."""
REFERRAL = "lunette-"
"""Prefix of Lunette's referrals, before the number of the port they lead to."""
ANA_GROUP = "1"
WAITING = "DHHC-1:00:waiting-for-lunette:"
"""A key that the kernel accepts and cannot decode: it answers `internal error`, which a host retries."""
_TRANSPORT = {Protocol.NVME_TCP: "tcp", Protocol.NVME_RDMA: "rdma", Protocol.NVME_FC: "fc"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A directory to create with its attributes, or with `link` a link to create."""

    path: str
    """Below /sys/kernel/config/nvmet."""
    link: str | None = None
    needs: tuple[str, ...] = ()
    """What must exist before the link is created, in addition to both its ends."""
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespace(Node):
    """A namespace is configured once, in this order, before it is enabled."""

    volume_id: str
    device: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HostGate:
    """The key of one host name. It opens when every namespace of every subsystem the host may reach is enabled."""

    path: str
    key: Attribute
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsystemGate:
    """One subsystem: what must exist, and whose gates must be open, before its owner reaches its volumes."""

    target_id: str
    nqn: str
    path: str
    needs: tuple[str, ...]
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    hosts: tuple[Node, ...] = ()
    subsystems: tuple[Node, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    allowed: tuple[Node, ...] = ()
    ports: tuple[Node, ...] = ()
    port_links: tuple[Node, ...] = ()
    referrals: tuple[Node, ...] = ()
    gates: tuple[HostGate, ...] = ()
    subsystem_gates: tuple[SubsystemGate, ...] = ()
    port_paths: dict[str, str] = field(default_factory=dict)
    """Path by portal id."""

    def nodes(self) -> dict[str, Node]:
        levels = (
            self.hosts,
            self.subsystems,
            self.namespaces,
            self.allowed,
            self.ports,
            self.port_links,
            self.referrals,
        )
        return {node.path: node for level in levels for node in level}


def subsystem_prefix(appliance_id: str) -> str:
    """Prefix of the names of this appliance's subsystems: other subsystems are never changed."""
    return f"{SUBSYSTEM_AUTHORITY}:{appliance_id}."


def host_path(nqn: str) -> str:
    return f"hosts/{nqn}"


def build(desired: ExportSet) -> Tree:
    """The tree for a desired state. Volumes, portals and targets of other engines are omitted."""
    volumes = {volume.volume_id: volume for volume in desired.volumes}
    subsystems = desired.subsystems
    ports = port_paths(desired)
    portals = [portal for portal in desired.portals if portal.portal_id in ports]
    return Tree(
        hosts=tuple({node.path: node for subsystem in subsystems for node in _hosts(subsystem)}.values()),
        subsystems=tuple(_subsystem(subsystem) for subsystem in subsystems),
        namespaces=tuple(node for subsystem in subsystems for node in _namespaces(subsystem, volumes)),
        allowed=tuple(node for subsystem in subsystems for node in _allowed(subsystem)),
        ports=tuple(_port(portal, ports[portal.portal_id]) for portal in portals),
        port_links=tuple(port_links(subsystems, ports.values())),
        referrals=tuple(_referrals(portals, ports)),
        gates=tuple(_gates(subsystems)),
        subsystem_gates=tuple(
            SubsystemGate(
                target_id=subsystem.target_id,
                nqn=subsystem.nqn,
                path=f"subsystems/{subsystem.nqn}",
                needs=tuple(_needs(subsystem)),
                hosts=tuple(host_path(host.nqn) for host in subsystem.hosts),
            )
            for subsystem in subsystems
        ),
        port_paths=ports,
    )


def port_links(subsystems: Iterable[ExportSubsystem], ports: Iterable[str]) -> Iterator[Node]:
    """Every subsystem is served on every port."""
    served = [(one.nqn, tuple(node.path for node in _allowed(one))) for one in subsystems]
    for port in ports:
        for nqn, needs in served:
            yield Node(path=f"{port}/subsystems/{nqn}", link=f"subsystems/{nqn}", needs=needs)


def port_paths(desired: ExportSet) -> dict[str, str]:
    """The directory of each portal: a number derived from its ID; if two are equal, the next free one."""
    taken: dict[int, str] = {}
    kept: dict[str, str] = {}
    for portal in sorted(desired.portals, key=lambda portal: portal.portal_id):
        if portal.engine is not ExportEngine.NVMET:
            continue
        if portal.adopted:
            kept[portal.portal_id] = f"ports/{portal.adopted}"
            continue
        number = UUID(portal.portal_id).int % PORTS
        while number in taken:
            number = (number + 1) % PORTS
        taken[number] = portal.portal_id
    return kept | {portal_id: f"ports/{FIRST_PORT + number}" for number, portal_id in taken.items()}


def is_own_port(name: str) -> bool:
    return name.isdigit() and FIRST_PORT <= int(name) < FIRST_PORT + PORTS


def _hosts(subsystem: ExportSubsystem) -> Iterator[Node]:
    for host in subsystem.hosts:
        asked = host.dhchap
        mutual = asked.mutual_secret.get_secret_value() if asked and asked.mutual_secret else ""
        group = asked.dh_group.value if asked else "null"
        yield Node(
            path=host_path(host.nqn),
            attributes=(
                Attribute(name="dhchap_hash", value=f"hmac({asked.hash.value if asked else 'sha256'})"),
                Attribute(name="dhchap_dhgroup", value=group),
                Attribute(name="dhchap_ctrl_key", value=mutual, secret=True),
            ),
        )


def _key(asked: ExportDhChap | None) -> Attribute:
    return Attribute(name="dhchap_key", value=asked.secret.get_secret_value() if asked else "", secret=True)


def _subsystem(subsystem: ExportSubsystem) -> Node:
    shown = {"attr_model": MODEL, "attr_firmware": FIRMWARE, "attr_cntlid_max": str(CNTLID_MAX)}
    if subsystem.adopted:
        shown = dict(subsystem.adopted.attributes)
    wanted = {"attr_allow_any_host": "0", "attr_serial": subsystem.serial, **shown}
    attributes = tuple(Attribute(name=name, value=value) for name, value in wanted.items())
    return Node(path=f"subsystems/{subsystem.nqn}", attributes=attributes)


def _namespaces(subsystem: ExportSubsystem, volumes: dict[str, ExportVolume]) -> Iterator[Namespace]:
    for lun in subsystem.luns:
        volume = volumes[lun.volume_id]
        yield Namespace(
            path=f"subsystems/{subsystem.nqn}/namespaces/{lun.lun}",
            volume_id=volume.volume_id,
            device=volume.device,
            size_bytes=volume.size_bytes,
            attributes=(
                Attribute(name="device_path", value=volume.device),
                Attribute(name="device_uuid", value=volume.identity.uuid),
                Attribute(name="device_nguid", value=str(UUID(volume.identity.nguid))),
                Attribute(name="ana_grpid", value=ANA_GROUP),
            ),
        )


def _allowed(subsystem: ExportSubsystem) -> Iterator[Node]:
    for host in subsystem.hosts:
        path = f"subsystems/{subsystem.nqn}/allowed_hosts/{host.nqn}"
        yield Node(path=path, link=host_path(host.nqn))


def _port(portal: ExportPortal, path: str) -> Node:
    wanted = place(portal) | {f"ana_groups/{ANA_GROUP}/ana_state": "optimized"}
    return Node(path=path, attributes=tuple(Attribute(name=name, value=value) for name, value in wanted.items()))


def _referrals(portals: list[ExportPortal], ports: dict[str, str]) -> Iterator[Node]:
    """From each port to every other that its hosts can also reach: same transport, same kind of address.

    A host that asks one of them learns of all. The wildcard is not a usable address, and the ports of a Fibre Channel
    fabric find each other. A port that does not listen is not referred to.
    """
    listening = [one for one in portals if not is_fc_address(one.address) and not is_everywhere(one.address)]
    for asked in portals:
        for other in listening:
            alike = (other.protocol, _family(other)) == (asked.protocol, _family(asked))
            if other is asked or not alike or place(other) == place(asked):
                continue
            number = ports[other.portal_id].rpartition("/")[2]
            wanted = place(other) | {"addr_portid": number, "enable": "1"}
            yield Node(
                path=f"{ports[asked.portal_id]}/referrals/{REFERRAL}{number}",
                needs=(ports[other.portal_id],),
                attributes=tuple(Attribute(name=name, value=value) for name, value in wanted.items()),
            )


def _family(portal: ExportPortal) -> str:
    return "fc" if is_fc_address(portal.address) else f"ipv{ip_address(portal.address).version}"


def place(portal: ExportPortal) -> dict[str, str]:
    """The address of a port in nvmet's attributes."""
    found = {"addr_trtype": _TRANSPORT[portal.protocol], "addr_adrfam": _family(portal), "addr_traddr": portal.address}
    return found if is_fc_address(portal.address) else found | {"addr_trsvcid": str(portal.port)}


def _gates(subsystems: tuple[ExportSubsystem, ...]) -> Iterator[HostGate]:
    reached: dict[str, list[ExportSubsystem]] = {}
    keys: dict[str, ExportDhChap | None] = {}
    for subsystem in subsystems:
        for host in subsystem.hosts:
            reached.setdefault(host.nqn, []).append(subsystem)
            keys[host.nqn] = host.dhchap
    for nqn, subsystem_gates in reached.items():
        needs = [path for subsystem in subsystem_gates for path in _needs(subsystem)]
        needs += [f"subsystems/{subsystem.nqn}/allowed_hosts/{nqn}" for subsystem in subsystem_gates]
        yield HostGate(path=host_path(nqn), key=_key(keys[nqn]), needs=tuple(needs))


def _needs(subsystem: ExportSubsystem) -> Iterator[str]:
    yield f"subsystems/{subsystem.nqn}"
    yield from (f"subsystems/{subsystem.nqn}/namespaces/{lun.lun}" for lun in subsystem.luns)
