"""The words every test machine shares: what it can do, which disks it has, how it fails."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Literal, NamedTuple

Bus = Literal["nvme", "scsi", "ubd", "lab"]


class Capability(enum.StrEnum):
    """What a test may ask of a machine. A test that requires a missing one fails; it does not skip."""

    PULL = "pull"
    NVME = "nvme"
    ZFS = "zfs"
    RDMA = "rdma"
    SMP = "smp"
    POWER_CUT = "power_cut"


class MachineError(Exception):
    """Something a machine was asked for did not happen; the text says what, why and what to do next."""


class NotCapable(MachineError):
    """The machine lacks the capability a call needs."""


@dataclass(frozen=True)
class DiskInfo:
    """A data disk as the tests know it; `by_id` is the name udev gives it inside the guest."""

    serial: str
    size_bytes: int
    bus: Bus
    by_id: str

    @property
    def path(self) -> str:
        """The stable device path inside the guest."""
        return f"/dev/disk/by-id/{self.by_id}"


class CommandResult(NamedTuple):
    """Exit status and standard output; when the status is not 0 the error output is appended to `stdout`."""

    rc: int
    stdout: str
