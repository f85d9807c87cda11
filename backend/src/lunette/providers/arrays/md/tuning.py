"""Tuning of running md arrays, and its automatic values: from cores, memory, disks and chunk size."""

from collections.abc import Mapping
from dataclasses import dataclass

from lunette.domain.sizes import format_size
from lunette.domain.tuning import ObservedTuning, Scheduler, TuningName
from lunette.domain.units import counted
from lunette.providers.arrays.md.parse import KernelArray
from lunette.providers.arrays.md.plan import MEMORY_SHARE, PAGE_BYTES, parity_disks
from lunette.providers.arrays.md.sysfs import attribute
from lunette.providers.arrays.md.values import first_number, number
from lunette.system.memory import memory_bytes
from lunette.system.system_port import System

KERNEL_STRIPES = 256
LEAST_STRIPES = 17
WHOLE_STRIPES = 4
"""Number of stripes that whole chunks need: what the kernel requires before a reshape (raid5.c, check_stripe_cache)."""
MOST_THREADS = 4
"""More threads per node were not faster."""
TOGETHER = 8
"""The stripe caches of all parity arrays together may use this fraction of the memory."""


@dataclass(frozen=True)
class MachineResources:
    cores: int
    memory_bytes: int
    parity_arrays: int = 1
    """Number of md arrays with a stripe cache."""

    @property
    def share(self) -> int:
        """The fraction of the memory that the cache of one array may use, as a divisor."""
        return max(MEMORY_SHARE, TOGETHER * self.parity_arrays)

    @property
    def limit(self) -> str:
        """That part in words."""
        words = f"1/{self.share} of {format_size(self.memory_bytes)} memory"
        if self.share == MEMORY_SHARE:
            return words
        return f"{words}, because {self.parity_arrays} parity arrays share 1/{TOGETHER} of it"


def machine_resources(system: System) -> MachineResources:
    """Online cores, the memory, and the number of arrays that share it; one core and no memory if the kernel does not
    say.
    """
    cores = attribute(system, "/sys/devices/system/cpu/online")
    names = [name for name in system.listdir("/sys/block") if name.startswith("md")]
    levels = [attribute(system, f"/sys/block/{name}/md/level") for name in names]
    return MachineResources(
        cores=count_cpus(cores) or 1,
        memory_bytes=memory_bytes(system),
        parity_arrays=sum(1 for level in levels if parity_disks(level)),
    )


def observed(system: System, array: KernelArray, has: MachineResources) -> tuple[ObservedTuning, ...]:
    """Each value of this level: the present one, the automatic one, and the reason."""
    found = _parity(system, array, has) if parity_disks(array.attributes.get("level", "")) else []
    disks = schedulers(system, array)
    if disks:
        kinds = {disk.automatic: disk.why for disk in disks.values()}
        found.append(
            ObservedTuning(
                name=TuningName.SCHEDULER,
                observed=" and ".join(sorted({disk.now for disk in disks.values()})),
                automatic=" and ".join(sorted(kinds)),
                why="; ".join(f"{name} for {why}" for name, why in sorted(kinds.items())),
            )
        )
    return tuple(found)


def most_stripes(has: MachineResources, disks: int) -> int:
    """The number of stripes that the cache may retain for this many disks.

    The kernel does not release these: beyond them the cache grows when it runs short, and shrinks when memory is short
    (drivers/md/raid5.c, raid5_cache_scan).
    """
    return max(LEAST_STRIPES, min(32768, has.memory_bytes // has.share // (disks * PAGE_BYTES)))


def automatic_threads(cores: int) -> tuple[int, str]:
    """Threads per NUMA node, and the reason."""
    if cores < 4:
        return 0, f"{counted(cores, 'core')}: the array's own thread is enough"
    count = min(MOST_THREADS, cores // 2)
    return count, f"half of {cores} cores, at most {MOST_THREADS}: more were not faster"


def automatic_stripes(has: MachineResources, disks: int, chunk_bytes: int) -> tuple[int, str]:
    """Stripes in the cache, and the reason."""
    most = most_stripes(has, disks)
    asked = max(KERNEL_STRIPES, WHOLE_STRIPES * chunk_bytes // PAGE_BYTES)
    count = min(asked, most)
    room = format_size(count * disks * PAGE_BYTES)
    if count < asked:
        return count, f"{room} with {disks} disks, all that {has.limit} allows"
    reason = "the kernel default, which the kernel raises automatically when it runs short"
    if asked > KERNEL_STRIPES:
        reason = f"room for {WHOLE_STRIPES} stripes of {format_size(chunk_bytes)} chunks"
    return count, f"{reason}: {room} with {disks} disks, of {has.limit}"


def _parity(system: System, array: KernelArray, has: MachineResources) -> list[ObservedTuning]:
    disks = first_number(array.attributes.get("raid_disks", "")) or 1
    threads, why_threads = automatic_threads(has.cores)
    stripes, why_stripes = automatic_stripes(has, disks, first_number(array.attributes.get("chunk_size", "")))
    values: Mapping[TuningName, tuple[int, str, int | None]] = {
        TuningName.GROUP_THREAD_CNT: (threads, why_threads, None),
        TuningName.STRIPE_CACHE_SIZE: (stripes, why_stripes, most_stripes(has, disks)),
        TuningName.SKIP_COPY: (0, "the kernel default: full pages are copied before they are written", None),
    }
    base = f"/sys/block/{array.kernel_name}/md"
    return [
        ObservedTuning(
            name=name,
            observed=attribute(system, f"{base}/{name.value}") or None,
            automatic=str(value),
            why=why,
            most=most,
        )
        for name, (value, why, most) in values.items()
    ]


@dataclass(frozen=True)
class MemberScheduler:
    """A member's scheduler: the present one, the available ones, and the automatic one."""

    now: str
    offered: tuple[str, ...]
    automatic: str
    why: str


def schedulers(system: System, array: KernelArray) -> dict[str, MemberScheduler]:
    """By kernel name; members whose scheduler cannot change are omitted. The rule is the kernel's own
    (block/elevator.c).
    """
    found = {}
    for member in array.members:
        words = attribute(system, scheduler_file(member.device)).split()
        now = next((word.strip("[]") for word in words if word.startswith("[")), "")
        if not now or len(words) < 2:
            continue
        base = f"/sys/block/{member.device}"
        queues = len(system.listdir(f"{base}/mq")) if system.is_dir(f"{base}/mq") else 1
        is_rotating = attribute(system, f"{base}/queue/rotational") == "1"
        one = is_rotating or queues == 1
        found[member.device] = MemberScheduler(
            now=now,
            offered=tuple(word.strip("[]") for word in words),
            automatic=(Scheduler.MQ_DEADLINE if one else Scheduler.NONE).value,
            why="rotating disks" if is_rotating else "disks of one queue" if one else "disks of several queues",
        )
    return found


def scheduler_file(device: str) -> str:
    return f"/sys/block/{device}/queue/scheduler"


def count_cpus(online: str) -> int:
    """CPUs of a list such as 0-3,6."""
    total = 0
    for part in online.split(","):
        first, separator, last = part.partition("-")
        low, high = number(first), number(last if separator else first)
        total += max(0, high - low + 1) if low is not None and high is not None else 0
    return total
