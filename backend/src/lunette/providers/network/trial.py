"""A change of an interface, on trial until it is kept (docs/decisions/0031).

What takes a trial back is systemd: `lunette-network-revert.timer` makes what networkd reads as what is kept. It is
armed before anything changes, and needs neither this process nor the API. A power cut ends a trial too: all of it lies
in /run.
"""

from lunette.domain.base import Model
from lunette.domain.errors import Conflict, LunetteError
from lunette.domain.interfaces import TRIAL_S
from lunette.domain.steps.interfaces import InterfaceKeep, InterfaceRevert, InterfaceStep, InterfaceTry
from lunette.providers.network import files
from lunette.system.doorway import System

TRIAL = "/run/lunette/interface-trial"
LAST = f"{files.KEPT}/last-trial"
"""The id of the trial that was begun last."""
TIMER, SERVICE = "lunette-network-revert.timer", "lunette-network-revert.service"


class Trial(Model):
    """What waits to be kept. `until` is in seconds of the machine's monotonic clock, which no clock setting moves."""

    id: str
    interface: str
    mtu_bytes: int
    """As it was before: networkd does not set it back."""
    until: float


def pending(system: System) -> Trial | None:
    """The change that waits to be confirmed."""
    content = system.read_file(TRIAL)
    words = content.decode(errors="replace").split() if content else []
    if len(words) != 4:
        return None
    return Trial(id=words[0], interface=words[1], mtu_bytes=int(words[2]), until=float(words[3]))


def begin(system: System, step: InterfaceTry) -> str | None:
    """Configures the interface. Raises Conflict if the trial is over already, or another is not."""
    there = pending(system)
    if there is not None and there.id == step.trial_id:
        return None
    if there is not None:
        raise Conflict(f"a change of interface {there.interface} waits to be confirmed: confirm it or take it back")
    if system.read_file(LAST) == step.trial_id.encode():
        raise Conflict(f"this change of interface {step.interface} was taken back, for nobody confirmed it in time")
    name, content = files.file_name(step.interface), files.render(step.interface, step.settings)
    mtu_bytes = int(system.read(f"/sys/class/net/{step.interface}/mtu"))
    for folder in (files.KEPT, files.READ):
        _make_folder(system, folder)
    system.write_durably(LAST, step.trial_id.encode())
    system.run(["systemctl", "restart", TIMER])
    until = system.monotonic() + TRIAL_S
    trial = f"{step.trial_id} {step.interface} {mtu_bytes} {until:.3f}\n"
    system.write_durably(TRIAL, trial.encode(), 0o644)
    try:
        system.write_durably(f"{files.READ}/{name}", content, 0o644)
        system.run(["networkctl", "reload"])
    except (LunetteError, OSError):
        _take_back(system)
        raise
    return f"interface {step.interface} is configured, on trial"


def undo(system: System, step: InterfaceTry) -> str | None:
    """Takes the trial back, if it still waits."""
    there = pending(system)
    if there is None or there.id != step.trial_id:
        return None
    _take_back(system)
    return f"interface {step.interface} is as it was before"


def keep(system: System, step: InterfaceKeep) -> str | None:
    """Keeps what is on trial. Raises Conflict if it was taken back."""
    name = files.file_name(step.interface)
    _need(system, step)
    tried = system.read_file(f"{files.READ}/{name}")
    if tried is None:
        raise Conflict(f"the change of interface {step.interface} was taken back: change it again")
    system.write_durably(f"{files.KEPT}/{name}", tried, 0o644)
    system.run(["systemctl", "stop", TIMER])
    if system.exists(TRIAL):
        system.unlink(TRIAL)
    if system.read_file(f"{files.READ}/{name}") != tried:  # the timer was quicker, and is overruled
        system.write_durably(f"{files.READ}/{name}", tried, 0o644)
        system.run(["networkctl", "reload"])
    return f"interface {step.interface} stays as it is"


def revert(system: System, step: InterfaceRevert) -> str | None:
    """Takes back what is on trial, now."""
    _need(system, step)
    _take_back(system)
    return f"interface {step.interface} is as it was before"


def _need(system: System, step: InterfaceStep) -> None:
    there = pending(system)
    if there is None or there.id != step.trial_id:
        raise Conflict(f"no change of interface {step.interface} waits to be confirmed: it was taken back")


def _take_back(system: System) -> None:
    system.run(["systemctl", "start", SERVICE])
    system.run(["systemctl", "stop", TIMER])


def _make_folder(system: System, path: str) -> None:
    parts = path.strip("/").split("/")
    for count in range(1, len(parts) + 1):
        folder = "/" + "/".join(parts[:count])
        if not system.is_dir(folder):
            system.mkdir(folder)
