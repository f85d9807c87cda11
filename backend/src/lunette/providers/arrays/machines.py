"""The array engines of the agent. A new engine is one line here; nothing else of the agent knows one by its name."""

from collections.abc import Mapping

from lunette.domain.arrays import ArrayEngine
from lunette.providers.arrays.external.machine import ExternalMachine
from lunette.providers.arrays.lvm.machine import LvmRaidMachine
from lunette.providers.arrays.machine import ArrayMachine
from lunette.providers.arrays.md.machine import MdMachine
from lunette.providers.arrays.zfs.machine import ZfsMachine

_ALL: tuple[ArrayMachine, ...] = (MdMachine(), ZfsMachine(), ExternalMachine(), LvmRaidMachine())
"""In the order in which they are observed and shut down."""
ARRAY_MACHINES: Mapping[ArrayEngine, ArrayMachine] = {machine.engine: machine for machine in _ALL}
