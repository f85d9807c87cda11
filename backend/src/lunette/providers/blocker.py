"""Why an engine is not available on this machine, in words."""

from lunette.domain.errors import LunetteError
from lunette.system.system_port import System
from lunette.system.tools import missing_tool


def blocker(system: System, tool: str, trace: str, module: str, package: str) -> str | None:
    """What is missing of a tool and a kernel module; None if both exist.

    `trace` is a path that exists while `module` is loaded, `package` the Debian package that needs it.
    """
    if system.find_tool(tool) is None:
        return missing_tool(tool)
    if not system.exists(trace):
        return f"the kernel module {module} is not loaded: boot a kernel that has it, as {package} needs it"
    return None


def no_module(system: System, module: str) -> str | None:
    """Why the kernel cannot load a module, which it does when it is needed; None if it can."""
    if system.exists(f"/sys/module/{module}"):
        return None
    try:
        if system.run(["modprobe", "--dry-run", "--quiet", module], ok=(0, 1)).returncode == 0:
            return None
    except LunetteError as error:
        return f"whether the kernel has module {module} is not known: {error.detail}"
    return f"the kernel has no module {module}: boot one that has it"
