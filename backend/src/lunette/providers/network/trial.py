"""A change of interfaces, on trial until it is confirmed (docs/decisions/0031).

systemd reverts a trial: `lunette-network-revert.timer` restores the files that networkd reads from the stored ones. It
is armed before anything changes, and needs neither this process nor the API. A power failure ends a trial too: all of
it is in /run.

A VLAN or bond needs several files, and a power failure while they are stored must not store only some of them: they are
in `next` from the beginning of the trial, and storing them is to write `whole` next to them, which names them. The next
process that finds it completes the work: this one, or settle-network.
"""

from lunette.domain.base import Model
from lunette.domain.errors import Conflict, LunetteError, Unavailable
from lunette.domain.interfaces import TRIAL_S
from lunette.domain.steps.interfaces import InterfaceKeep, InterfaceRevert, InterfaceStep, InterfaceTry
from lunette.providers.network import files
from lunette.system.system_port import System

TRIAL = "/run/lunette/interface-trial"
LAST = f"{files.KEPT}/last-trial"
"""The ID of the trial that was started last."""
NEXT = f"{files.KEPT}/next"
WHOLE = f"{NEXT}/whole"
"""Names of the files to store, one per line; one that does not exist next to it is to be removed."""
MADE_S = 15.0
"""How long a VLAN or bond may take to be there."""
TIMER, SERVICE = "lunette-network-revert.timer", "lunette-network-revert.service"


class Trial(Model):
    """A change waiting for confirmation. `until` is in seconds of the machine's monotonic clock, which no clock setting
    changes.
    """

    id: str
    interface: str
    until: float
    beside: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The files it is about."""
        return [name for one in (self.interface, *self.beside) for name in files.every(one, None)]


def pending(system: System) -> Trial | None:
    """The change waiting for confirmation. Its file: `id interface mtu until`, then `interface mtu` for each further
    one.

    The MTU (bytes) is the previous one, because networkd does not restore it; 0 if the interface did not exist.
    """
    content = system.read_file(TRIAL)
    lines = [line.split() for line in content.decode(errors="replace").splitlines()] if content else []
    if not lines or len(lines[0]) != 4:
        return None
    identity, interface, _, until = lines[0]
    return Trial(id=identity, interface=interface, until=float(until), beside=tuple(line[0] for line in lines[1:]))


def begin(system: System, step: InterfaceTry) -> str | None:
    """Configures the interface. Raises Conflict if the trial is over already, or another is not."""
    there = pending(system)
    if there is not None and there.id == step.trial_id:
        return None
    if there is not None:
        raise Conflict(f"a change of interface {there.interface} awaits confirmation: confirm or revert it")
    if system.read_file(LAST) == step.trial_id.encode():
        raise Conflict(f"this change of interface {step.interface} was reverted, because it was not confirmed in time")
    before = {one.interface: _mtu(system, one.interface) for one in step.all}
    for folder in (files.KEPT, files.READ, NEXT):
        _make_folder(system, folder)
    _finish(system)
    _prepare(system, step)
    system.write_durably(LAST, step.trial_id.encode())
    system.run(["systemctl", "restart", TIMER])
    until = system.monotonic() + TRIAL_S
    lines = [f"{step.trial_id} {step.interface} {before[step.interface]} {until:.3f}"]
    lines += [f"{one.interface} {before[one.interface]}" for one in step.beside]
    system.write_durably(TRIAL, "".join(f"{line}\n" for line in lines).encode(), 0o644)
    try:
        _configure(system, step)
    except (LunetteError, OSError):
        _take_back(system)
        raise
    return f"interface {step.interface} is {'configured' if step.settings else 'removed'}, on trial"


def undo(system: System, step: InterfaceTry) -> str | None:
    """Reverts the trial, if it still waits."""
    there = pending(system)
    if there is None or there.id != step.trial_id:
        return None
    _take_back(system)
    return f"interface {step.interface} is as it was before"


def keep(system: System, step: InterfaceKeep) -> str | None:
    """Confirms the trial. Raises Conflict if it was reverted."""
    names = _need(system, step).names
    tried = {name: system.read_file(f"{NEXT}/{name}") for name in names}
    system.write_durably(WHOLE, "".join(f"{name}\n" for name in names).encode(), 0o644)
    _finish(system)
    system.run(["systemctl", "stop", TIMER])
    if system.exists(TRIAL):
        system.unlink(TRIAL)
    if _lay(system, tried):  # the timer was faster, and is overruled
        system.run(["networkctl", "reload"])
    return f"the change of interface {step.interface} was confirmed"


def revert(system: System, step: InterfaceRevert) -> str | None:
    """Reverts the present trial, now."""
    _need(system, step)
    _take_back(system)
    return f"interface {step.interface} is as it was before"


def _configure(system: System, step: InterfaceTry) -> None:
    """Writes the files and notifies networkd. networkd removes no VLAN or bond (networkctl(1)); only Lunette's are
    removed here.
    """
    gone = step.settings is None and system.exists(f"{files.READ}/{files.device_name(step.interface)}")
    for one in step.all:
        _lay(system, files.every(one.interface, one.settings))
    system.run(["networkctl", "reload"])
    if step.settings is not None and step.settings.made is not None:
        _await_made(system, step.interface)
    if gone and system.exists(f"/sys/class/net/{step.interface}"):
        system.run(["ip", "link", "delete", "dev", step.interface])
    for one in step.beside:  # an interface that leaves a bond is down until then
        if one.settings is None and system.exists(f"/sys/class/net/{one.interface}"):
            system.run(["networkctl", "reconfigure", one.interface])


def _await_made(system: System, interface: str) -> None:
    """networkd answers before it has created a VLAN or bond. Raises Unavailable if none appears."""
    deadline = system.monotonic() + MADE_S
    while not system.exists(f"/sys/class/net/{interface}"):
        if system.monotonic() >= deadline:
            raise Unavailable(
                f"The kernel did not create interface {interface} within {MADE_S:.0f} s: see the log of "
                "systemd-networkd. A kernel module may be missing (8021q for a VLAN, bonding for a bond)."
            )
        system.sleep(0.2)


def _lay(system: System, wanted: dict[str, bytes | None]) -> bool:
    """Writes networkd's files; returns whether any changed."""
    changed = False
    for name, content in wanted.items():
        path = f"{files.READ}/{name}"
        there = system.read_file(path)
        if there == content:
            continue
        changed = True
        if content is None:
            system.unlink(path)
        else:
            system.write_durably(path, content, 0o644)
    return changed


