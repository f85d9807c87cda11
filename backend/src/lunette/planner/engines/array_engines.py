"""The array engines of the planner. A new engine is one line here; no other module of the planner names an engine."""

from collections.abc import Mapping

from lunette.domain.arrays import ArrayEngine
from lunette.domain.observations import Observation
from lunette.planner.engines.external.planning import ExternalPlanning
from lunette.planner.engines.lvm.planning import LvmRaidPlanning
from lunette.planner.engines.md.planning import MdPlanning
from lunette.planner.engines.planning import ArrayPlanning
from lunette.planner.engines.zfs.planning import ZfsPlanning

_ALL: tuple[ArrayPlanning, ...] = (MdPlanning(), ZfsPlanning(), ExternalPlanning(), LvmRaidPlanning())
"""In the order in which layouts are listed."""
ARRAY_ENGINES: Mapping[ArrayEngine, ArrayPlanning] = {planning.engine: planning for planning in _ALL}


def hides_array(seen: Observation, engine: ArrayEngine, *names: str) -> bool:
    """True while an array of one of these names or UUIDs may exist although it is not observed."""
    return seen.hides(ARRAY_ENGINES[engine].parts, *names)
