"""The machine after a step, so that what depends on the step can be planned before it runs.

A site document may request an array and volumes on it; the volumes are planned and checked against this. A step
that is not known here changes nothing: `backend/tests/compliance/test_foresight.py` names each with the reason, and
compares what is foreseen of all others with a machine on which they run.
"""

from lunette.domain.observations import Observation
from lunette.domain.steps import AnyStep, DiskErase, DiskWipe
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.foreseen import with_disks
from lunette.planner.volumes import foresight as volumes


def after(seen: Observation, step: AnyStep) -> Observation:
    """What will be observed once this step is done. Applied twice, a step changes nothing more."""
    for planning in ARRAY_ENGINES.values():
        seen = planning.foresee(seen, step)
    match step:
        case DiskWipe() | DiskErase():
            return with_disks(seen, step.devices(), signatures=(), partitions=0)
    return volumes.after(seen, step)
