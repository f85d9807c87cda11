"""Handles the keys of encrypted arrays. No key is ever logged, returned or written into a plan."""

from lunette.domain.encryption import KeyChange, KeyForget, KeyLend, KeyOrder, KeyUnlock
from lunette.providers.encryption import keys, unlock
from lunette.system.system_port import System

LENT_S = 3600.0
"""A job that has not encrypted its array within this time loses its passphrase, and is rolled back."""


class ArrayKeys:
    """Lends passphrases to jobs, and remembers since when."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._since: dict[str, float] = {}

    def use(self, order: KeyOrder) -> str | None:
        """What was done, in words; None if there was nothing to do. Raises Invalid for a wrong passphrase."""
        match order:
            case KeyLend():
                path = keys.lent_path(order.array_id)
                self._since.pop(path, None)
                keys.keep(self._system, path, order.passphrase.get_secret_value())
                return "the passphrase is held in memory until the job ends"
            case KeyForget():
                keys.forget(self._system, keys.lent_path(order.array_id))
                return None
            case KeyUnlock():
                return unlock.unlock(self._system, order)
            case KeyChange():
                return unlock.change(self._system, order)

    def forget_old(self) -> None:
        """Drop passphrases that no job has used in time."""
        names = [name for name in self._system.listdir(keys.LENT_DIR) if name.startswith("array-")]
        lent = [f"{keys.LENT_DIR}/{name}" for name in names]
        now = self._system.monotonic()
        self._since = {path: self._since.get(path, now) for path in lent}
        for path, since in self._since.items():
            if now - since >= LENT_S:
                keys.forget(self._system, path)