def _prepare(system: System, step: InterfaceTry) -> None:
    """Prepares the files to store if the trial is confirmed."""
    for name in system.listdir(NEXT):
        system.unlink(f"{NEXT}/{name}")
    for one in step.all:
        for name, content in files.every(one.interface, one.settings).items():
            if content is not None:
                system.write_durably(f"{NEXT}/{name}", content, 0o644)


def _finish(system: System) -> None:
    """Stores what was confirmed, and completes an interrupted attempt."""
    whole = system.read_file(WHOLE)
    for name in whole.decode(errors="replace").split() if whole is not None else ():
        path, content = f"{files.KEPT}/{name}", system.read_file(f"{NEXT}/{name}")
        if content is not None:
            system.write_durably(path, content, 0o644)
        elif system.exists(path):
            system.unlink(path)
    if whole is not None:
        system.unlink(WHOLE)


def _need(system: System, step: InterfaceStep) -> Trial:
    there = pending(system)
    if there is None or there.id != step.trial_id:
        raise Conflict(f"no change of interface {step.interface} awaits confirmation: it was reverted")
    return there


def _take_back(system: System) -> None:
    system.run(["systemctl", "start", SERVICE])
    system.run(["systemctl", "stop", TIMER])


def _mtu(system: System, interface: str) -> int:
    """Bytes; 0 where there is no such interface."""
    path = f"/sys/class/net/{interface}/mtu"
    return int(system.read(path)) if system.exists(path) else 0


def _make_folder(system: System, path: str) -> None:
    parts = path.strip("/").split("/")
    for count in range(1, len(parts) + 1):
        folder = "/" + "/".join(parts[:count])
        if not system.is_dir(folder):
            system.mkdir(folder)
