"""How much a volume is used that a plan takes away, and the consent that this needs, or a number that was in use."""

import datetime as dt
from collections.abc import Collection, Iterable

from lunette.domain.base import Model
from lunette.domain.errors import FieldProblem, InUse
from lunette.domain.plans import Reuse

BUSY_S = 60.0
"""A volume with an I/O within so many seconds is in use. Asking a path whether it is well (TEST UNIT READY, an NVMe
keep-alive) does no I/O on the device; a checker that reads does, and such a volume counts as in use."""
LISTED = 8


class VolumeUse(Model):
    """A volume that leaves a host or is deleted. None: the engine did not count it, which is not zero."""

    name: str
    iops: float | None
    """I/Os per second now."""
    last_io_at: dt.datetime | None
    """The end of the last span with an I/O, within the last hour."""

    def is_busy(self, now: dt.datetime) -> bool:
        """True if a host does something with it now, or did a moment ago."""
        if self.iops:
            return True
        return self.last_io_at is not None and (now - self.last_io_at).total_seconds() < BUSY_S

    def words(self) -> str:
        """Its use for people."""
        if self.iops:
            return f"{self.name} ({max(self.iops, 0.1):.1f} IOPS)"
        return f"{self.name} (last I/O at {self.last_io_at:%H:%M:%S} UTC)"


def check_confirmed(uses: Iterable[VolumeUse], confirmed: Collection[str], now: dt.datetime) -> None:
    """Raises InUse naming every volume that is in use and was not named by who takes it away."""
    busy = [one for one in uses if one.is_busy(now) and one.name not in confirmed]
    if not busy:
        return
    shown = ", ".join(one.words() for one in busy[:LISTED])
    more = f" and {len(busy) - LISTED} more" if len(busy) > LISTED else ""
    raise InUse(
        f"Hosts are using volumes that would be removed: {shown}{more}. Nothing was changed. Stop the I/O on the "
        "hosts first (unmount, stop the applications), or name each of these volumes in `confirm` to remove them "
        "anyway.",
        errors=tuple(
            FieldProblem(field="confirm", value=None, message=f"does not name volume {one.name}, which is in use")
            for one in busy
        ),
    )


def check_reused(reused: Iterable[Reuse], confirmed: Collection[str]) -> None:
    """Raises InUse for a number whose former volume was not named by who gives the number to another one."""
    asked = [one for one in reused if one.former not in confirmed]
    if not asked:
        return
    shown = ", ".join(f"{one.number} of {one.owner} (volume {one.former})" for one in asked[:LISTED])
    more = f" and {len(asked) - LISTED} more" if len(asked) > LISTED else ""
    raise InUse(
        f"Hosts may still have the devices of unmapped volumes and would write to the new volumes: {shown}{more}. "
        "Nothing was changed. Use other numbers, or, after the hosts have removed the old devices, name each of these "
        "volumes in `confirm`.",
        errors=tuple(
            FieldProblem(
                field="confirm",
                value=None,
                message=f"does not name volume {one.former}, which had {one.number} of {one.owner}",
            )
            for one in asked
        ),
    )
