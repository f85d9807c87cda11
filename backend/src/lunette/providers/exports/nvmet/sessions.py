"""Sessions on Lunette's subsystems, if the kernel shows them.

Only debugfs does: /sys/kernel/debug/nvmet/<subsystem>/ctrl<id>/{hostnqn,port,state,host_traddr}, since Linux 6.11 and
only if it was built with CONFIG_NVME_TARGET_DEBUGFS. Debian 13's kernel was not: sessions are then unknown, not none.
"""

from collections.abc import Iterator

from lunette.domain.exports import ExportSet, ObservedSession, UnseenSessions
from lunette.domain.mappings import Family, Protocol, is_fc_address
from lunette.providers.exports.nvmet import adopted
from lunette.providers.exports.nvmet.configfs import ROOT, NvmetConfigfs
from lunette.system.system_port import System

DEBUGFS = "/sys/kernel/debug/nvmet"
UNSEEN = UnseenSessions(
    family=Family.NVME,
    reason=(
        "This kernel does not report who is connected to its NVMe target: it is built without "
        "CONFIG_NVME_TARGET_DEBUGFS, or debugfs is not mounted."
    ),
)
UNCOUNTED = UnseenSessions(
    family=Family.NVME,
    reason="The kernel's NVMe target has no counters per host (Linux 6.12): see the counters of the volumes.",
)
_PROTOCOLS = {"tcp": Protocol.NVME_TCP, "rdma": Protocol.NVME_RDMA, "fc": Protocol.NVME_FC}


def observe_sessions(
    system: System, exports: ExportSet | None = None
) -> tuple[tuple[ObservedSession, ...], UnseenSessions | None]:
    """The sessions on Lunette's subsystems; or why they are unknown, if a port serves one of them. `exports` shows
    which were adopted.
    """
    if not system.is_dir(ROOT):
        return (), None
    files = NvmetConfigfs(system)
    ours = adopted.of_any(files, exports)
    served = [path for path in ours.subsystem_paths(files) if ours.places_of(files, path)]
    if not system.is_dir(DEBUGFS):
        return (), UNSEEN if served else None
    return tuple(session for path in served for session in _sessions(files, path.partition("/")[2])), None


def _sessions(files: NvmetConfigfs, nqn: str) -> Iterator[ObservedSession]:
    for name in files.system.listdir(f"{DEBUGFS}/{nqn}"):
        reported = {key: _read(files.system, f"{DEBUGFS}/{nqn}/{name}/{key}") for key in _FACTS}
        if not reported["hostnqn"]:
            continue
        port = f"ports/{reported['port']}"
        address, number = files.read(f"{port}/addr_traddr"), files.read(f"{port}/addr_trsvcid")
        where = address if is_fc_address(address) else f"{address}:{number}"
        yield ObservedSession(
            target=nqn,
            initiator=reported["hostnqn"],
            peer=reported["host_traddr"] or None,
            protocol=_PROTOCOLS.get(files.read(f"{port}/addr_trtype"), Protocol.NVME_TCP),
            portal=where if where != ":" else None,
            state=reported["state"] or "connecting",
            since=None,
        )


_FACTS = ("hostnqn", "port", "state", "host_traddr")


def _read(system: System, path: str) -> str:
    """A controller may disappear while it is read, and older kernels do not have every file."""
    try:
        return system.read(path).strip()
    except OSError:
        return ""
