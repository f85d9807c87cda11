"""Steps of system updates."""

from typing import ClassVar, Literal

from lunette.domain.border import Id, Text
from lunette.domain.steps.base import Step
from lunette.domain.updates import BundleId, Slot, Version


class SlotWrite(Step):
    """Writes a bundle to the idle slot, which cannot be started until it is complete."""

    irreversible: ClassVar[bool] = True
    kind: Literal["slot.write"] = "slot.write"
    bundle_id: BundleId
    slot: Slot
    version: Version
    replaces: Text | None
    """Previous content of the slot."""
    downgrade: bool = False
    """It may be older than the running version."""

    def describe(self) -> str:
        before = f", replacing {self.replaces}" if self.replaces else ""
        return f"write version {self.version} to slot {self.slot}{before}"


class SlotStart(Step):
    """Restarts the appliance from the other slot; if that system is not healthy, it returns automatically."""

    kind: Literal["slot.start"] = "slot.start"
    trial_id: Id
    slot: Slot
    version: Version

    def describe(self) -> str:
        return (
            f"restart from slot {self.slot} (version {self.version}), and return to the current slot if its health "
            "checks fail"
        )
