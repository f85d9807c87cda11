"""What the agent asks of a volume engine, whichever it is. `machines.py` lists the engines."""

from abc import ABC, abstractmethod
from typing import ClassVar

from lunette.domain.arrays import EngineCapability
from lunette.domain.volumes import VolumeEngine
from lunette.providers.runner import Runners
from lunette.system.doorway import System


class VolumeMachine(ABC):
    """The half of a volume engine that works on the machine. Its plans are made by the other half, which is pure."""

    engine: ClassVar[VolumeEngine]
    volume_steps: ClassVar[Runners]
    """The kinds of step on volumes and snapshots that it runs; each step names its engine."""
    steps: ClassVar[Runners] = {}
    """The kinds of step that are only its own, such as those on volume groups."""

    @abstractmethod
    def capability(self, system: System) -> EngineCapability:
        """What the engine can do on this machine, or why it is not available."""

    def shut_down(self, system: System) -> list[str]:
        """Deactivate all volumes of ours, before the arrays below them stop. What was refused, in words.

        An engine whose volumes stop with their array does nothing here.
        """
        return []
