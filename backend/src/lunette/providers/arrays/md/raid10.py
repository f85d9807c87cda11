"""Layouts of raid10 copies: the kernel's number, mdadm's word, and the consequences (drivers/md/raid10.c)."""

from collections.abc import Collection
from dataclasses import dataclass

from lunette.domain.arrays import Raid10Layout

DEFAULT = Raid10Layout.N2
"""mdadm's own (Create.c, default_layout)."""
_OFFSET_BIT = 0x10000


@dataclass(frozen=True)
class Copies:
    """`near` copies follow one another, and the whole is repeated `far` times, each shifted by `near` disks.

    offset: after each stripe; otherwise each in a section of its own, one half or third of every disk.
    """

    near: int
    far: int
    offset: bool = False

    @property
    def count(self) -> int:
        return self.near * self.far

    @property
    def is_far(self) -> bool:
        """True if the kernel refuses every reshape (raid10_check_reshape)."""
        return self.far > 1 and not self.offset

    @property
    def number(self) -> int:
        """In the form of `md/layout` in sysfs."""
        return self.near | self.far << 8 | (_OFFSET_BIT if self.offset else 0)


def copies_of(layout: str | None) -> Copies:
    """From mdadm's word, or from the kernel's number if mdadm has no word for it. None: the default."""
    word = layout or DEFAULT.value
    if word.isdigit():
        number = int(word)
        return Copies(number & 0xFF or 1, number >> 8 & 0xFF or 1, bool(number & _OFFSET_BIT))
    count = int(word[1:])
    return Copies(count, 1) if word[0] == "n" else Copies(1, count, word[0] == "o")


def word_of(number: int) -> str:
    """mdadm's word for the kernel's number; the number itself where it has none."""
    near, far = number & 0xFF, number >> 8 & 0xFF
    if number >> 17 or (near > 1 and far > 1) or not near or not far:
        return str(number)
    return f"n{near}" if far == 1 else f"{'o' if number & _OFFSET_BIT else 'f'}{far}"


def chunks(member: int, disks: int, copies: Copies) -> int:
    """The number of chunks of the array, with this many on each member (raid10_size)."""
    return member // copies.far * disks // copies.near


def survives(slots: int, working: Collection[int], copies: Copies) -> bool:
    """True if these members are enough, as the kernel's `_enough` counts."""
    return copies_left(slots, working, copies) > 0


def copies_left(slots: int, working: Collection[int], copies: Copies) -> int:
    """The minimum number of copies of every chunk with these members: they are on neighbors."""
    firsts = {copies.near * chunk % slots for chunk in range(slots)}
    return min(len({(first + copy) % slots for copy in range(copies.count)} & {*working}) for first in firsts)


def survives_words(layout: str | None) -> str:
    """What may be lost, in words."""
    copies = copies_of(layout)
    if copies.far == 1:
        group = {2: "one disk of each mirrored pair", 3: "two disks of each mirrored three"}
        return group.get(copies.count, f"all disks but one of each mirrored {copies.count}")
    lost = {2: "one disk", 3: "two disks"}.get(copies.count, f"{copies.count - 1} disks")
    return f"{lost}; more as long as no {copies.count} are neighbors"
