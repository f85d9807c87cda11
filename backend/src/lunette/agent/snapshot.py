"""One observation of the whole machine. A missing engine is reported with a reason and hides nothing else."""

import os
import threading
from collections.abc import Sequence

from lunette.agent.readings import PartReader, Readings
from lunette.domain.arrays import EngineCapability
from lunette.domain.observations import Observation, Part
from lunette.providers import clock, power
from lunette.providers.arrays.machine import ArrayMachine, ObservedArrays, Surroundings
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.disks.inventory import observe_disks
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
from lunette.providers.volumes.lvm.observe import observe_groups
from lunette.providers.volumes.machines import VOLUME_MACHINES
from lunette.system.system_port import System


class Observer:
    """Takes observations, one at a time. Callers that wait together share the next one. No caller gets an observation
    that began before it asked: that one may have missed what the caller, or an administrator at a shell, just did to
    the machine.
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


def take(system: System, look: PartReader | None = None) -> Observation:
    """Observe everything now. Never raises: what cannot be read is reported, and hides nothing else."""
    look = look or Readings().look()
    taken_at, kernel = system.now(), os.uname()
    disks = look.read(Part.DISKS, lambda unread: observe_disks(system, unread=unread)) or ()
    all_disks = not look.unread
    groups = look.read(Part.LVM, lambda unread: _lvm(system, unread)) or ()
    pools, volumes = lvm_parse.observed(groups)
    marked = frozenset(pool.array_uuid for pool in pools if pool.ours)
    around = Surroundings(disks, all_disks, groups, marked)
    found = [_arrays(system, look, machine, around) for machine in ARRAY_MACHINES.values()]
    links = look.read(Part.NETWORK, lambda _: network.links(system)) or ()
    return Observation(
        taken_at=taken_at,
        hostname=kernel.nodename,
        kernel=kernel.release,
        disks=disks,
        arrays=tuple(array for seen in found for array in seen.arrays),
        groups=(*pools, *(pool for seen in found for pool in seen.groups)),
        volumes=blocks.with_block_sizes(system, (*volumes, *(volume for seen in found for volume in seen.volumes))),
        engines=capabilities(system),
        fc_ports=look.read(Part.FIBRE_CHANNEL, lambda _: fc_host.observe(system)) or (),
        addresses=_addresses(links),
        interfaces=look.read(Part.NETWORK, lambda unread: network.observe(system, links, unread)) or (),
        rdma_devices=look.read(Part.RDMA, lambda _: rdma.with_flow_control(system)) or (),
        slots=look.read(Part.UPDATES, lambda _: updates.observe(system)),
        power=look.read(Part.UPDATES, lambda _: power.observe(system)),
        clock_is_set=clock.is_set(system),
        unread=look.unread,
    )


def _arrays(system: System, look: PartReader, machine: ArrayMachine, around: Surroundings) -> ObservedArrays:
    return look.read(machine.part, lambda unread: machine.observe(system, around, unread)) or ObservedArrays()


def capabilities(system: System) -> tuple[EngineCapability, ...]:
    """What each engine can do here, or why it cannot."""
    return (
        *(machine.capability(system) for machine in ARRAY_MACHINES.values()),
        *(machine.capability(system) for machine in VOLUME_MACHINES.values()),
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


def _lvm(system: System, unread: dict[str, str]) -> tuple[lvm_parse.Group, ...]:
    if system.find_tool("vgs") is None or not system.exists("/dev/mapper/control"):
        return ()
    return observe_groups(system, unread)


def _addresses(links: Sequence[network.Link]) -> tuple[str, ...]:
    entries = [entry for link in links for entry in network.link_addresses(link)]
    return tuple(dict.fromkeys(entry["local"] for entry in entries if entry.get("scope") in ("global", "host")))
