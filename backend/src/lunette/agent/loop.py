"""Keeps the machine as the ledger says, for ever: woken by a new drive, by a new document, by the deadline of a host,
and by a timer."""

import logging
import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from lunette.agent.core import Agent
from lunette.agent.spdk_watch import POLL_S as SPDK_POLL_S
from lunette.domain.errors import LunetteError

log = logging.getLogger(__name__)
QUIET_S = 30.0
BLOCKED_S = 5.0
SETTLE_S = 0.5
"""Drives appear in bursts: one look serves them all."""
MDSTAT = "/proc/mdstat"
MDSTAT_POLL_S = 2.0
HEALTH_S = 10.0
"""How often the health commands of external arrays are asked."""
DISKS_S = 5.0
"""How often is looked whether a drive is due to be asked for its health."""
_BUILT = ("md", "dm-", "zd", "loop", "ram", "zram")


def pause_s(due_s: float | None) -> float:
    """How long to wait while something is blocked, with a host's deadline over in `due_s` seconds if any."""
    return BLOCKED_S if due_s is None else min(BLOCKED_S, due_s)


class Loop:
    """Runs `Agent.bring_up` in a thread, and after each pass `fill_reserve`, which may raise OSError."""

    def __init__(self, agent: Agent, fill_reserve: Callable[[], None] = lambda: None) -> None:
        self._agent, self._fill_reserve = agent, fill_reserve
        self._event, self._stopping = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="bring-up", daemon=True)
        self._observer: Any = None
        agent.wake = self._event.set

    def start(self) -> None:
        self._watch_drives()
        threading.Thread(target=self._watch_arrays, name="arrays", daemon=True).start()
        threading.Thread(target=self._watch_spdk, name="spdk", daemon=True).start()
        threading.Thread(target=self._watch_health, name="health", daemon=True).start()
        threading.Thread(target=self._watch_disks, name="disks", daemon=True).start()
        self._thread.start()

    def stop(self, timeout_s: float = 30.0) -> None:
        """Let what is under way end, so that no command of it is cut."""
        self._stopping.set()
        self._event.set()
        began = time.monotonic()
        self._thread.join(timeout_s)
        self._agent.stop(max(0.0, began + timeout_s - time.monotonic()))

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                whole = self._agent.bring_up()
            except LunetteError as error:
                log.warning("cannot serve yet: %s", error.detail)
                whole = False
            except Exception:
                log.exception("bring-up failed")
                whole = False
            with suppress(OSError):  # the next pass tries again
                self._fill_reserve()
            if self._event.wait(QUIET_S if whole else pause_s(self._agent.due_in_s())):
                self._stopping.wait(SETTLE_S)
                self._event.clear()

    def _watch_drives(self) -> None:
        """Without udev the timer alone finds late drives."""
        try:
            import pyudev

            monitor = pyudev.Monitor.from_netlink(pyudev.Context())
            monitor.filter_by("block")
            monitor.filter_by("fc_host")  # an HBA that comes late
            self._observer = pyudev.MonitorObserver(monitor, callback=self._on_drive, name="drives")
            self._observer.daemon = True
            self._observer.start()
        except Exception as error:  # noqa: BLE001 - no libudev, or no netlink in a container
            log.warning("drives are not watched, the timer looks for them: %r", error)

    def _on_drive(self, device: Any) -> None:
        if device.sys_name.startswith(_BUILT) or device.action not in ("add", "remove"):
            return
        self._agent.changes.happened()
        self._event.set()

    def _watch_health(self) -> None:
        """A health command may hang: it has a thread of its own."""
        while not self._stopping.wait(HEALTH_S):
            try:
                self._agent.ask_health()
            except Exception:
                log.exception("health commands failed")

    def _watch_disks(self) -> None:
        """A drive may hang: it holds up this thread and no other."""
        while not self._stopping.wait(DISKS_S):
            try:
                self._agent.ask_disks()
            except Exception:
                log.exception("the health of drives was not read")

    def _watch_arrays(self) -> None:
        """md says through /proc/mdstat that a member failed or a rebuild ended (md_seq_poll in drivers/md/md.c)."""
        try:
            with Path(MDSTAT).open("rb", buffering=0) as mdstat:
                poll = select.poll()
                poll.register(mdstat, select.POLLPRI)
                while not self._stopping.is_set():
                    mdstat.seek(0)
                    mdstat.read()  # from here on the next change is told
                    if poll.poll(MDSTAT_POLL_S * 1000):
                        self._agent.changes.happened()
        except OSError as error:
            log.warning("arrays are not watched, the timer looks at them: %s", error)

    def _watch_spdk(self) -> None:
        while not self._stopping.wait(SPDK_POLL_S):
            if self._agent.watch_spdk():
                self._event.set()
