"""Fibre Channel ports that can be NVMe targets, as far as the kernel shows them.

nvmet_fc keeps them in a list that nothing shows (drivers/nvme/target/fc.c, Linux 6.12): a driver registers a port, and
a port of nvmet claims it by WWNN and WWPN, or is refused (ENXIO, "No such device or address"). Once claimed it stays
with nvmet while it is missing, and serves again when it is back. Two drivers register any: lpfc, for Emulex HBAs, which
shows it in `nvme_info` (lpfc_attr.c), and nvme_fcloop, a software fabric for tests, which shows nothing.
"""

from collections.abc import Iterable

from lunette.domain.exports import ExportPortal
from lunette.domain.mappings import Protocol
from lunette.system.system_port import System

HOSTS = "/sys/class/fc_host"
SCSI_HOSTS = "/sys/class/scsi_host"
LOOP = "/sys/module/nvmet_fc/holders/nvme_fcloop"
NO_PORT = (
    "no Fibre Channel port of this appliance can be an NVMe target. The kernel supports this only on ports of Emulex "
    "HBAs: load their driver with lpfc_enable_nvmet=0x<WWPN> (in /etc/modprobe.d, then restart). Ports of QLogic "
    "HBAs serve volumes over SCSI (fc-ports)"
)
_ENABLED = "NVME Target Enabled"


def targets(system: System) -> tuple[str, ...]:
    """The ports whose driver shows that they are NVMe targets, in nvmet's notation of their names."""
    hosts = sorted(system.listdir(HOSTS))
    found = (host for host in hosts if _ENABLED in _read(system, f"{SCSI_HOSTS}/{host}/nvme_info"))
    names = ((_read(system, f"{HOSTS}/{host}/node_name"), _read(system, f"{HOSTS}/{host}/port_name")) for host in found)
    return tuple(f"nn-{node}:pn-{port}".lower() for node, port in names)


def lacking(system: System) -> str | None:
    """Why nothing can be served over NVMe/FC here; None if it can, or if it is unknown."""
    return None if system.exists(LOOP) or targets(system) else NO_PORT


def blocked(system: System, portals: Iterable[ExportPortal]) -> dict[str, str]:
    """Portals that cannot be served now, by ID with the reason. For others, only an attempt shows it."""
    over_fc = [portal for portal in portals if portal.protocol is Protocol.NVME_FC]
    if not over_fc or system.exists(LOOP):
        return {}
    there, lacks = targets(system), lacking(system)
    return {one.portal_id: lacks or away(system, one.address) for one in over_fc if one.address not in there}


def away(system: System, address: str) -> str:
    """Message about a missing port."""
    there = ", ".join(targets(system))
    others = f"; existing ports: {there}" if there else ""
    return (
        f"NVMe target port {address} does not exist: reinstall its HBA, or check whether its driver enables it{others}"
    )


def _read(system: System, path: str) -> str:
    """An attribute without the newline; "" where there is none."""
    try:
        return system.read(path).strip()
    except OSError:
        return ""
