"""Steps on network interfaces."""

from typing import ClassVar, Literal

from lunette.domain.base import Model
from lunette.domain.border import Id
from lunette.domain.interfaces import TRIAL_S, InterfaceName, InterfaceSettings
from lunette.domain.steps.base import Step


class InterfaceStep(Step):
    """Base of the steps on one interface. A trial runs once: one that has ended is not started again."""

    trial_id: Id
    interface: InterfaceName


class InterfaceSetting(Model):
    """An interface that changes together with another: the one below a VLAN, a member of a bond."""

    interface: InterfaceName
    settings: InterfaceSettings | None
    """None: Lunette no longer configures it."""


class InterfaceTry(InterfaceStep):
    """Configures an interface, on trial until it is confirmed or reverted automatically. `settings` None removes what
    Lunette created.
    """

    kind: Literal["interface.try"] = "interface.try"
    settings: InterfaceSettings | None
    beside: tuple[InterfaceSetting, ...] = ()

    @property
    def all(self) -> tuple[InterfaceSetting, ...]:
        """Every interface it configures, its own first."""
        return (InterfaceSetting(interface=self.interface, settings=self.settings), *self.beside)

    def describe(self) -> str:
        names = ", ".join(one.interface for one in self.beside)
        also = f" and related interfaces ({names})" if names else ""
        if self.settings is None:
            return f"remove interface {self.interface}{also}, and restore it unless confirmed within {TRIAL_S} s"
        return f"configure interface {self.interface}{also}, and revert it unless confirmed within {TRIAL_S} s"


class InterfaceKeep(InterfaceStep):
    """Confirms what is on trial, also for later boots."""

    irreversible: ClassVar[bool] = True
    kind: Literal["interface.keep"] = "interface.keep"

    def describe(self) -> str:
        return f"confirm the configuration of interface {self.interface}"


class InterfaceRevert(InterfaceStep):
    """Reverts what is on trial, immediately."""

    irreversible: ClassVar[bool] = True
    kind: Literal["interface.revert"] = "interface.revert"

    def describe(self) -> str:
        return f"revert interface {self.interface} to its previous configuration"
