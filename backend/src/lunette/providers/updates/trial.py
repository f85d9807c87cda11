"""The first start of a new system: it proves itself and is started from then on, or the one before comes back."""

from collections.abc import Callable, Collection

from lunette.domain.updates import SlotTrial, TrialState
from lunette.providers.updates import efi, record
from lunette.providers.updates.slots import Slots, find
from lunette.system.doorway import System

DEADLINE_S = 900.0
"""From the start of the kernel's user space until hosts are served again, on a slow machine with many disks."""
POLL_S = 2.0
SILENT = (
    "it could not report a reason: its kernel, its early startup or its disk failed, or the power failed; its "
    "journal is retained"
)
NOT_STARTED = "it was not started: the power failed before it was selected, or the boot loader could not load it"

Look = Callable[[], str | None]
"""What is not as it should be yet, None if all is well."""


def due(system: System, slots: Slots) -> SlotTrial | None:
    """The trial that this start is; None if it is none."""
    last = record.trial(system)
    if last is None or last.state is not TrialState.STARTING or last.slot != slots.running:
        return None
    return last if last.boot != record.boot_id(system) else None


def watch(system: System, slots: Slots, trial: SlotTrial, look: Look, deadline_s: float = DEADLINE_S) -> str | None:
    """Wait until the new system is healthy, and start it from then on. Otherwise the reason, which is kept."""
    end = system.monotonic() + deadline_s
    while (hindrance := look()) is not None:
        if system.monotonic() >= end:
            reason = f"after {deadline_s:.0f} s {hindrance}"
            record.keep_trial(system, trial.model_copy(update={"state": TrialState.FAILED, "reason": reason}))
            return reason
        system.sleep(POLL_S)
    # In this order: were the power cut in between, the next start would only find that all is as it says.
    efi.write(system, slots, efi.read(system, slots).accepting(trial.slot))
    record.keep_trial(system, trial.model_copy(update={"state": TrialState.HEALTHY}))
    return None


def missing(trial: SlotTrial, serving: Collection[str]) -> str | None:
    """Which doors that were open to hosts before are not open yet, in words."""
    closed = [door for door in trial.serving if door not in serving]
    if not closed:
        return None
    named = ", ".join(closed[:3]) + (f" and {len(closed) - 3} more" if len(closed) > 3 else "")
    return f"{len(closed)} of {len(trial.serving)} exports that hosts had before are not online: {named}"


def settle(system: System) -> str | None:
    """At every start: a trial that ended in the system before failed, and its slot is not started again.

    Returns the reason if it has just been found.
    """
    slots = find(system)
    last = record.trial(system) if slots else None
    if slots is None or last is None or last.slot == slots.running or last.boot == record.boot_id(system):
        return None
    choice = efi.read(system, slots)
    if last.state is not TrialState.HEALTHY and last.slot in (choice.trial, choice.tried):
        efi.write(system, slots, choice.refusing(last.slot))
    if last.state is not TrialState.STARTING:
        return None
    reason = SILENT if choice.tried == last.slot else NOT_STARTED
    record.keep_trial(system, last.model_copy(update={"state": TrialState.FAILED, "reason": reason}))
    return reason
