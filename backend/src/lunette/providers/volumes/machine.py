"""The interface of a volume engine for the agent. `machines.py` lists the engines."""

from abc import ABC, abstractmethod
from typing import ClassVar

from lunette.domain.arrays import EngineCapability
from lunette.domain.volumes import VolumeEngine
from lunette.providers.runner import Runners
from lunette.system.system_port import System


class VolumeMachine(ABC):
    """The half of a volume engine that works on the machine. The other half, which is pure, makes its plans."""

    engine: ClassVar[VolumeEngine]
    volume_steps: ClassVar[Runners]
    """The kinds of step on volumes and snapshots that it runs; each step names its engine."""
    steps: ClassVar[Runners] = {}
    """The kinds of step that are only its own, such as those on volume groups."""

    @abstractmethod
    def capability(self, system: System) -> EngineCapability:
        """Its capabilities on this machine, or why it is not available."""

    def shut_down(self, system: System) -> list[str]:
        """Deactivate all volumes of Lunette, before the arrays below them stop. Returns what was refused, in words.

        An engine whose volumes stop with their array does nothing here.
        """
        return []
