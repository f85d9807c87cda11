"""One observation of the whole machine. An engine that is missing is told with a reason and hides nothing else."""

import logging
import os
import threading
from collections.abc import Collection, Iterator, Sequence

from lunette.domain.arrays import EngineCapability, ObservedArray
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError
from lunette.domain.observations import Observation
from lunette.domain.updates import ObservedSlots
from lunette.providers import clock, power
from lunette.providers.arrays.external import health
from lunette.providers.arrays.external import observe as external
from lunette.providers.arrays.external import plan as external_plan
from lunette.providers.arrays.lvm import observe as lvm_raid
from lunette.providers.arrays.lvm import plan as lvm_raid_plan
from lunette.providers.arrays.md import plan as md_plan
from lunette.providers.arrays.md.observe import observe_arrays
from lunette.providers.arrays.zfs import module as zfs_module
from lunette.providers.arrays.zfs import observe as zfs
from lunette.providers.arrays.zfs import plan as zfs_plan
from lunette.providers.disks.inventory import observe_disks
from lunette.providers.encryption import plan as encryption
from lunette.providers.encryption.device import hindrance as luks_hindrance
from lunette.providers.exports.lio import plan as lio_plan
from lunette.providers.exports.lio.configfs import ROOT, no_iser
from lunette.providers.exports.nvmet import configfs as nvmet_configfs
from lunette.providers.exports.nvmet import plan as nvmet_plan
from lunette.providers.exports.spdk import plan as spdk_plan
from lunette.providers.fabrics import fc_host, rdma
from lunette.providers.network import observe as network
from lunette.providers.updates import run as updates
from lunette.providers.volumes import blocks
from lunette.providers.volumes.lvm import parse as lvm_parse
from lunette.providers.volumes.lvm import plan as lvm_plan
from lunette.providers.volumes.lvm.observe import observe_groups
from lunette.providers.volumes.zvol import observe as zvol
from lunette.providers.volumes.zvol import plan as zvol_plan
from lunette.system.doorway import System
from lunette.system.tools import missing_tool

log = logging.getLogger(__name__)


class Observer:
    """Takes observations, one at a time. Callers that wait together share the next one.

    Nobody gets a look that began before they asked: it may have missed what they, or a person at a shell, did to the
    machine just before.
    """

    def __init__(self, system: System) -> None:
        self._system = system
        self._lock = threading.Lock()
        self._begun = 0
        self._last: tuple[int, Observation] | None = None

    def observe(self) -> Observation:
        begun_before = self._begun
        with self._lock:
            if self._last is None or self._last[0] <= begun_before:
                self._begun += 1
                self._last = (self._begun, take(self._system))
            return self._last[1]


def take(system: System) -> Observation:
    """Look at everything now. Raises only if not even the disks can be listed."""
    taken_at = system.now()
    disks = observe_disks(system)
    groups = _lvm(system)
    pools, volumes = lvm_parse.observed(groups)
    datasets = zfs.datasets(system)
    zfs_arrays = zfs.observe_arrays(system, datasets, disks)
    adopted = {pool.array_uuid for pool in pools if pool.ours}
    zfs_pools, zvols = zvol.observed(datasets, zfs_arrays)
    kernel = os.uname()
    links = network.links(system)
    return Observation(
        taken_at=taken_at,
        hostname=kernel.nodename,
        kernel=kernel.release,
        disks=disks,
        arrays=(
            *_md_arrays(system, disks, adopted),
            *zfs_arrays,
            *(external.observe_arrays(system, disks, groups) if system.find_tool("pvs") else ()),
            *(lvm_raid.observe_arrays(system, disks) if system.find_tool("pvs") else ()),
        ),
        pools=(*pools, *zfs_pools),
        volumes=blocks.told(system, (*volumes, *zvols)),
        engines=capabilities(system),
        fc_ports=fc_host.observe(system),
        addresses=_addresses(links),
        interfaces=network.observe(system, links),
        rdma_devices=rdma.told(system),
        slots=_slots(system),
        power=power.observe(system),
        clock_is_set=clock.is_set(system),
    )


def _slots(system: System) -> ObservedSlots | None:
    """Without them the rest is seen all the same."""
    try:
        return updates.observe(system)
    except (LunetteError, OSError) as error:
        log.warning("the slots cannot be looked at: %s", error)
        return None


def _md_arrays(
    system: System, disks: Sequence[ObservedDisk], adopted: Collection[str | None]
) -> Iterator[ObservedArray]:
    """One that was adopted keeps its name: the mark is on its volume group."""
    for array in observe_arrays(system, disks) if system.find_tool("mdadm") else ():
        yield array.model_copy(update={"marked": True}) if array.uuid in adopted else array


def capabilities(system: System) -> tuple[EngineCapability, ...]:
    """What each engine can do here, or why it cannot."""
    no_lvm = _hindrance(system, "lvcreate", "/dev/mapper/control", "dm_mod", lvm_plan.PACKAGE)
    return (
        encryption.offered(
            md_plan.capability(_hindrance(system, "mdadm", "/proc/mdstat", "md_mod", md_plan.PACKAGE)),
            luks_hindrance(system),
        ),
        encryption.without(zfs_plan.capability(zfs_module.hindrance(system, "zpool")), encryption.ZFS_LACKS),
        encryption.without(external_plan.capability(no_lvm, health.commands(system)), encryption.EXTERNAL_LACKS),
        encryption.without(
            lvm_raid_plan.capability(
                no_lvm or _no_module(system, "dm_raid"), no_integrity=_no_module(system, "dm_integrity")
            ),
            encryption.LVM_LACKS,
        ),
        lvm_plan.capability(
            no_lvm,
            thin=system.find_tool(lvm_plan.THIN_TOOL) is not None,
        ),
        zvol_plan.capability(zfs_module.hindrance(system, "zfs")),
        lio_plan.capability(
            None if system.is_dir(f"{ROOT}/iscsi") else "the kernel module iscsi_target_mod is not loaded: boot a "
            f"kernel that has it (Debian package {lio_plan.PACKAGE})",
            no_iser=no_iser(system),
            without_fc=fc_host.lacking(system),
        ),
        nvmet_plan.capability(nvmet_configfs.missing(system), nvmet_configfs.lacking(system)),
        spdk_plan.capability(None if system.find_tool(spdk_plan.TOOL) else spdk_plan.MISSING),
    )  # fmt: skip


def _no_module(system: System, module: str) -> str | None:
    """Why the kernel cannot load a module, which it does when it is needed; None if it can."""
    if system.exists(f"/sys/module/{module}"):
        return None
    if system.run(["modprobe", "--dry-run", "--quiet", module], ok=(0, 1)).returncode == 0:
        return None
    return f"the kernel has no module {module}: boot one that has it"


def _hindrance(system: System, tool: str, trace: str, module: str, package: str) -> str | None:
    if system.find_tool(tool) is None:
        return missing_tool(tool)
    if not system.exists(trace):
        return f"the kernel module {module} is not loaded: boot a kernel that has it, as {package} needs it"
    return None


def _lvm(system: System) -> tuple[lvm_parse.Group, ...]:
    if system.find_tool("vgs") is None or not system.exists("/dev/mapper/control"):
        return ()
    return observe_groups(system)


def _addresses(links: Sequence[network.Link]) -> tuple[str, ...]:
    entries = [entry for link in links for entry in link.get("addr_info", ())]
    return tuple(dict.fromkeys(entry["local"] for entry in entries if entry.get("scope") in ("global", "host")))
