"""Updates of an installed appliance: two slots, of which one runs and the other takes the next system."""

import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from lunette.domain.base import Model
from lunette.domain.secret_urls import WebUrl

Slot = Literal["a", "b"]
SLOTS: tuple[Slot, Slot] = ("a", "b")
COMPATIBLE = "lunette-x86_64"
"""What a bundle must be made for."""
BundleId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Version = Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z.+~_-]{0,63}$")]
MAX_BUNDLE_BYTES = 2 * 1024**3
"""As much as a slot has."""
NOT_INSTALLED = (
    "This appliance was not installed on a disk of its own, so it has no second slot to update: a server that a play "
    "set up is updated by the play, and what was started from the ISO is installed first."
)


def is_older(version: str, than: str) -> bool:
    """Whether a version comes before another in the order of Debian's versions, deb-version(7): 1.0~rc1 before 1.0."""
    return _order(version) < _order(than)


def _order(version: str) -> list[tuple[list[int], int]]:
    """Runs of other characters and of digits in turns. In a run `~` comes first, then its end, letters and the rest."""
    ranks = {"~": -1}
    return [
        ([ranks.get(one, ord(one) if one.isalpha() else ord(one) + 256) for one in word] + [0], int(number or 0))
        for word, number in re.findall(r"([^0-9]*)([0-9]*)", version)
    ]


def other(slot: Slot) -> Slot:
    """The other one of two."""
    return "b" if slot == "a" else "a"


class TrialState(StrEnum):
    """starting: the other slot was chosen, and has not proved itself. healthy: it did, and is started from now on.

    failed: the slot before runs again.
    """

    STARTING = "starting"
    HEALTHY = "healthy"
    FAILED = "failed"


class SlotTrial(Model):
    """The last time another slot was to be started, and what became of it."""

    id: str
    slot: Slot
    version: str
    boot: str
    """The kernel's id of the start in which it was asked for."""
    serving: tuple[str, ...] = ()
    """Targets and subsystems that were open to their hosts before."""
    state: TrialState = TrialState.STARTING
    reason: str | None = None
    """Why it failed."""


class ObservedSlots(Model):
    """What runs, what would be started next, and what lies in the slots. An empty slot has no version."""

    running: Slot
    on_trial: bool
    """It was started once, and is watched: it is started as a rule only when it has been found healthy."""
    next: Slot
    versions: tuple[str | None, str | None]
    trusts: str
    """Whose bundles are taken, in words."""
    trial: SlotTrial | None = None
    outage_s: float | None = None
    """How long hosts were without their exports at the last restart, None before there was one."""

    @property
    def idle(self) -> Slot:
        """The slot that does not run."""
        return other(self.running)

    def version(self, slot: Slot) -> str | None:
        """What lies in a slot, None if nothing does that could be started."""
        return self.versions[SLOTS.index(slot)]


class BundleFacts(Model):
    """What a bundle says of itself; it was signed by somebody who is trusted."""

    compatible: str
    version: Version


class UpdateCreate(Model):
    """An update to the bundle that was uploaded."""

    bundle: BundleId
    """What the upload answered."""
    downgrade: bool = False
    """Install it even if it is older than the running version: faults fixed since then return."""


class UpdateFetch(Model):
    """A bundle that a web server has. Its signature is what is trusted, not the server."""

    url: WebUrl
    """Of its path and query, which may hold a token, nothing is logged."""
