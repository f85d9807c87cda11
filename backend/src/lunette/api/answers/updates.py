"""The two slots of an installed appliance, and the result of the last update."""

from lunette.api.answers.base import Answer
from lunette.domain.observations import Observation
from lunette.domain.updates import NOT_INSTALLED, SLOTS, ObservedSlots, Slot, TrialState


class UpdateSlot(Answer):
    """One of the two system images of the appliance."""

    name: Slot
    """Name of the slot: `a` or `b`."""
    version: str | None
    """Version in the slot; `null` if the slot is empty or was not written completely."""
    running: bool
    """Whether the appliance runs from this slot."""
    next: bool
    """Whether the next restart starts this slot."""


class UpdateTrial(Answer):
    """The last attempt to start another slot."""

    version: str
    """Version on trial."""
    slot: Slot
    """Slot on trial."""
    state: TrialState
    """Result of the trial."""
    reason: str | None
    """Why the trial failed; `null` if it did not fail."""


class Update(Answer):
    """The slots of the appliance, and the result of the last update."""

    available: bool
    """Whether the appliance can be updated. Only an appliance that is installed on its own disk has two slots."""
    reason: str | None
    """Why updates are not available; `null` if they are."""
    on_trial: bool
    """Whether the running version is on trial. If it does not prove healthy, the appliance restarts into the other
    slot."""
    slots: tuple[UpdateSlot, ...]
    """Both slots; empty if updates are not available."""
    last: UpdateTrial | None
    """Last attempt to start another slot; `null` if there was none."""
    trusts: str | None
    """Signers whose bundles the appliance accepts; `null` if updates are not available."""
    outage_s: float | None
    """Time in seconds for which hosts had no exports during the last restart; `null` if not measured yet."""


class UpdateBundle(Answer):
    """An uploaded update bundle with a trusted signature."""

    id: str
    """Unique ID of the bundle, which the update request names."""
    version: str
    """Version in the bundle."""
    size_bytes: int
    """Size of the bundle in bytes."""
    is_older: bool
    """Whether the bundle is older than the running version. An older bundle is installed only with `downgrade`."""


def update_answer(seen: Observation | None) -> Update:
    """The slots as observed; unknown without an observation."""
    slots = seen.slots if seen else None
    if slots is None:
        reason = NOT_INSTALLED if seen else "The agent does not answer, so the running version is unknown."
        return Update(available=False, reason=reason, on_trial=False, slots=(), last=None, trusts=None, outage_s=None)
    trial = slots.trial
    last = (
        UpdateTrial(version=trial.version, slot=trial.slot, state=trial.state, reason=trial.reason) if trial else None
    )
    return Update(
        available=True,
        reason=None,
        on_trial=slots.on_trial,
        slots=tuple(_slot(name, slots) for name in SLOTS),
        last=last,
        trusts=slots.trusts,
        outage_s=slots.outage_s,
    )


def _slot(name: Slot, slots: ObservedSlots) -> UpdateSlot:
    return UpdateSlot(name=name, version=slots.version(name), running=name == slots.running, next=name == slots.next)
