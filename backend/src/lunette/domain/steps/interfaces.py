"""Steps on network interfaces."""

from typing import ClassVar, Literal

from lunette.domain.interfaces import TRIAL_S, InterfaceName, InterfaceSettings
from lunette.domain.steps.base import Step


class InterfaceStep(Step):
    """Base of the steps on one interface. A trial is done once: one that is over is not begun again."""

    trial_id: str
    interface: InterfaceName


class InterfaceTry(InterfaceStep):
    """Configures an interface until the machine takes it back by itself."""

    kind: Literal["interface.try"] = "interface.try"
    settings: InterfaceSettings

    def describe(self) -> str:
        return f"configure interface {self.interface}, and take it back unless confirmed within {TRIAL_S} s"


class InterfaceKeep(InterfaceStep):
    """Keeps what is on trial, also after a boot."""

    irreversible: ClassVar[bool] = True
    kind: Literal["interface.keep"] = "interface.keep"

    def describe(self) -> str:
        return f"keep interface {self.interface} as it is now"


class InterfaceRevert(InterfaceStep):
    """Takes back what is on trial, without waiting."""

    irreversible: ClassVar[bool] = True
    kind: Literal["interface.revert"] = "interface.revert"

    def describe(self) -> str:
        return f"configure interface {self.interface} as it was before"
