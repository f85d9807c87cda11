"""What LIO's part of configfs has to look like for a desired state: pure, level by level.

    core/iblock_700/lunette-<volume id>/           backstore: control, wwn/*, enable, then attrib/*
    iscsi/<target iqn>/                            target of one host or host group
        tpgt_<tag>/                                its only portal group: attrib/*, at last enable
            lun/lun_<n>/volume -> backstore
            acls/<initiator iqn>/                  attrib/*, auth/*
                lun_<n>/lun -> tpgt_<tag>/lun/lun_<n>
            np/<address>:<port>/                   iser: whether it listens over RDMA too

What was adopted stands where it was made: its target under its own name, its backstore in the adapter it had, its links
under names of others. After a boot the backstore is made in our adapter, with what it showed hosts before.

Levels are made in the order given and removed in the reverse. `enable` of a portal group is no node: it opens only when
everything below it stands.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from sys import intern

from lunette.domain.exports import (
    ExportChap,
    ExportInitiator,
    ExportLun,
    ExportPortal,
    ExportSet,
    ExportTarget,
    ExportVolume,
)
from lunette.domain.identity import COMPANY_ID, PRODUCT, TARGET_AUTHORITY, VENDOR
from lunette.domain.mappings import ExportEngine, Protocol
from lunette.providers.exports.configfs import Attribute

HBA = "core/iblock_700"
"""One adapter for all our backstores, under a number that admins' tools, counting from 0, do not reach."""
DISCOVERY = "iscsi/discovery_auth"
"""A directory of the kernel itself, which is never created or removed."""
PREFIX = "lunette-"
REVISION = "1.0"
"""Shown by SCSI INQUIRY with vendor and product, and as permanent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """An attribute of a backstore that is visible to hosts, and the reason for its value, whatever a kernel's default
    (decision 0050).

    The kernel accepts each of them while hosts are logged in (drivers/target/target_core_configfs.c, Linux 6.12).
    """

    attribute: Attribute
    why: str
    if_discards: bool = False
    """Only if the device can discard: the kernel refuses it otherwise."""


_ALUA = "alua/default_tg_pt_gp"
PINNED = (
    Pin(
        attribute=Attribute(name="attrib/emulate_fua_write", value="1"),
        why="A write that a host wants kept is kept: MODE SENSE tells DPOFUA.",
    ),
    Pin(
        attribute=Attribute(name="attrib/emulate_3pc", value="1"),
        why="EXTENDED COPY: ESXi clones inside the appliance (VAAI XCOPY). Others ignore it.",
    ),
    Pin(
        attribute=Attribute(name="attrib/emulate_caw", value="1"),
        why="COMPARE AND WRITE: VMFS locks with it (VAAI ATS), and a datastore that was made so is not opened without.",
    ),
    Pin(
        attribute=Attribute(name="attrib/emulate_pr", value="1"),
        why="Reservations, old and persistent: clusters of Windows and of Linux fence with them.",
    ),
    Pin(
        attribute=Attribute(name=f"{_ALUA}/alua_access_type", value="3", shown="Implicit and Explicit"),
        why="INQUIRY tells ALUA, by which ESXi, Windows MPIO and multipath put a host's paths into one group.",
    ),
    Pin(
        attribute=Attribute(name=f"{_ALUA}/alua_access_state", value="0"),
        why="Every path is active and optimized: there is one controller, so none is better.",
    ),
    Pin(
        attribute=Attribute(name="attrib/emulate_tpu", value="1"),
        why="UNMAP: hosts give space back (VMFS 6 by itself, fstrim, Windows Optimize-Volume).",
        if_discards=True,
    ),
    Pin(
        attribute=Attribute(name="attrib/emulate_tpws", value="1"),
        why="WRITE SAME with UNMAP, for hosts that ask that way. WRITE SAME itself is always there.",
        if_discards=True,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A directory to create: with its link, its attributes, and the object it belongs to."""

    path: str
    """Below /sys/kernel/config/target."""
    target_id: str | None = None
    volume_id: str | None = None
    portal_id: str | None = None
    port_id: str | None = None
    """Of a Fibre Channel port."""
    link: tuple[str, str] | None = None
    """Link name, and the path it points to."""
    adopted: bool = False
    """It was adopted: its link may have another name, and what hosts see of it stays as it was."""
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Backstore(Node):
    """A backstore is configured once, in this order, before it is enabled; attributes follow."""

    device: str
    size_bytes: int
    serial: str
    setup: tuple[Attribute, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetGate:
    """A portal group and everything that must exist before it opens."""

    target_id: str
    iqn: str
    path: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    levels: tuple[tuple[Node, ...], ...]
    gates: tuple[TargetGate, ...]

    def nodes(self) -> dict[str, Node]:
        return {node.path: node for level in self.levels for node in level}


def target_prefix(appliance_id: str) -> str:
    """Prefix of the names of this appliance's targets: other targets are never changed."""
    return f"{TARGET_AUTHORITY}:{appliance_id}."


def backstore_path(volume_id: str) -> str:
    return intern(f"{HBA}/{PREFIX}{volume_id}")


def place_of(volume: ExportVolume) -> str:
    """Where its backstore is."""
    return volume.adopted.path if volume.adopted else backstore_path(volume.volume_id)


def portal_group(target: ExportTarget) -> str:
    return f"iscsi/{target.iqn}/tpgt_{target.tag}"


def build(desired: ExportSet) -> Tree:
    """The tree for a desired state: backstores only for mapped volumes. Other engines are omitted."""
    portals = desired.portals
    targets = desired.targets
    mapped = {lun.volume_id for target in targets for lun in target.luns}
    volumes = [volume for volume in desired.volumes if volume.volume_id in mapped]
    adapter = (Node(path=HBA),) if any(place_of(volume).startswith(f"{HBA}/") for volume in volumes) else ()
    places = {volume.volume_id: place_of(volume) for volume in volumes}
    prefix = target_prefix(desired.appliance_id)
    first = (DISCOVERY,) if desired.discovery else ()
    return Tree(
        levels=(
            adapter,
            tuple(_backstore(volume) for volume in volumes),
            tuple(Node(path=f"iscsi/{target.iqn}", target_id=target.target_id) for target in targets),
            tuple(_portal_group(target) for target in targets),
            tuple(node for target in targets for node in _luns(target, places, prefix)),
            tuple(_initiator(target, initiator) for target in targets for initiator in target.initiators),
            tuple(node for target in targets for node in _mapped_luns(target, prefix)),
            portal_nodes(targets, portals),
        ),
        gates=tuple(
            TargetGate(
                target_id=target.target_id,
                iqn=target.iqn,
                path=portal_group(target),
                needs=(*first, *_needs(target)),
            )
            for target in targets
        ),
    )


def portal_nodes(targets: Iterable[ExportTarget], portals: Iterable[ExportPortal]) -> tuple[Node, ...]:
    """Every target listens on every portal of LIO."""
    ours = [portal for portal in portals if portal.engine is ExportEngine.LIO]
    return tuple(_portal(target, portal) for target in targets for portal in ours)


def portal_name(portal: ExportPortal) -> str:
    """A portal as configfs names it: IPv6 in brackets."""
    address = ip_address(portal.address)
    return f"[{address}]:{portal.port}" if address.version == 6 else f"{address}:{portal.port}"


def _inquiry(vendor: str, product: str, revision: str) -> tuple[Attribute, ...]:
    return (
        Attribute(name="wwn/vendor_id", value=vendor),
        Attribute(name="wwn/product_id", value=product),
        Attribute(name="wwn/revision", value=revision),
        Attribute(name="wwn/company_id", value=f"0x{COMPANY_ID}"),
    )


_INQUIRY, _ENABLE = _inquiry(VENDOR, PRODUCT, REVISION), Attribute(name="enable", value="1")
_OWN = tuple(pin.attribute for pin in PINNED if not pin.if_discards)


def _backstore(volume: ExportVolume) -> Backstore:
    kept = volume.adopted
    return Backstore(
        path=place_of(volume),
        adopted=kept is not None,
        volume_id=volume.volume_id,
        device=volume.device,
        size_bytes=volume.size_bytes,
        serial=volume.identity.serial,
        setup=(
            Attribute(name="control", value=f"udev_path={volume.device}"),
            Attribute(name="udev_path", value=volume.device),
            *(_inquiry(kept.vendor, kept.product, kept.revision) if kept else _INQUIRY),
            Attribute(name="wwn/vpd_unit_serial", value=volume.identity.serial),
            _ENABLE,
        ),
        attributes=tuple(Attribute(name=f"attrib/{name}", value=value) for name, value in kept.attributes)
        if kept
        else _OWN,
    )


def _portal_group(target: ExportTarget) -> Node:
    """Only initiators with an ACL are admitted, and only they see the target in a discovery."""
    asks = any(initiator.chap for initiator in target.initiators)
    wanted = {
        "authentication": asks,
        "generate_node_acls": False,
        "demo_mode_write_protect": True,
        "demo_mode_discovery": False,
        "cache_dynamic_acls": False,
        "prod_mode_write_protect": False,
    }
    attributes = tuple(Attribute(name=f"attrib/{name}", value=str(int(value))) for name, value in wanted.items())
    return Node(path=portal_group(target), target_id=target.target_id, attributes=attributes)


def _luns(target: ExportTarget, places: Mapping[str, str], prefix: str) -> Iterator[Node]:
    for lun in target.luns:
        yield Node(
            path=_lun_path(portal_group(target), lun),
            target_id=target.target_id,
            volume_id=lun.volume_id,
            link=("volume", places.get(lun.volume_id, backstore_path(lun.volume_id))),
            adopted=not target.iqn.startswith(prefix),
        )


def _lun_path(group: str, lun: ExportLun) -> str:
    return intern(f"{group}/lun/lun_{lun.lun}")


def _mapped_lun_path(group: str, initiator: ExportInitiator, lun: ExportLun) -> str:
    return intern(f"{group}/acls/{initiator.iqn}/lun_{lun.lun}")


def _initiator(target: ExportTarget, initiator: ExportInitiator) -> Node:
    """Whether to authenticate is set first: an ACL that requires it and has no secret yet admits no host."""
    asks = Attribute(name="attrib/authentication", value=str(int(initiator.chap is not None)))
    return Node(
        path=f"{portal_group(target)}/acls/{initiator.iqn}",
        target_id=target.target_id,
        attributes=(asks, *credentials(initiator.chap, "auth/")),
    )


def credentials(chap: ExportChap | None, folder: str = "") -> Iterator[Attribute]:
    """The attributes with the credentials, each cleared if there is none."""
    mutual = chap.mutual_secret if chap else None
    values = {
        "userid": chap.user if chap else "",
        "password": chap.secret.get_secret_value() if chap else "",
        "userid_mutual": (chap.mutual_user or "") if chap else "",
        "password_mutual": mutual.get_secret_value() if mutual else "",
    }
    for name, value in values.items():
        yield Attribute(name=f"{folder}{name}", value=value, secret=True)


def _mapped_luns(target: ExportTarget, prefix: str) -> Iterator[Node]:
    group = portal_group(target)
    for initiator in target.initiators:
        for lun in target.luns:
            yield Node(
                path=_mapped_lun_path(group, initiator, lun),
                target_id=target.target_id,
                volume_id=lun.volume_id,
                link=("lun", _lun_path(group, lun)),
                adopted=not target.iqn.startswith(prefix),
            )


def _portal(target: ExportTarget, portal: ExportPortal) -> Node:
    path = f"{portal_group(target)}/np/{portal_name(portal)}"
    iser = Attribute(name="iser", value=str(int(portal.protocol is Protocol.ISER)))
    return Node(path=path, portal_id=portal.portal_id, attributes=(iser,))


def _needs(target: ExportTarget) -> Iterator[str]:
    group = portal_group(target)
    yield group
    yield from (_lun_path(group, lun) for lun in target.luns)
    for initiator in target.initiators:
        yield f"{group}/acls/{initiator.iqn}"
        yield from (_mapped_lun_path(group, initiator, lun) for lun in target.luns)
