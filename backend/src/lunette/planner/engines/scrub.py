"""The scrub of an array whose engine compares copies and parity, without checksums of its own: md and LVM."""

from lunette.domain.array_changes import ArrayScrub, ScrubAction
from lunette.domain.arrays import ArrayState, Level
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import AnyStep
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.request import ArrayChangeRequest


def plan(array: KnownArray, spec: ArrayScrub, seen: Observation, step: AnyStep, label: str, more: str = "") -> Plan:
    """Starts or stops reading everything. `label` names the engine. `more` is text about a repair, shown before.

    Raises Invalid if there is nothing to compare, and Conflict while something else runs, or a disk is missing.
    """
    stop = spec.action is ScrubAction.STOP
    ask = ArrayChangeRequest(array, seen, f"The scrub of array {array.name} was not {'stopped' if stop else 'started'}")
    running = ask.found.progress.action if ask.found.progress else None
    if ask.found.level == Level.RAID0:
        ask.add(Invalid, "action", spec.action, f"array {array.name} is raid0: it has no redundancy to compare")
    elif not stop and ask.found.state is not ArrayState.CLEAN:
        message = f"array {array.name} is {ask.found.state.value}: start the scrub when the array is clean"
        ask.add(Conflict, "action", spec.action, message)
    elif running is not None and (running not in ("check", "repair") if stop else running != spec.action):
        message = f"array {array.name} is busy ({running}): wait until this has finished"
        ask.add(Conflict, "action", spec.action, message)
    ask.refuse()
    choice = (
        f"Where copies differ, {label} cannot know which is correct: parity is rewritten from the data, "
        f"mirrors from the first copy.{more}"
    )
    return Plan(
        title=f"Stop the scrub of array {array.name}" if stop else f"Scrub array {array.name} ({spec.action.value})",
        changes=(ask.changed("the scrub is stopped" if stop else "all blocks are read and compared"),),
        steps=(step,),
        warnings=(choice,) if spec.action is ScrubAction.REPAIR else (),
    )
