"""Tuning of an MD array and its disks: values that are set or automatic, and the values in effect."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from lunette.domain.base import Model


class Scheduler(StrEnum):
    """I/O scheduler of the member disks."""

    NONE = "none"
    """No I/O scheduler. The automatic choice for solid-state disks with several queues."""
    MQ_DEADLINE = "mq-deadline"
    """Deadline scheduler. The automatic choice for rotating disks and for disks with one queue."""


class TuningName(StrEnum):
    """Name of a tuning value of an MD array."""

    GROUP_THREAD_CNT = "group_thread_cnt"
    """Number of threads per NUMA node that compute parity, in addition to the thread of the array."""
    STRIPE_CACHE_SIZE = "stripe_cache_size"
    """Number of stripes in the stripe cache. Each stripe takes 4 KiB of memory for each disk."""
    SKIP_COPY = "skip_copy"
    """Whether full pages are written directly from the memory of the request instead of from a copy."""
    SCHEDULER = "scheduler"
    """I/O scheduler of the member disks."""


PARITY_ONLY = (TuningName.GROUP_THREAD_CNT, TuningName.STRIPE_CACHE_SIZE, TuningName.SKIP_COPY)
"""What only raid4, raid5 and raid6 have: the stripe cache and the threads that work on it."""

GroupThreads = Annotated[int, Field(ge=0, le=64)]
"""Threads per NUMA node that compute parity, in addition to the thread of the array."""
StripeCache = Annotated[int, Field(ge=17, le=32768)]
"""Stripes of one page per disk; the kernel's own limits (drivers/md/raid5.c, raid5_set_cache_size)."""


class ArrayTuning(Model):
    """Tuning values that are set. None for a value that is automatic."""

    group_thread_cnt: GroupThreads | None = None
    """Number of threads per NUMA node that compute parity, in addition to the thread of the array. RAID 4, 5 and 6
    only. `null` selects the automatic value."""
    stripe_cache_size: StripeCache | None = None
    """Number of stripes in the stripe cache, each 4 KiB of memory for each disk. RAID 4, 5 and 6 only. `null` selects
    the automatic value."""
    skip_copy: bool | None = None
    """Whether full pages are written directly from the memory of the request instead of from a copy. RAID 4, 5 and 6
    only. `null` selects the automatic value."""
    scheduler: Scheduler | None = None
    """I/O scheduler of the member disks. `null` selects the automatic scheduler for each disk."""


class ObservedTuning(Model):
    """One tuning value of a running array, in the notation of the kernel.

    `observed`: the value in effect, None if the kernel does not report a value. `automatic`: the value in effect unless
    another value is set, None if the kernel decides; `why` is the reason for that value. `most`: the highest value for
    which the machine has memory.
    """

    name: TuningName
    observed: str | None
    automatic: str | None
    why: str
    most: int | None = None


def notation(value: object) -> str | None:
    """A chosen value as the kernel writes it; None for none."""
    if value is None:
        return None
    return str(int(value)) if isinstance(value, bool) else str(value)
