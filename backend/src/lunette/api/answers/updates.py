"""The two slots of an installed appliance, and what became of the last update."""

from lunette.api.answers.base import Answer
from lunette.domain.observations import Observation
from lunette.domain.updates import NOT_INSTALLED, SLOTS, ObservedSlots, Slot, TrialState


class UpdateSlot(Answer):
    """One slot. Null is an empty one, or one that was not written to its end."""

    name: Slot
    version: str | None
    running: bool
    next: bool
    """It is started at the next restart."""


class UpdateTrial(Answer):
    """The last time the other slot was to be started. `reason`: why it failed."""

    version: str
    slot: Slot
    state: TrialState
    reason: str | None


class Update(Answer):
    """What runs and what would be started next. `reason`: why there are no updates here."""

    available: bool
    reason: str | None
    on_trial: bool
    """What runs has still to prove itself; if it does not, the other slot comes back."""
    slots: tuple[UpdateSlot, ...]
    last: UpdateTrial | None
    trusts: str | None
    """Whose bundles are taken."""
    outage_s: float | None
    """How long hosts were without their exports at the last restart; null before there was one."""


class UpdateBundle(Answer):
    """A bundle that was uploaded, and is signed by somebody who is trusted."""

    id: str
    version: str
    size_bytes: int
    is_older: bool
    """Than the version that runs: it is installed only as a `downgrade`."""


def update_answer(seen: Observation | None) -> Update:
    """The slots as they were seen; without an observation nobody knows."""
    slots = seen.slots if seen else None
    if slots is None:
        reason = NOT_INSTALLED if seen else "The agent does not answer, so nobody knows what runs."
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
