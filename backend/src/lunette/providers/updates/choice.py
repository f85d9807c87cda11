"""Which slot GRUB starts next, in the 1024 bytes that it reads and writes itself (GRUB's manual, Environment block).

good    the slot that is started as a rule
trial   the slot that is started once, at the next start; GRUB empties it before it does
tried   the slot that was started so, until it has been found healthy or another one is chosen
count   how often this was written by the system; where copies differ, the highest is the last one

All of it lies within the first 512 bytes, which a drive writes whole or not at all.
"""

from collections.abc import Iterable

from lunette.domain.base import Model
from lunette.domain.updates import SLOTS, Slot, other

FILE = "boot/grub/choice"
"""On the EFI partition."""
BLOCK_BYTES, SECTOR_BYTES = 1024, 512
_HEAD = "# GRUB Environment Block\n"
MENU = f"""\
set good=a
load_env --file ($root)/{FILE} good trial tried
if [ "$good" = b ]; then set fallback=0; else set good=a; set fallback=1; fi
set default=$good
if [ "$trial" = a -o "$trial" = b ]; then
    set tried=$trial
    set trial=
    if save_env --file ($root)/{FILE} trial tried; then
        set default=$tried
        if [ "$tried" = b ]; then
            set trial_b=lunette.trial
            set fallback=0
        else
            set trial_a=lunette.trial
            set fallback=1
        fi
    fi
fi
"""
"""The head of GRUB's menu, whose entries 0 and 1 have the IDs a and b. If the choice cannot be written, the trial is
not started: it would be repeated forever.
"""


class Choice(Model):
    """The choice; a new installation starts slot a."""

    good: Slot = "a"
    trial: Slot | None = None
    tried: Slot | None = None
    count: int = 0

    @property
    def next(self) -> Slot:
        """The slot of the next start."""
        return self.trial or self.good

    def encode(self) -> bytes:
        """The block as GRUB reads it."""
        words = {"good": self.good, "trial": self.trial or "", "tried": self.tried or "", "count": str(self.count)}
        text = _HEAD + "".join(f"{name}={value}\n" for name, value in words.items())
        return text.encode().ljust(BLOCK_BYTES, b"#")

    @classmethod
    def decode(cls, block: bytes) -> "Choice | None":
        """The choice of a block, None if it is invalid or names an unknown slot. GRUB also accepts a truncated one."""
        text = block.decode("ascii", errors="replace")
        if not text.startswith(_HEAD):
            return None
        words = dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
        slots = {name: words.get(name, "") for name in ("good", "trial", "tried")}
        if slots["good"] not in SLOTS or not {slots["trial"], slots["tried"]} <= {"", *SLOTS}:
            return None
        count = words.get("count", "")
        given = {name: value for name, value in slots.items() if value}
        return cls.model_validate({**given, "count": int(count) if count.isdigit() else 0})

    def trying(self, slot: Slot) -> "Choice":
        """Start this slot next: once, unless it is the regular one."""
        return self._changed(trial=None if slot == self.good else slot, tried=None)

    def accepting(self, slot: Slot) -> "Choice":
        """This slot is healthy: start it regularly."""
        return self._changed(good=slot, trial=None, tried=None)

    def refusing(self, slot: Slot) -> "Choice":
        """This slot will not be started again, whatever was requested: it is about to be written, or failed."""
        return self._changed(
            good=other(slot) if self.good == slot else self.good,
            trial=None if self.trial == slot else self.trial,
            tried=None if self.tried == slot else self.tried,
        )

    def _changed(self, **fields: object) -> "Choice":
        return Choice.model_validate({**self.model_dump(), **fields, "count": self.count + 1})


def latest(copies: Iterable[Choice | None]) -> Choice:
    """The valid choice among several copies: the last one written, and of those the one that GRUB wrote to.

    Without any, it is what GRUB does then: slot a.
    """
    return max(
        (copy for copy in copies if copy is not None),
        key=lambda copy: (copy.count, copy.trial is None, copy.tried is not None),
        default=Choice(),
    )
