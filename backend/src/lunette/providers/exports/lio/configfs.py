"""LIO's part of configfs: how it is loaded, and the refusals of its portals."""

from typing import ClassVar

from lunette.domain.errors import Unavailable
from lunette.providers.exports import configfs
from lunette.providers.exports.configfs import Attribute, KernelRefused
from lunette.providers.exports.lio.plan import ISER_MODULE, PACKAGE
from lunette.providers.fabrics import rdma
from lunette.system.modules import load
from lunette.system.system_port import System

ROOT = "/sys/kernel/config/target"
DB_ROOT = "/etc/target"


class LioConfigfs(configfs.Configfs):
    """Paths are below ROOT."""

    cleared: ClassVar[str] = "NULL"
    """Writing this word to a CHAP attribute clears it, and reading returns it."""

    def __init__(self, system: System) -> None:
        super().__init__(system, ROOT)

    def follow(self, path: str, name: str, *, adopted: bool) -> str | None:
        """Where the directory's link leads, below the root; in a directory of another system it may have any name."""
        found = self.points_to(f"{path}/{name}")
        if found is None and adopted:
            found = next((to for other in self.names(path) if (to := self.points_to(f"{path}/{other}"))), None)
        return found

    def listen(self, path: str, over_rdma: Attribute) -> None:
        """Create a portal, over TCP and if requested over RDMA.

        The kernel reports only EINVAL if it cannot bind a socket (6.12).
        """
        where = path.rpartition("/")[2]
        try:
            if not self.exists(path):
                self.mkdir(path)
        except KernelRefused as error:
            raise KernelRefused(
                f"cannot listen on {where}: the appliance does not have this address, or another portal or program "
                "uses this port"
            ) from error
        try:
            self.hold(path, over_rdma)
        except KernelRefused as error:
            raise KernelRefused(f"cannot listen over RDMA on {where}: {str(error).rpartition(': ')[2]}") from error


def prepare(system: System) -> None:
    """Load LIO with its data directory, before any fabric. Raises Unavailable with what is missing."""
    for module in ("target_core_mod", "target_core_iblock", "iscsi_target_mod"):
        load(system, module)
        if module == "target_core_mod":
            _set_data_folder(system)
    if not system.is_dir(f"{ROOT}/iscsi"):
        try:
            system.mkdir(f"{ROOT}/iscsi")
        except OSError as error:
            raise Unavailable(
                f"the kernel offers no iSCSI target ({error.strerror}): "
                "boot a kernel with LIO (Debian package linux-image-amd64)"
            ) from error
    rdma.load(system, ISER_MODULE)


def no_iser(system: System) -> str | None:
    """Why iSER cannot be served here; None if it can."""
    return rdma.lacking(system, ISER_MODULE, PACKAGE)


def _set_data_folder(system: System) -> None:
    """Persistent reservations are stored below dbroot, which can be set only while no fabric is loaded."""
    if not system.is_dir(ROOT):
        raise Unavailable(
            "the kernel has no LIO target: boot one with target_core_mod (Debian package linux-image-amd64)"
        )
    for folder in ("", "/pr", "/alua"):
        if not system.is_dir(f"{DB_ROOT}{folder}"):
            system.mkdir(f"{DB_ROOT}{folder}")
    if system.read(f"{ROOT}/dbroot").strip() != DB_ROOT and not system.is_dir(f"{ROOT}/iscsi"):
        system.write(f"{ROOT}/dbroot", DB_ROOT)
