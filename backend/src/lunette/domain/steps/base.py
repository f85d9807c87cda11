"""What every step is."""

from typing import ClassVar

from lunette.domain.base import Model


class Step(Model):
    """Base of all steps. An irreversible step has no undo and is named as such in the plan."""

    irreversible: ClassVar[bool] = False

    def describe(self) -> str:
        """The step as a person reads it in the plan."""
        raise NotImplementedError

    def devices(self) -> tuple[str, ...]:
        """The devices it touches."""
        return ()

    def bytes_destroyed(self) -> int:
        """How much data is gone for good once it ran."""
        return 0
