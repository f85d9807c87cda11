"""The volume engines of the agent. A new engine is one line here; nothing else of the agent knows one by its name."""

from collections.abc import Mapping

from lunette.domain.volumes import VolumeEngine
from lunette.providers.volumes.lvm.machine import LvmMachine
from lunette.providers.volumes.machine import VolumeMachine
from lunette.providers.volumes.zvol.machine import ZvolMachine

_ALL: tuple[VolumeMachine, ...] = (LvmMachine(), ZvolMachine())
VOLUME_MACHINES: Mapping[VolumeEngine, VolumeMachine] = {machine.engine: machine for machine in _ALL}
