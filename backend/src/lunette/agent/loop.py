"""Keeps the machine in the state of the ledger: woken by a new drive, a new document, the deadline of a host, and a
timer.
"""

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
BLOCKED_S = 5.0
SETTLE_S = 0.5
"""Drives appear in bursts: one check serves them all."""
MDSTAT = "/proc/mdstat"
MDSTAT_POLL_S = 2.0
HEALTH_S = 10.0
"""How often the health commands of external arrays run."""
DISKS_S = 5.0
"""How often the agent checks whether a health reading is due."""
_BUILT = ("md", "dm-", "zd", "loop", "ram", "zram")


def pause_s(due_s: float | None) -> float:
    """How long to wait while something is blocked; the next deadline of a host passes in `due_s` seconds, if any."""
    return BLOCKED_S if due_s is None else min(BLOCKED_S, due_s)


class AgentLoop:
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
        """Let running work end, so that none of its commands is interrupted."""
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
            if self._event.wait(self._agent.looks.quiet_s if whole else pause_s(self._agent.due_in_s())):
                self._stopping.wait(SETTLE_S)
                self._event.clear()

    def _watch_drives(self) -> None:
        """Without udev, only the timer finds late drives."""
        try:
            import pyudev

            monitor = pyudev.Monitor.from_netlink(pyudev.Context())
            monitor.filter_by("block")
            monitor.filter_by("fc_host")  # an HBA that appears late
            self._observer = pyudev.MonitorObserver(monitor, callback=self._on_drive, name="drives")
            self._observer.daemon = True
            self._observer.start()
        except Exception as error:  # noqa: BLE001 - no libudev, or no netlink in a container
            log.warning("drives are not watched, only the timer finds new ones: %r", error)

    def _on_drive(self, device: Any) -> None:
        if device.sys_name.startswith(_BUILT) or device.action not in ("add", "remove"):
            return
        self._agent.changes.happened()
        self._event.set()

    def _watch_health(self) -> None:
        """A health command may hang, so it has its own thread."""
        while not self._stopping.wait(HEALTH_S):
            try:
                self._agent.ask_health()
            except Exception:
                log.exception("health commands failed")

    def _watch_disks(self) -> None:
        """A drive may hang; it blocks only this thread."""
        while not self._stopping.wait(DISKS_S):
            try:
                self._agent.ask_disks()
            except Exception:
                log.exception("the health of drives was not read")

    def _watch_arrays(self) -> None:
        """md reports through /proc/mdstat that a member failed or a rebuild ended (md_seq_poll in drivers/md/md.c)."""
        try:
            with Path(MDSTAT).open("rb", buffering=0) as mdstat:
                poll = select.poll()
                poll.register(mdstat, select.POLLPRI)
                while not self._stopping.is_set():
                    mdstat.seek(0)
                    mdstat.read()  # from here on, the next change is reported
                    if poll.poll(MDSTAT_POLL_S * 1000):
                        self._agent.changes.happened()
        except OSError as error:
            log.warning("arrays are not watched, only the timer checks them: %s", error)

    def _watch_spdk(self) -> None:
        while not self._stopping.wait(SPDK_POLL_S):
            if self._agent.watch_spdk():
                self._event.set()
