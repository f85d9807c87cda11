"""The step that restarts or powers off the machine."""

from typing import Literal

from lunette.domain.border import Id
from lunette.domain.power import PowerAction
from lunette.domain.steps.base import Step


class MachineStop(Step):
    """Restarts or powers off the machine cleanly: hosts are disconnected before volumes and arrays are stopped.

    `boot_id` is the boot that ends. If another one is running, the step is done, so nothing is ever stopped twice.
    """

    kind: Literal["machine.stop"] = "machine.stop"
    action: PowerAction
    boot_id: Id

    def describe(self) -> str:
        return "restart the system" if self.action is PowerAction.RESTART else "shut down the system"
