"""Runs the health command of an external array: a file of root in a fixed directory, selected only by its name."""

import re

from lunette.domain.arrays import HEALTH_COMMAND_PATTERN, ArrayState, ObservedArray, SyncProgress
from lunette.domain.errors import InUse, Invalid, LunetteError, NotFound
from lunette.domain.exports import ExportArray
from lunette.domain.health_commands import LIMIT_BYTES, TIMEOUT_S, DeviceHealth, DeviceState, read_health
from lunette.providers.arrays.external.device import path
from lunette.system.system_port import System

FOLDERS = ("/etc/lunette/health.d", "/usr/lib/lunette/health.d")
"""Commands of the administrator come first, then those of the package."""
_NAME = re.compile(HEALTH_COMMAND_PATTERN)
_OTHERS_WRITE, _ANY_RUN = 0o022, 0o111
_STATES = {
    DeviceState.HEALTHY: ArrayState.CLEAN,
    DeviceState.DEGRADED: ArrayState.DEGRADED,
    DeviceState.REBUILDING: ArrayState.REBUILDING,
    DeviceState.FAILED: ArrayState.FAILED,
    DeviceState.UNKNOWN: ArrayState.UNKNOWN,
}


def commands(system: System) -> tuple[str, ...]:
    """The available names: those of executable files."""
    found = set()
    for folder in FOLDERS:
        for name in system.listdir(folder):
            if _NAME.fullmatch(name) and _refusal(system, folder, name) is None:
                found.add(name)
    return tuple(sorted(found))


def ask(system: System, array: ExportArray) -> DeviceHealth:
    """The result of the array's health command. Never raises: a failure is `unknown`, with the reason."""
    name = array.health_command or ""
    try:
        program = _program(system, name)
        printed = system.ask(program, [path(system, array.members[0])], timeout_s=TIMEOUT_S, limit_bytes=LIMIT_BYTES)
        return read_health(printed)
    except (LunetteError, OSError) as error:
        why = error.detail if isinstance(error, LunetteError) else str(error)
        return DeviceHealth(state=DeviceState.UNKNOWN, message=f"health command {name}: {why}"[:500])


def with_health(array: ObservedArray, health: DeviceHealth | None, command: str) -> ObservedArray:
    """The array with the result of its health command; `health` is None until the command has run once."""
    if array.state is ArrayState.MISSING:
        return array
    if health is None:
        return array.model_copy(update={"health_words": f"health command {command} has not run yet"})
    progress = None
    if health.state is DeviceState.REBUILDING and health.progress_percent is not None:
        progress = SyncProgress(action="recover", percent=health.progress_percent, rate_bytes_s=None, left_s=None)
    words = health.words() or f"health command {command} says {health.state.value}"
    return array.model_copy(update={"state": _STATES[health.state], "progress": progress, "health_words": words})


def _program(system: System, name: str) -> str:
    """Its path. Raises Invalid if this is not a plain name, NotFound if there is none, InUse if users other than root
    could have written it.
    """
    if not _NAME.fullmatch(name):
        raise Invalid("the name of a health command can contain only lower-case letters, digits, - and _")
    for folder in FOLDERS:
        if system.file_facts(f"{folder}/{name}") is not None:
            if (why := _refusal(system, folder, name)) is not None:
                raise InUse(f"{folder}/{name} was not run: {why}")
            return f"{folder}/{name}"
    raise NotFound(f"it does not exist in {' or '.join(FOLDERS)}")


def _refusal(system: System, folder: str, name: str) -> str | None:
    for one in (folder, f"{folder}/{name}"):
        facts = system.file_facts(one)
        if facts is None or not facts.is_plain:
            return f"{one} is not a regular file" if one != folder else f"{folder} is not a folder"
        if facts.uid != 0 or facts.mode & _OTHERS_WRITE:
            return f"{one} is writable by users other than root: run chown root and chmod go-w"
        if one != folder and not facts.mode & _ANY_RUN:
            return f"{one} is not executable"
    return None
