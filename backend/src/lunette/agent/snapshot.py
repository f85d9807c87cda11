"""One observation of the whole machine. An engine that is missing is told with a reason and hides nothing else."""

import json
import os
import threading

from lunette.domain.arrays import EngineCapability
from lunette.domain.errors import LunetteError
from lunette.domain.observations import Observation
from lunette.providers.arrays.md import plan as md_plan
from lunette.providers.arrays.md.observe import observe_arrays
from lunette.providers.disks.inventory import observe_disks
from lunette.providers.exports.lio import plan as lio_plan
from lunette.providers.exports.lio.configfs import ROOT
from lunette.providers.exports.nvmet import configfs as nvmet_configfs
from lunette.providers.exports.nvmet import plan as nvmet_plan
from lunette.providers.volumes.lvm import parse as lvm_parse
from lunette.providers.volumes.lvm import plan as lvm_plan
from lunette.providers.volumes.lvm.observe import observe_groups
from lunette.system.doorway import System
from lunette.system.tools import missing_tool


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
    found = _lvm(system)
    pools, volumes = lvm_parse.observed(found)
    kernel = os.uname()
    return Observation(
        taken_at=taken_at,
        hostname=kernel.nodename,
        kernel=kernel.release,
        disks=disks,
        arrays=observe_arrays(system, disks) if system.find_tool("mdadm") else (),
        pools=pools,
        volumes=volumes,
        engines=capabilities(system),
        addresses=_addresses(system),
    )


def capabilities(system: System) -> tuple[EngineCapability, ...]:
    """What each engine can do here, or why it cannot."""
    return (
        md_plan.capability(_hindrance(system, "mdadm", "/proc/mdstat", "md_mod", md_plan.PACKAGE)),
        lvm_plan.capability(
            _hindrance(system, "lvcreate", "/dev/mapper/control", "dm_mod", lvm_plan.PACKAGE),
            thin=system.find_tool(lvm_plan.THIN_TOOL) is not None,
        ),
        lio_plan.capability(
            None if system.is_dir(f"{ROOT}/iscsi") else "the kernel module iscsi_target_mod is not loaded: boot a "
            f"kernel that has it (Debian package {lio_plan.PACKAGE})"
        ),
        nvmet_plan.capability(nvmet_configfs.missing(system), nvmet_configfs.lacking(system)),
    )  # fmt: skip


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


def _addresses(system: System) -> tuple[str, ...]:
    try:
        links = json.loads(system.run(["ip", "-j", "address", "show"]).stdout or "[]")
    except (LunetteError, ValueError):
        return ()
    entries = [entry for link in links for entry in link.get("addr_info", ())]
    return tuple(dict.fromkeys(entry["local"] for entry in entries if entry.get("scope") in ("global", "host")))
