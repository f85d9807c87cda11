"""Hosts with the kernel's iSCSI initiator (open-iscsi), in a user-mode Linux guest outside the appliance.

    with KernelInitiator("hosts") as hosts:
        portal = f"{appliance.address}:{appliance.forward(3260)}"
        hosts.login(target, portal, "iqn.2026-11.example:esx1", Chap("user", "secret-of-12"))
        device = hosts.devices(target)[1]
        hosts.write_pattern(device, seed=7, blocks=512)
        hosts.logout(target)

One guest plays many hosts: each initiator name is an open-iscsi interface of its own. The guest has no systemd;
iscsid is started by hand. It reaches a portal through the appliance's loopback port, so every kind of machine is
reached alike, and a portal that is down looks like a server that closes the connection.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from tests.initiators.block_io import PROGRAMS, BlockIo
from tests.initiators.libiscsi import Chap
from tests.machines.model import MachineError
from tests.machines.netns import GATEWAY, GUEST_ADDRESS
from tests.machines.pace import deadline
from tests.machines.uml import Uml

_DEVICE_DEADLINE_S = 60.0
_ISCSIADM_TIMEOUT_S = 180.0
_SET_UP = f"""
set -e
mount -t proc proc /proc; mount -t sysfs sys /sys
mkdir -p /run/programs /run/lock/iscsi /run/logs /etc/iscsi
mount -t hostfs programs /run/programs -o hostfs={PROGRAMS}
ip link set lo up; ip address add {GUEST_ADDRESS}/24 dev vec0; ip link set vec0 up
ip route add default via {GATEWAY}
hostname {{name}}
modprobe -a iscsi_tcp sd_mod
echo InitiatorName=iqn.2026-11.io.lunette.test:{{name}} > /etc/iscsi/initiatorname.iscsi
iscsid -f >/run/logs/iscsid 2>&1 &
"""


class LoginFailed(Exception):
    """The target refused the login or was not there; the text is open-iscsi's own."""


@dataclass(frozen=True)
class Session:
    """One login; `interface` is what open-iscsi calls an initiator name with its settings."""

    target: str
    portal: str
    initiator: str

    @property
    def interface(self) -> str:
        """A short name, the same for the same initiator."""
        return "i" + hashlib.sha256(self.initiator.encode()).hexdigest()[:12]

    def node(self, *operation: str) -> list[str]:
        """An iscsiadm command on this session's record."""
        return ["iscsiadm", "-m", "node", "-T", self.target, "-p", self.portal, "-I", self.interface, *operation]


