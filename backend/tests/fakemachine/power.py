"""The fake machine's power: which start this is, and systemd, which ends it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from backend.tests.fakemachine.files.views import Tree, put
from backend.tests.fakemachine.md.manage import Answer

STOP_S = 5.0
"""Seconds from the spec to the end of the process that had it."""


@dataclass
class Power:
    VERBS: ClassVar = ("reboot", "poweroff")
    later: Callable[[float, Callable[[], None]], None]
    starts: int = 1
    asked: list[str] = field(default_factory=list)
    """What systemd was asked for, in order."""
    stays_up: bool = False
    """systemd refuses: the process that plays the machine is to live on."""

    def add_to(self, tree: Tree) -> None:
        put(tree, "/proc/sys/kernel/random/boot_id", f"00000000-0000-4000-8000-{self.starts:012d}\n")

    def stop(self, verb: str, dies: Callable[[], None]) -> Answer:
        """systemd ends everything a moment later."""
        self.asked.append(verb)
        if self.stays_up:
            return 1, "", f"Call to {verb} failed: this machine stays up.\n"
        self.later(STOP_S, dies)
        return 0, "", ""
