"""Restarts the machine and powers it off, through systemd, which stops Lunette's services in order first."""

from lunette.domain.errors import Conflict, ToolFailed
from lunette.domain.power import ObservedPower, PowerAction
from lunette.domain.steps import MachineStop
from lunette.providers.updates import record
from lunette.system.system_port import System

BOOTED = "/run/systemd/system"
"""Exists if systemd is the first process: sd_booted(3). In a container it is not."""
NO_SYSTEMD = "this system was not started by systemd (a container is not): restart it the way it was started"
LONGEST_S = 900.0
"""How long an orderly shutdown may take to end this process."""
POLL_S = 1.0
_VERBS = {PowerAction.RESTART: "reboot", PowerAction.OFF: "poweroff"}


def observe(system: System) -> ObservedPower:
    """Whether the machine can be stopped from here, and how long the last restart interrupted the exports."""
    reason = None if system.is_dir(BOOTED) and system.find_tool("systemctl") else NO_SYSTEMD
    return ObservedPower(boot_id=record.boot_id(system), reason=reason, outage_s=record.outage_s(system))


def stop(system: System, step: MachineStop) -> str | None:
    """Stops the machine; called again after its next start, it is done. Raises Conflict or ToolFailed.

    It can be repeated within the boot that it ends: systemd treats a second request like the first.
    """
    if record.boot_id(system) != step.boot_id:
        return "the appliance has restarted"
    if reason := observe(system).reason:
        raise Conflict(reason)
    system.run(["systemctl", "--no-block", _VERBS[step.action]])
    deadline = system.monotonic() + LONGEST_S
    while system.monotonic() < deadline:
        system.sleep(POLL_S)
    raise ToolFailed(f"the appliance did not stop within {LONGEST_S:.0f} s: check its console, or use its power button")
