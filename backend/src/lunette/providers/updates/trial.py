"""The first start of a new system: it proves healthy and is started from then on, or the previous one returns."""

from collections.abc import Callable, Collection

from lunette.domain.updates import SlotTrial, TrialState
from lunette.providers.updates import efi, record
from lunette.providers.updates.slots import Slots, find
from lunette.system.system_port import System

DEADLINE_S = 900.0
"""From the start of the kernel's user space until hosts are served again, on a slow machine with many disks."""
POLL_S = 2.0
SILENT = (
    "it could not report a reason: its kernel, its early startup or its disk failed, or the power failed; its "
    "journal is retained"
)
NOT_STARTED = "it was not started: the power failed before it was selected, or the boot loader could not load it"

Look = Callable[[], str | None]
"""What is not healthy yet, None if everything is."""


def due(system: System, slots: Slots) -> SlotTrial | None:
    """The trial of this start; None if it is none."""
    last = record.trial(system)
    if last is None or last.state is not TrialState.STARTING or last.slot != slots.running:
        return None
    return last if last.boot != record.boot_id(system) else None


def watch(system: System, slots: Slots, trial: SlotTrial, look: Look, deadline_s: float = DEADLINE_S) -> str | None:
    """Wait until the new system is healthy, and start it from then on. Otherwise returns the reason, which is
    recorded.
    """
    end = system.monotonic() + deadline_s
    while (blocker := look()) is not None:
        if system.monotonic() >= end:
            reason = f"after {deadline_s:.0f} s {blocker}"
            record.keep_trial(system, trial.model_copy(update={"state": TrialState.FAILED, "reason": reason}))
            return reason
        system.sleep(POLL_S)
    # In this order: after a power failure in between, the next start would only find everything correct.
    efi.write(system, slots, efi.read(system, slots).accepting(trial.slot))
    record.keep_trial(system, trial.model_copy(update={"state": TrialState.HEALTHY}))
    return None


def missing(trial: SlotTrial, serving: Collection[str]) -> str | None:
    """Targets that were open to hosts before and are not open yet, in words."""
    closed = [name for name in trial.serving if name not in serving]
    if not closed:
        return None
    named = ", ".join(closed[:3]) + (f" and {len(closed) - 3} more" if len(closed) > 3 else "")
    return f"{len(closed)} of {len(trial.serving)} exports that hosts had before are not online: {named}"


def settle(system: System) -> str | None:
    """At every start: a trial that ended in the previous system failed, and its slot is not started again.

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
