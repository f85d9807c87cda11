"""Plans for updates: which slot is written, what is lost there, and how long hosts lose their exports."""

from lunette.domain.errors import Conflict
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import SlotStart, SlotWrite
from lunette.domain.updates import NOT_INSTALLED, BundleFacts, ObservedSlots, UpdateCreate, is_older
from lunette.planner.access.connected import Connected


def plan_update(
    slots: ObservedSlots | None, spec: UpdateCreate, bundle: BundleFacts, connected: Connected, trial_id: str
) -> Plan:
    """Installs the bundle to the idle slot, which is started. Raises Conflict if that is not possible, or would be a
    downgrade that the spec does not allow.
    """
    slots = ready(slots)
    idle, runs = slots.idle, slots.version(slots.running)
    older = runs is not None and is_older(bundle.version, runs)
    if older and not spec.downgrade:
        raise Conflict(
            f"Version {bundle.version} is older than the running version {runs}: faults fixed since then would "
            "return. Set `downgrade` to install it anyway."
        )
    write = SlotWrite(
        bundle_id=spec.bundle, slot=idle, version=bundle.version, replaces=slots.version(idle), downgrade=spec.downgrade
    )
    detail = f"version {runs} becomes {bundle.version}, in slot {idle}"
    words = f"version {write.replaces} is no longer available as the previous version"
    lost = (PlannedChange(action=Action.DESTROY, noun="slot", name=idle, detail=words),) if write.replaces else ()
    start = SlotStart(trial_id=trial_id, slot=idle, version=bundle.version)
    plan = _plan(f"Update to version {bundle.version}", slots, detail, (write, start), lost, connected)
    if not older:
        return plan
    warning = f"Version {bundle.version} is older than the running version: faults fixed since then return"
    return plan.model_copy(update={"warnings": (warning, *plan.warnings)})


def plan_back(slots: ObservedSlots | None, connected: Connected, trial_id: str) -> Plan:
    """Starts the other slot as it is. Raises Conflict if it is empty."""
    slots = ready(slots)
    version = slots.version(slots.idle)
    if version is None:
        raise Conflict(f"Slot {slots.idle} contains no bootable system: there is no version to go back to.")
    start = SlotStart(trial_id=trial_id, slot=slots.idle, version=version)
    detail = f"version {slots.version(slots.running)} is replaced by {version}, in slot {slots.idle}"
    return _plan(f"Roll back to version {version}", slots, detail, (start,), (), connected)


def ready(slots: ObservedSlots | None) -> ObservedSlots:
    """The slots of an appliance that can be updated now. Raises Conflict."""
    if slots is None:
        raise Conflict(NOT_INSTALLED)
    if slots.on_trial:
        raise Conflict(
            f"Version {slots.version(slots.running)} is on trial, and slot {slots.idle} is the fallback: wait until "
            "the version has passed its health checks."
        )
    return slots


def outage(slots: ObservedSlots) -> str:
    """How long hosts lose their exports, as far as it was measured here."""
    if slots.outage_s is None:
        return (
            "How long a restart takes has not been measured yet: hosts must tolerate the time that the appliance "
            "takes to boot"
        )
    return (
        f"All I/O stops for about {slots.outage_s:.0f} s, as measured at the last restart; for about twice as long "
        "if the new version fails its health checks. Hosts with shorter timeouts report errors"
    )


def _plan(
    title: str,
    slots: ObservedSlots,
    detail: str,
    steps: tuple[SlotWrite | SlotStart, ...],
    lost: tuple[PlannedChange, ...],
    connected: Connected,
) -> Plan:
    changes = [PlannedChange(action=Action.CHANGE, noun="system", name="lunette", detail=detail), *lost]
    changes += [
        PlannedChange(
            action=Action.INTERRUPT, noun="host", name=host, detail="loses its paths until the system has restarted"
        )
        for host in connected.hosts
    ]
    return Plan(
        title=title,
        changes=tuple(changes),
        steps=steps,
        hosts_interrupted=connected.hosts,
        warnings=(outage(slots), *connected.warnings()),
    )