class IscsiHosts(BlockIo):
    """open-iscsi in a guest. Where several initiators are logged in to one target, calls must say which they mean."""

    iscsi_transport = "tcp"
    """Over what open-iscsi logs in: tcp or iser."""

    def __init__(self) -> None:
        self._sessions: list[Session] = []
        self._interfaces: set[str] = set()

    def place(self, portal: str) -> str:
        """Where the guest reaches a portal that the test sees as `portal`."""
        return portal

    def login(
        self, target: str, portal: str, initiator: str, chap: Chap | None = None, replacement_timeout_s: int = 120
    ) -> None:
        """Log in; `portal` is address:port as the test sees it. Raises LoginFailed.

        For `replacement_timeout_s` I/O waits for a lost session to come back before it fails.
        """
        session = Session(target, self.place(portal), initiator)
        self._make_interface(session)
        settings = _options(_settings(chap, replacement_timeout_s))
        made = [session.node("-o", "new"), session.node("-o", "update", *settings)]
        self.machine.check(" && ".join(map(shlex.join, made)))
        result = self.machine.run(session.node("-l"), timeout_s=_ISCSIADM_TIMEOUT_S)
        if result.rc != 0:
            self.machine.run(session.node("-o", "delete"))
            raise LoginFailed(f"{initiator} to {target} at {portal}: {result.stdout.strip()}")
        self._sessions.append(session)

    def discover(self, portal: str, initiator: str, chap: Chap | None = None) -> list[str]:
        """The targets that the portal tells this initiator (SendTargets). Raises LoginFailed."""
        asking = Session("", self.place(portal), initiator)
        self._make_interface(asking)
        record = ["iscsiadm", "-m", "discoverydb", "-t", "sendtargets", "-p", asking.portal]
        self.machine.run([*record, "-o", "delete"])  # an earlier discovery may have left it
        self.machine.check([*record, "-o", "new"])
        self.machine.check([*record, "-o", "update", *_options(_credentials("discovery.sendtargets", chap))])
        found = self.machine.run([*record, "-I", asking.interface, "--discover"], timeout_s=_ISCSIADM_TIMEOUT_S)
        if found.rc != 0:
            raise LoginFailed(f"{initiator} asks {portal}: {found.stdout.strip()}")
        return [line.split()[-1] for line in found.stdout.splitlines() if " iqn." in line]

    def logout(self, target: str, initiator: str | None = None) -> None:
        """Log out and delete the record; does nothing without a session."""
        for session in self._logged_in(target, initiator):
            gone = [session.node("-u"), session.node("-o", "delete")]
            self.machine.check(" && ".join(map(shlex.join, gone)), timeout_s=_ISCSIADM_TIMEOUT_S)
            self._sessions.remove(session)

    def is_logged_in(self, target: str, initiator: str | None = None) -> bool:
        """Whether it was logged in here and not logged out since, be the session up or waiting to come back."""
        return bool(self._logged_in(target, initiator))

    def is_connected(self, target: str, initiator: str | None = None) -> bool:
        """Whether the kernel's session is up now, not waiting to come back."""
        return self._luns(self._session(target, initiator)).connected

    def rescan(self, target: str, initiator: str | None = None) -> None:
        """Look for new LUNs and new sizes."""
        self.machine.check(self._session(target, initiator).node("--rescan"), timeout_s=_ISCSIADM_TIMEOUT_S)

    def devices(self, target: str, initiator: str | None = None, expected: int | None = None) -> dict[int, str]:
        """Device path by LUN; with `expected`, waits until there are so many."""
        session = self._session(target, initiator)
        end = deadline(_DEVICE_DEADLINE_S)
        while True:
            found = self._luns(session).devices
            if expected is None or len(found) == expected:
                return found
            if time.monotonic() > end:
                raise MachineError(f"{session.initiator} sees LUNs {sorted(found)} of {target}, not {expected} of them")
            time.sleep(0.2)

    def _make_interface(self, session: Session) -> None:
        if session.interface in self._interfaces:
            return
        interface = ["iscsiadm", "-m", "iface", "-I", session.interface]
        named = {"iface.initiatorname": session.initiator, "iface.transport_name": self.iscsi_transport}
        # It is there already where this initiator was in the guest before.
        made = [[*interface, "-o", "new"], [*interface, "-o", "update", *_options(named)]]
        self.machine.check("; ".join(map(shlex.join, made)))
        self._interfaces.add(session.interface)

    def _logged_in(self, target: str, initiator: str | None) -> list[Session]:
        return [s for s in self._sessions if s.target == target and initiator in {None, s.initiator}]

    def _session(self, target: str, initiator: str | None) -> Session:
        found = self._logged_in(target, initiator)
        if len(found) != 1:
            names = [session.initiator for session in found] or "nobody"
            raise MachineError(f"{names} logged in to {target}: name the one initiator that is meant, or log in first")
        return found[0]

    def _luns(self, session: Session) -> _Luns:
        reported = json.loads(
            self.machine.check(f"python3 -IS /run/programs/luns.py {session.target} {session.interface}")
        )
        return _Luns(bool(reported["connected"]), {int(lun): path for lun, path in reported["devices"].items()})


class KernelInitiator(IscsiHosts):
    """The user-mode Linux guest."""

    machine: Uml

    def __init__(self, name: str, memory_mib: int = 384) -> None:
        super().__init__()
        self.machine = Uml(name, disks=0, memory_mib=memory_mib, init="/bin/bash", product=False)

    def __enter__(self) -> Self:
        try:
            self.machine.start()
            self.machine.wait_for_shell(60.0)
            self.machine.check(_SET_UP.format(name=self.machine.name))
        except BaseException:
            self.machine.close(failed=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.machine.__exit__(kind, error, trace)

    def place(self, portal: str) -> str:
        """See IscsiHosts.place."""
        return self.machine.reach(int(portal.rsplit(":", 1)[1]), portal)


@dataclass(frozen=True)
class _Luns:
    connected: bool
    devices: dict[int, str]


def _settings(chap: Chap | None, replacement_timeout_s: int) -> dict[str, str]:
    settings = {"node.session.timeo.replacement_timeout": str(replacement_timeout_s)}
    settings |= {"node.session.initial_login_retry_max": "2", "node.startup": "manual"}
    return settings | _credentials("node.session", chap)


def _options(settings: dict[str, str]) -> list[str]:
    """iscsiadm takes many settings at a time."""
    return [word for key, value in settings.items() for word in ("-n", key, "-v", value)]


def _credentials(prefix: str, chap: Chap | None) -> dict[str, str]:
    """open-iscsi's keys for a login with this CHAP, or with none."""
    if chap is None:
        return {f"{prefix}.auth.authmethod": "None"}
    named = {"authmethod": "CHAP", "username": chap.user, "password": chap.secret}
    if chap.mutual_user and chap.mutual_secret:
        named |= {"username_in": chap.mutual_user, "password_in": chap.mutual_secret}
    return {f"{prefix}.auth.{key}": value for key, value in named.items()}
