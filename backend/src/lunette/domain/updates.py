"""Updates of an installed appliance: one of two slots runs, and updates are installed to the other slot."""

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
    "Updates require an appliance that was installed from the ISO, because others have no second slot. Update a server "
    "that was set up with Ansible by running the playbook again; install a system that was only started from the ISO "
    "first."
)


def is_older(version: str, than: str) -> bool:
    """Whether a version is lower than another in the order of Debian's versions, deb-version(7): 1.0~rc1 before 1.0."""
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
    """State of the trial of a slot."""

    STARTING = "starting"
    """The slot was selected and has not proved healthy yet."""
    HEALTHY = "healthy"
    """The slot proved healthy and is started from now on."""
    FAILED = "failed"
    """The slot did not prove healthy, and the previous slot runs again."""


class SlotTrial(Model):
    """The last attempt to start another slot, and its result."""

    id: str
    """Unique ID of the trial."""
    slot: Slot
    """Slot on trial."""
    version: str
    """Version on trial."""
    boot: str
    """The kernel's boot ID at the time of the request."""
    serving: tuple[str, ...] = ()
    """Targets and subsystems that were open to their hosts before."""
    state: TrialState = TrialState.STARTING
    """State of the trial."""
    reason: str | None = None
    """Why the trial failed; None if it did not fail."""


class ObservedSlots(Model):
    """The running slot, the slot of the next start, and the versions in both. An empty slot has no version."""

    running: Slot
    """Slot that runs."""
    on_trial: bool
    """Whether the running slot was started once and is watched. The slot becomes the default only after it proved
    healthy."""
    next: Slot
    """Slot that the next restart starts."""
    versions: tuple[str | None, str | None]
    """Versions in slots a and b; None for an empty slot."""
    trusts: str
    """Signers whose bundles the appliance accepts, in words."""
    trial: SlotTrial | None = None
    """Last attempt to start another slot; None if there was none."""
    outage_s: float | None = None
    """Time in seconds for which hosts had no exports during the last restart; None if not measured yet."""

    @property
    def idle(self) -> Slot:
        """The slot that does not run."""
        return other(self.running)

    def version(self, slot: Slot) -> str | None:
        """The version in a slot, None if nothing in it can be started."""
        return self.versions[SLOTS.index(slot)]


class BundleFacts(Model):
    """Data that a bundle with a trusted signature contains about itself."""

    compatible: str
    """Product that the bundle is for."""
    version: Version
    """Version in the bundle."""


class UpdateCreate(Model):
    """Request to install an uploaded bundle and restart into it."""

    bundle: BundleId
    """ID of the bundle, as returned by the upload or the fetch."""
    downgrade: bool = False
    """Whether to install a version older than the running one, which brings back faults that were fixed since. By
    default, an older version is refused."""


class UpdateFetch(Model):
    """Request to fetch a bundle from a web server, which is not trusted: the bundle must have a trusted signature."""

    url: WebUrl
    """HTTP or HTTPS address of the bundle. Its path and query, which may contain a token, are never logged."""
