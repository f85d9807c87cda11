"""The steps of an update."""

from collections.abc import Callable

from lunette.domain.errors import Conflict, Invalid, NotFound, ToolFailed
from lunette.domain.steps.updates import SlotStart, SlotWrite
from lunette.domain.updates import (
    NOT_INSTALLED,
    SLOTS,
    BundleFacts,
    BundleId,
    ObservedSlots,
    SlotTrial,
    TrialState,
    is_older,
)
from lunette.providers.updates import efi, rauc, record
from lunette.providers.updates.slots import Slots, find
from lunette.system.system_port import System

RESTART_S = 900.0
"""How long an orderly restart may take to end this process."""
POLL_S = 1.0


def need(system: System) -> Slots:
    """The slots. Raises Conflict if there are none."""
    slots = find(system)
    if slots is None:
        raise Conflict(NOT_INSTALLED)
    return slots


def observe(system: System) -> ObservedSlots | None:
    """The running slot and the next one; None if this system has no slots."""
    slots = find(system)
    if slots is None:
        return None
    return ObservedSlots(
        running=slots.running,
        on_trial=on_trial(system, slots),
        next=efi.next_slot(system, slots),
        versions=record.versions(system, slots),
        trusts=rauc.trusts(system),
        trial=record.trial(system),
        outage_s=record.outage_s(system),
    )


def on_trial(system: System, slots: Slots) -> bool:
    """True if the running system is still on trial."""
    last = record.trial(system)
    return last is not None and last.state is TrialState.STARTING and last.slot == slots.running


def look(system: System, bundle_id: BundleId) -> BundleFacts:
    """Information about an uploaded bundle. Raises NotFound, Invalid or Conflict."""
    path = f"{rauc.BUNDLES}/{bundle_id}.raucb"
    if not system.exists(path):
        raise NotFound("the bundle is no longer available: upload it again")
    return rauc.verify(system, need(system), path)


def write(system: System, step: SlotWrite) -> str | None:
    """Verify the bundle again and write it. Its slot is not started meanwhile, whatever happens."""
    slots = need(system)
    if step.slot == slots.running:
        raise Conflict(f"slot {step.slot} is running: an update is installed to the other slot")
    if on_trial(system, slots):
        raise Conflict(
            "the running system is on trial, and the other slot is its fallback: wait until the trial has ended"
        )
    if slots.mirrored:
        _check_mirror(system, slots)
    if record.versions(system, slots)[SLOTS.index(step.slot)] == step.version and _written(system) == step.bundle_id:
        return None
    facts = look(system, step.bundle_id)
    if facts.version != step.version:
        raise Invalid(
            f"the bundle has version {facts.version}, but the plan was made for {step.version}: make a new plan"
        )
    if is_older(facts.version, runs := record.own_version(system)) and not step.downgrade:
        raise Conflict(
            f"version {facts.version} is older than {runs}, the running version: a downgrade must be requested "
            "explicitly"
        )
    record.keep_version(system, slots.running, record.own_version(system))
    record.keep_version(system, step.slot, None)
    _keep_written(system, "")
    efi.write(system, slots, efi.read(system, slots).refusing(step.slot))
    rauc.install(system, slots, f"{rauc.BUNDLES}/{step.bundle_id}.raucb")
    record.keep_version(system, step.slot, step.version)
    _keep_written(system, step.bundle_id)
    return f"slot {step.slot} has version {step.version}"


WRITTEN = f"{record.FOLDER}/slot-written"
"""The bundle that was written last, completely."""


def _written(system: System) -> str:
    return (system.read_file(WRITTEN) or b"").decode(errors="replace")


def _keep_written(system: System, bundle_id: str) -> None:
    system.write_durably(WRITTEN, bundle_id.encode())


def _check_mirror(system: System, slots: Slots) -> None:
    """GRUB reads either half, including one that was excluded from the mirror and does not have the new system."""
    device = slots.device(slots.idle)
    name = system.realpath(device).rpartition("/")[2]
    if not system.is_block_device(device) or system.read(f"/sys/block/{name}/md/degraded").strip() != "0":
        raise Conflict("a system disk is missing, so the other slot is not mirrored: replace the disk first")


def start(system: System, step: SlotStart, serving: Callable[[], tuple[str, ...]]) -> str | None:
    """Restart from a slot; done when it was found healthy. Raises Conflict with the reason if it was not.

    This is called again after the restart, by whichever system started. `serving` shows which targets are open to
    hosts.
    """
    slots = need(system)
    known = record.trial(system)
    if known is None or known.id != step.trial_id:
        return _restart(system, slots, step, serving())
    if known.state is TrialState.STARTING and known.boot == record.boot_id(system):
        return _restart(system, slots, step, known.serving)
    while known.state is TrialState.STARTING:
        system.sleep(POLL_S)
        known = record.trial(system) or known
    if known.state is TrialState.FAILED:
        raise Conflict(
            f"version {step.version} failed its health checks, and slot {slots.running} is running: {known.reason}"
        )
    return f"version {step.version} runs from slot {step.slot}, and is now started by default"


def undo_start(system: System, step: SlotStart) -> str | None:
    """The slot is not started any more, if it was still pending."""
    slots = need(system)
    choice = efi.read(system, slots)
    known = record.trial(system)
    if choice.trial != step.slot or known is None or known.id != step.trial_id:
        return None
    efi.write(system, slots, choice.refusing(step.slot))
    record.keep_trial(system, known.model_copy(update={"state": TrialState.FAILED, "reason": "it was rolled back"}))
    return f"slot {step.slot} will not be started"


def _restart(system: System, slots: Slots, step: SlotStart, serving: tuple[str, ...]) -> str:
    """Ends with this process: the answer comes after the restart."""
    if step.slot == slots.running:
        raise Conflict(f"slot {step.slot} is already running")
    if record.versions(system, slots)[SLOTS.index(step.slot)] != step.version:
        raise Conflict(f"slot {step.slot} does not have version {step.version}: it was overwritten meanwhile")
    trial = SlotTrial(
        id=step.trial_id, slot=step.slot, version=step.version, boot=record.boot_id(system), serving=serving
    )
    record.keep_trial(system, trial)
    efi.write(system, slots, efi.read(system, slots).trying(step.slot))
    system.run(["systemctl", "--no-block", "reboot"])
    deadline = system.monotonic() + RESTART_S
    while system.monotonic() < deadline:
        system.sleep(POLL_S)
    raise ToolFailed(
        f"the appliance did not restart within {RESTART_S:.0f} s: restart it manually, or roll this job back"
    )
