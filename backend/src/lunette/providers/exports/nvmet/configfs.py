"""nvmet's part of configfs: how it is loaded, and its content."""

from collections.abc import Iterator
from typing import ClassVar

from lunette.domain.mappings import Protocol
from lunette.providers.exports import configfs
from lunette.providers.exports.nvmet import tree
from lunette.providers.exports.nvmet.plan import PACKAGE, TRANSPORTS
from lunette.providers.fabrics import nvme_fc, rdma
from lunette.system.modules import load
from lunette.system.system_port import System

ROOT = "/sys/kernel/config/nvmet"


class NvmetConfigfs(configfs.Configfs):
    """Paths are below ROOT."""

    cleared: ClassVar[str] = "\0"
    """Writing this to a key clears it; it reads back as nothing."""

    def __init__(self, system: System) -> None:
        super().__init__(system, ROOT)

    def links(self, path: str) -> list[str]:
        return [f"{path}/{name}" for name in self.names(path)]

    def is_closed(self, host: str) -> bool:
        """True if the host has the key that cannot be used."""
        return self.read(f"{host}/dhchap_key") == tree.WAITING

    def close(self, host: str) -> None:
        """Connections of this host are asked to retry; connected hosts stay connected."""
        if not self.is_closed(host):
            self.write(f"{host}/dhchap_key", tree.WAITING)

    def namespaces(self) -> Iterator[tuple[str, str]]:
        """(subsystem path, namespace path) of all that exist, including foreign ones."""
        for name in self.names("subsystems"):
            for nsid in self.names(f"subsystems/{name}/namespaces"):
                yield f"subsystems/{name}", f"subsystems/{name}/namespaces/{nsid}"


def prepare(system: System) -> None:
    """Load missing modules of the NVMe target and its transports. Fibre Channel is loaded with the ports' driver."""
    for module in ("nvmet", TRANSPORTS[Protocol.NVME_TCP]):
        load(system, module)
    rdma.load(system, TRANSPORTS[Protocol.NVME_RDMA])


def missing(system: System) -> str | None:
    """Why there is no NVMe target here; None if there is one."""
    if system.is_dir(ROOT):
        return None
    return f"the kernel module nvmet is not loaded: boot a kernel that has it (Debian package {PACKAGE})"


def lacking(system: System) -> dict[Protocol, str]:
    """Why a protocol cannot be served here, for those that cannot."""
    tcp, over_rdma = (TRANSPORTS[protocol] for protocol in (Protocol.NVME_TCP, Protocol.NVME_RDMA))
    found = {}
    if not system.is_dir(f"/sys/module/{tcp}"):
        found[Protocol.NVME_TCP] = (
            f"the kernel module {tcp} is not loaded: boot a kernel that has it (Debian package {PACKAGE})"
        )
    if reason := rdma.lacking(system, over_rdma, PACKAGE):
        found[Protocol.NVME_RDMA] = reason
    if reason := nvme_fc.lacking(system):
        found[Protocol.NVME_FC] = reason
    return found
