"""Fibre Channel ports from sysfs: the kernel's FC transport class and the drivers.

Attributes as in drivers/scsi/scsi_transport_fc.c, drivers/scsi/scsi_sysfs.c (active_mode, proc_name) and
drivers/scsi/qla2xxx/qla_attr.c (qlini_mode, fw_version, model_name) of Linux 6.12.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lunette.domain.fc import FcMode, ObservedFcPort, ObservedFcRemote
from lunette.domain.names import check_wwpn
from lunette.system.modules import load
from lunette.system.system_port import System

HOSTS = "/sys/class/fc_host"
SCSI_HOSTS = "/sys/class/scsi_host"
REMOTES = "/sys/class/fc_remote_ports"
TARGETS = "/sys/class/fc_transport"
TARGET_ROOT = "/sys/kernel/config/target"
PACKAGE = "linux-image-amd64"


@dataclass(frozen=True)
class FcFabric:
    """One of LIO's Fibre Channel modules: its directory in configfs, and the driver whose ports it serves.

    `attributes` are set on its portal group before any host is admitted; `has_switch`: the group has an `enable`.
    """

    folder: str
    module: str
    driver: str
    modes: tuple[FcMode, ...]
    attributes: Mapping[str, bool]
    has_switch: bool


FABRICS = (
    FcFabric(
        "qla2xxx",
        "tcm_qla2xxx",
        "qla2xxx",
        (FcMode.TARGET, FcMode.INITIATOR, FcMode.DISABLED),
        {
            "generate_node_acls": False,
            "cache_dynamic_acls": False,
            "demo_mode_write_protect": True,
            "prod_mode_write_protect": False,
            "demo_mode_login_only": True,
        },
        has_switch=True,
    ),
    FcFabric("fc", "tcm_fc", "fcoe", (FcMode.TARGET, FcMode.INITIATOR), {}, has_switch=False),
)
"""Both name ports and ACLs by WWPN with colons, in lower case, and support only portal group 1 (tcm_qla2xxx.c,
tfc_conf.c). tcm_fc admits only hosts with an ACL, and its ports stay initiators too.
"""
BY_DRIVER = {fabric.driver: fabric for fabric in FABRICS}
INI_MODES = {FcMode.TARGET: "disabled", FcMode.DISABLED: "disabled", FcMode.INITIATOR: "enabled"}
"""The `qlini_mode` of each mode: in target mode the initiator half is never re-enabled automatically."""
_SELECTED = re.compile(r"^Current selection: (\w+)$", re.MULTILINE)
_UNKNOWN = ("", "unknown", "(null)", "Unknown", "Not Present")


def parse_ini_mode(text: str) -> str | None:
    """The `qlini_mode` of a qla2xxx port; None if unknown."""
    found = _SELECTED.search(text)
    return found[1] if found else None


def parse_roles(text: str) -> tuple[str, ...]:
    """The roles of a remote port: `FCP Target, FCP Initiator`."""
    return tuple(role for role in (part.strip() for part in text.split(",")) if role not in _UNKNOWN)


def plain(text: str) -> str | None:
    """A value, or None if the driver shows that it has none."""
    return None if text.strip() in _UNKNOWN else " ".join(text.split())


def mode_of(*, initiator: bool, target: bool) -> FcMode:
    """The present mode of a port."""
    if target:
        return FcMode.DUAL if initiator else FcMode.TARGET
    return FcMode.INITIATOR if initiator else FcMode.DISABLED


def hosts(system: System) -> dict[str, str]:
    """Name of the SCSI host by WWPN. Ports that have no name yet are omitted."""
    found = {}
    for host in system.listdir(HOSTS):
        try:
            found[check_wwpn(read_attribute(system, f"{HOSTS}/{host}/port_name"))] = host
        except ValueError:
            continue
    return found


def driver_of(system: System, host: str) -> str:
    """The driver of a port: of its PCI device, or the name of a software fabric."""
    link = f"{HOSTS}/{host}/device/../driver"
    if system.exists(link):
        return system.realpath(link).rpartition("/")[2]
    return plain(read_attribute(system, f"{SCSI_HOSTS}/{host}/proc_name")) or "unknown"


def prepare(system: System) -> None:
    """Load the target half of each driver with ports here. Missing modules are reported with the ports."""
    for driver in {driver_of(system, host) for host in system.listdir(HOSTS)}:
        fabric = BY_DRIVER.get(driver)
        if fabric is None or system.is_dir(f"{TARGET_ROOT}/{fabric.folder}"):
            continue
        load(system, fabric.module)
        try:
            system.mkdir(f"{TARGET_ROOT}/{fabric.folder}")
        except OSError:
            continue


def blocker(system: System, driver: str) -> str | None:
    """Why ports of this driver cannot serve as targets; None if they can."""
    fabric = BY_DRIVER.get(driver)
    if fabric is None:
        return f"driver {driver} has no target mode here; those that have: {', '.join(BY_DRIVER)}"
    if not system.is_dir(f"{TARGET_ROOT}/{fabric.folder}"):
        return f"the kernel module {fabric.module} is not loaded: boot a kernel that has it (Debian package {PACKAGE})"
    return None


def lacking(system: System) -> str | None:
    """Why nothing can be served over Fibre Channel on this machine; None if a port can."""
    drivers = sorted({driver_of(system, host) for host in hosts(system).values()})
    if not drivers:
        return "this appliance has no Fibre Channel port: install a QLogic HBA (driver qla2xxx)"
    reasons = [blocker(system, driver) for driver in drivers]
    return None if None in reasons else reasons[0]


def observe(system: System) -> tuple[ObservedFcPort, ...]:
    """Every port, with the ports that are logged in to it."""
    targets = system.listdir(TARGETS)
    return tuple(_port(system, wwpn, host, targets) for wwpn, host in sorted(hosts(system).items()))


def remotes(system: System, host: str) -> tuple[ObservedFcRemote, ...]:
    """The remote ports that are logged in to a port; `host` is its SCSI host."""
    prefix = f"rport-{host.removeprefix('host')}:"
    return tuple(_remote(system, name) for name in system.listdir(REMOTES) if name.startswith(prefix))


def _port(system: System, wwpn: str, host: str, targets: list[str]) -> ObservedFcPort:
    at, scsi = f"{HOSTS}/{host}", f"{SCSI_HOSTS}/{host}"
    driver, number = driver_of(system, host), host.removeprefix("host")
    fabric, roles = BY_DRIVER.get(driver), read_attribute(system, f"{scsi}/active_mode")
    stands = fabric is not None and not fabric.has_switch and system.is_dir(f"{TARGET_ROOT}/{fabric.folder}/{wwpn}")
    return ObservedFcPort(
        wwpn=wwpn,
        wwnn=_name(read_attribute(system, f"{at}/node_name")),
        host=host,
        driver=driver,
        model=plain(read_attribute(system, f"{scsi}/model_name")),
        firmware=plain(read_attribute(system, f"{scsi}/fw_version")),
        symbolic_name=plain(read_attribute(system, f"{at}/symbolic_name")),
        state=read_attribute(system, f"{at}/port_state"),
        speed=plain(read_attribute(system, f"{at}/speed")),
        topology=plain(read_attribute(system, f"{at}/port_type")),
        mode=mode_of(initiator="Initiator" in roles, target="Target" in roles or stands),
        modes=_modes(system, fabric, host),
        reason=blocker(system, driver),
        remotes=remotes(system, host),
        disks=sum(name.startswith(f"target{number}:") for name in targets),
    )


def _modes(system: System, fabric: FcFabric | None, host: str) -> tuple[FcMode, ...]:
    if fabric is None:
        return ()
    if fabric.has_switch and not system.exists(f"{SCSI_HOSTS}/{host}/qlini_mode"):
        return (FcMode.TARGET,)
    return fabric.modes


def _remote(system: System, name: str) -> ObservedFcRemote:
    at = f"{REMOTES}/{name}"
    return ObservedFcRemote(
        wwpn=_name(read_attribute(system, f"{at}/port_name")),
        wwnn=_name(read_attribute(system, f"{at}/node_name")),
        roles=parse_roles(read_attribute(system, f"{at}/roles")),
        state=read_attribute(system, f"{at}/port_state"),
    )


def _name(text: str) -> str:
    try:
        return check_wwpn(text)
    except ValueError:
        return ""


def read_attribute(system: System, path: str) -> str:
    """An attribute; "" where the driver has none, or the port left meanwhile."""
    try:
        return system.read(path).strip()
    except OSError:
        return ""
