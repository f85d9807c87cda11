"""How an md array and its disks are tuned: values that are chosen or automatic, and what the machine has now."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from lunette.domain.base import Model


class Scheduler(StrEnum):
    """I/O scheduler of the member disks, by the kernel's names."""

    NONE = "none"
    MQ_DEADLINE = "mq-deadline"


class TuningName(StrEnum):
    """The fields of a tuning record; but for `scheduler` also the names of md's attributes in sysfs."""

    GROUP_THREAD_CNT = "group_thread_cnt"
    STRIPE_CACHE_SIZE = "stripe_cache_size"
    SKIP_COPY = "skip_copy"
    SCHEDULER = "scheduler"


PARITY_ONLY = (TuningName.GROUP_THREAD_CNT, TuningName.STRIPE_CACHE_SIZE, TuningName.SKIP_COPY)
"""What only raid4, raid5 and raid6 have: the stripe cache and the threads that work on it."""

GroupThreads = Annotated[int, Field(ge=0, le=64)]
"""Threads per NUMA node that compute parity beside the array's own."""
StripeCache = Annotated[int, Field(ge=17, le=32768)]
"""Stripes of one page per disk; the kernel's own limits (drivers/md/raid5.c, raid5_set_cache_size)."""


class ArrayTuning(Model):
    """What was chosen; None is automatic."""

    group_thread_cnt: GroupThreads | None = None
    stripe_cache_size: StripeCache | None = None
    skip_copy: bool | None = None
    scheduler: Scheduler | None = None


class ObservedTuning(Model):
    """One value of a running array, in the kernel's notation.

    `observed`: in force now, None where the kernel does not say. `automatic`: what is kept unless another is chosen,
    None where that is left to the kernel; `why` it is that. `most`: the highest value this machine has memory for.
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
