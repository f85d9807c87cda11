"""One observation of the whole machine. An engine that is missing is told with a reason and hides nothing else."""

import os
import threading
from collections.abc import Collection, Iterator, Sequence

from lunette.agent.readings import Look, Readings
from lunette.domain.arrays import EngineCapability, ObservedArray
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError
from lunette.domain.observations import Observation, Part
from lunette.domain.volumes import ObservedPool, ObservedVolume
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


class Observer:
    """Takes observations, one at a time. Callers that wait together share the next one.

    Nobody gets a look that began before they asked: it may have missed what they, or a person at a shell, did to the
    machine just before.
    """

    def __init__(self, system: System, readings: Readings | None = None) -> None:
        self._system = system
        self._readings = readings or Readings()
        self._lock = threading.Lock()
        self._begun = 0
        self._last: tuple[int, Observation] | None = None

    def observe(self) -> Observation:
        begun_before = self._begun
        with self._lock:
            if self._last is None or self._last[0] <= begun_before:
                self._begun += 1
                self._last = (self._begun, take(self._system, self._readings.look()))
            return self._last[1]


def take(system: System, look: Look | None = None) -> Observation:
    """Look at everything now. Never raises: what cannot be read is told, and hides nothing else."""
    look = look or Readings().look()
    taken_at, kernel = system.now(), os.uname()
    disks = look.read(Part.DISKS, lambda unread: observe_disks(system, unread=unread)) or ()
    all_disks = not look.unread
    groups = look.read(Part.LVM, lambda unread: _lvm(system, unread)) or ()
    pools, volumes = lvm_parse.observed(groups)
    zfs_view = look.read(Part.ZFS, lambda unread: _zfs(system, disks, unread, all_disks=all_disks)) or ((), (), ())
    zfs_arrays, zfs_pools, zvols = zfs_view
    adopted = {pool.array_uuid for pool in pools if pool.ours}
    links = look.read(Part.NETWORK, lambda _: network.links(system)) or ()
    has_lvm = system.find_tool("pvs") is not None
    arrays = (
        look.read(Part.MD, lambda _: tuple(_md_arrays(system, disks, adopted))),
        zfs_arrays,
        look.read(Part.EXTERNAL, lambda unread: external.observe_arrays(system, disks, groups, unread))
        if has_lvm
        else None,
        look.read(Part.LVM, lambda unread: lvm_raid.observe_arrays(system, disks, unread, all_disks=all_disks))
        if has_lvm
        else None,
    )
    return Observation(
        taken_at=taken_at,
        hostname=kernel.nodename,
        kernel=kernel.release,
        disks=disks,
        arrays=tuple(array for of_engine in arrays for array in of_engine or ()),
        pools=(*pools, *zfs_pools),
        volumes=blocks.told(system, (*volumes, *zvols)),
        engines=capabilities(system),
        fc_ports=look.read(Part.FIBRE_CHANNEL, lambda _: fc_host.observe(system)) or (),
        addresses=_addresses(links),
        interfaces=look.read(Part.NETWORK, lambda unread: network.observe(system, links, unread)) or (),
        rdma_devices=look.read(Part.RDMA, lambda _: rdma.told(system)) or (),
        slots=look.read(Part.UPDATES, lambda _: updates.observe(system)),
        power=look.read(Part.UPDATES, lambda _: power.observe(system)),
        clock_is_set=clock.is_set(system),
        unread=look.unread,
    )


def _zfs(
    system: System, disks: Sequence[ObservedDisk], unread: dict[str, str], *, all_disks: bool
) -> tuple[tuple[ObservedArray, ...], tuple[ObservedPool, ...], tuple[ObservedVolume, ...]]:
    datasets = zfs.all_datasets(system, unread)
    arrays = zfs.observe_arrays(system, datasets, disks, unread, all_disks=all_disks)
    return (arrays, *zvol.observed(datasets, arrays))


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
            None
            if system.is_dir(f"{ROOT}/iscsi")
            else "the kernel module iscsi_target_mod is not loaded: boot a "
            f"kernel that has it (Debian package {lio_plan.PACKAGE})",
            no_iser=no_iser(system),
            without_fc=fc_host.lacking(system),
        ),
        nvmet_plan.capability(nvmet_configfs.missing(system), nvmet_configfs.lacking(system)),
        spdk_plan.capability(None if system.find_tool(spdk_plan.TOOL) else spdk_plan.MISSING),
    )


def _no_module(system: System, module: str) -> str | None:
    """Why the kernel cannot load a module, which it does when it is needed; None if it can."""
    if system.exists(f"/sys/module/{module}"):
        return None
    try:
        if system.run(["modprobe", "--dry-run", "--quiet", module], ok=(0, 1)).returncode == 0:
            return None
    except LunetteError as error:
        return f"whether the kernel has module {module} is not known: {error.detail}"
    return f"the kernel has no module {module}: boot one that has it"


def _hindrance(system: System, tool: str, trace: str, module: str, package: str) -> str | None:
    if system.find_tool(tool) is None:
        return missing_tool(tool)
    if not system.exists(trace):
        return f"the kernel module {module} is not loaded: boot a kernel that has it, as {package} needs it"
    return None


def _lvm(system: System, unread: dict[str, str]) -> tuple[lvm_parse.Group, ...]:
    if system.find_tool("vgs") is None or not system.exists("/dev/mapper/control"):
        return ()
    return observe_groups(system, unread)


def _addresses(links: Sequence[network.Link]) -> tuple[str, ...]:
    entries = [entry for link in links for entry in network.link_addresses(link)]
    return tuple(dict.fromkeys(entry["local"] for entry in entries if entry.get("scope") in ("global", "host")))
