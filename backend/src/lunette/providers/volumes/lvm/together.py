"""Runs steps of one kind on volumes or snapshots of one group: the group is read once, and few processes change all.

Most of the time of an LVM command goes into starting it, scanning its devices, and waiting for udev.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

from lunette.domain.errors import LunetteError, ToolFailed
from lunette.domain.steps import AnyManyStep, SnapshotAside, VolumeAside
from lunette.providers.disks.inventory import settle
from lunette.providers.runner import Outcomes
from lunette.providers.volumes.lvm import parse
from lunette.providers.volumes.lvm.own import TIMEOUT_S, own_group
from lunette.system.system_port import System

Line = Sequence[str]
Kind = TypeVar("Kind", bound=AnyManyStep | VolumeAside | SnapshotAside)
LinesOf = Callable[[parse.Group, Kind], Sequence[Line] | None]
"""The commands that a step still needs, given its group; None if it is done. Raises the refusal of the step."""
EndOf = Callable[[System, Kind], str]
"""Completes a step after its commands. Returns what it changed, in words."""
LONGEST = 254
"""Longest line of a script (CMD_LEN in tools.h of LVM 2.03.31)."""
_NO_BACKUP = "-An"
"""Of a stage LVM archives the metadata before its first command and backs up those after its last: each archive costs
as much as all that are there, and none would be restored that is amid a change.
"""
_PLAIN = re.compile(r"[\w+.=/-]+", re.ASCII)
MORE_S = 10.0
"""How much longer a command may take for each of many volumes."""


def run(
    system: System,
    steps: Sequence[Kind],
    lines_of: LinesOf[Kind],
    end: EndOf[Kind],
    recover: Callable[[System, Sequence[Kind]], None] | None = None,
) -> Outcomes:
    """Run the steps, none if one is refused beforehand. If LVM fails, those that are complete are done nevertheless.

    `recover` receives the steps that are not done after LVM failed. Raises NotFound while the group is down, Conflict
    if it is not Lunette's.
    """
    group = _idle_group(system, steps)
    outcomes: dict[int, str | LunetteError | None] = {}
    todo: dict[int, Sequence[Line]] = {}
    for index, step in enumerate(steps):
        try:
            lines = lines_of(group, step)
        except LunetteError as error:
            return {index: error}
        if lines is None:
            outcomes[index] = None
        else:
            todo[index] = lines
    failed = _execute(system, steps, todo, lines_of)
    if failed and recover:
        recover(system, [steps[index] for index in failed])
    for index in todo:
        if index in failed:
            continue
        try:
            outcomes[index] = end(system, steps[index])
        except LunetteError as error:
            outcomes[index] = error
            break
    return outcomes | {index: error for index, error in failed.items() if error}


def one(system: System, step: Kind, lines_of: LinesOf[Kind], end: EndOf[Kind]) -> str | None:
    """Run one step. Raises its refusal."""
    outcome = run(system, [step], lines_of, end)[0]
    if isinstance(outcome, LunetteError):
        raise outcome
    return outcome


def _idle_group(system: System, steps: Sequence[Kind]) -> parse.Group:
    """The group of the steps. udev opens what has just changed, so it is read again if a volume is open."""
    names = {step.backing_name for step in steps}
    group = own_group(system, steps[0].group)
    if any(volume.open for volume in group.volumes if volume.name in names):
        settle(system)
        group = own_group(system, group.name)
    return group


def _execute(
    system: System, steps: Sequence[Kind], todo: Mapping[int, Sequence[Line]], lines_of: LinesOf[Kind]
) -> Mapping[int, LunetteError | None]:
    """Run the commands of all steps. Returns the steps that are not done if LVM fails, the one at which it did with the
    error.
    """
    try:
        for stage in _stages(list(todo.values())):
            _run_stage(system, stage)
    except ToolFailed as error:
        if len(steps) == 1:
            return {0: error}
        group = own_group(system, steps[0].group)
        left = {index: count for index in todo if (count := _left(group, steps[index], lines_of))}
        if left:
            return {**dict.fromkeys(left), max(left, key=lambda index: left[index]): error}
    return {}


def _left(group: parse.Group, step: Kind, lines_of: LinesOf[Kind]) -> int:
    """How many commands a step still needs; more than any other if it would be refused."""
    try:
        return len(lines_of(group, step) or ())
    except LunetteError:
        return sys.maxsize


def _stages(lines: Sequence[Sequence[Line]]) -> Iterator[Sequence[Line]]:
    """The commands of all steps in stages: every step has its last command in the last stage, and so on backward.

    LVM does one command for many volumes in a fraction of the time of many commands.
    """
    for stage in reversed(list(zip_longest(*map(reversed, lines)))):
        commands = [line for line in stage if line is not None]
        verbs = {tuple(line[:-1]) for line in commands}
        if len(verbs) == 1 and commands[0][-2] == "--":
            yield [[*commands[0][:-1], *(line[-1] for line in commands)]]
        else:
            yield commands


def _run_stage(system: System, lines: Sequence[Line]) -> None:
    """Run commands of LVM until one fails; in one process, if each fits into a line of a script.

    Raises ToolFailed.
    """
    scripted = [*lines[:1], *([line[0], _NO_BACKUP, *line[1:]] for line in lines[1:-1]), *lines[1:][-1:]]
    if len(lines) > 1 and all(_fits(line) for line in scripted):
        # A script begins with "#!" (_run_script in tools/lvmcmdline.c).
        script = "\n".join(["#!", *map(" ".join, scripted), ""])
        system.run(["lvm", "/dev/stdin"], stdin=script, timeout_s=TIMEOUT_S + MORE_S * len(lines))
        return
    for line in lines:
        system.run(line, timeout_s=TIMEOUT_S + MORE_S * len(line))


def _fits(line: Line) -> bool:
    """True if LVM reads these very words from a line of a script, where spaces, quotes and # have a meaning."""
    return len(" ".join(line)) <= LONGEST and all(_PLAIN.fullmatch(word) for word in line)
