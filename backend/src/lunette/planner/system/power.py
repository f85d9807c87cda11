"""Plans for restart and shutdown: which hosts are interrupted, for how long, and what continues afterward."""

from collections.abc import Iterator

from lunette.domain.errors import Conflict, Unavailable
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.power import ObservedPower, PowerAction
from lunette.domain.steps import MachineStop
from lunette.planner.access.connected import Connected

_TITLES = {PowerAction.RESTART: "Restart the appliance", PowerAction.OFF: "Shut down the appliance"}


def plan_stop(action: PowerAction, seen: Observation, connected: Connected, jobs: int) -> Plan:
    """Shuts the machine down cleanly. `jobs` are running and continue at the next start. Raises Conflict or
    Unavailable.
    """
    power = _possible(seen)
    detail = "restarts" if action is PowerAction.RESTART else "is shut down, and stays off until it is switched on"
    until = "until it has restarted" if action is PowerAction.RESTART else "until it is switched on again"
    changes = [PlannedChange(action=Action.CHANGE, noun="system", name=seen.hostname, detail=detail)]
    changes += [
        PlannedChange(action=Action.INTERRUPT, noun="host", name=host, detail=f"loses its paths {until}")
        for host in connected.hosts
    ]
    return Plan(
        title=_TITLES[action],
        changes=tuple(changes),
        steps=(MachineStop(action=action, boot_id=power.boot_id),),
        hosts_interrupted=connected.hosts,
        warnings=(_outage(action, power), *_meanwhile(seen, jobs), *connected.warnings()),
    )


def _possible(seen: Observation) -> ObservedPower:
    if seen.power is None:
        raise Unavailable("The agent is older than the API and cannot stop the system: restart it as root.")
    if seen.power.reason:
        raise Conflict(f"{seen.power.reason[:1].upper()}{seen.power.reason[1:]}.")
    if seen.slots is not None and seen.slots.on_trial:
        raise Conflict(
            f"Version {seen.slots.version(seen.slots.running)} is on trial, and a restart now would end the trial: "
            "wait until the version has passed its health checks."
        )
    return seen.power


def _outage(action: PowerAction, power: ObservedPower) -> str:
    if action is PowerAction.OFF:
        return "All I/O stops until the system is switched on, at its power button or its management controller"
    if power.outage_s is None:
        return "All I/O stops during the restart; how long it takes has not been measured yet"
    return (
        f"All I/O stops for about {power.outage_s:.0f} s, as measured at the last restart. Hosts with shorter "
        "timeouts report errors"
    )


def _meanwhile(seen: Observation, jobs: int) -> Iterator[str]:
    if jobs:
        yield f"{jobs} job{'s are' if jobs > 1 else ' is'} running; the remaining steps run after the next start"
    busy = sorted(array.name for array in seen.arrays if array.ours and array.progress is not None)
    if busy:
        yield f"A rebuild, check or reshape of {', '.join(busy)} continues after the next start"
