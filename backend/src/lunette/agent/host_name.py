"""Sets the host name that the settings specify, and stores it for the next start."""

import logging

from lunette.system.system_port import System

log = logging.getLogger(__name__)
KERNEL = "/proc/sys/kernel/hostname"
STORED = "/etc/hostname"
"""hostname(5)."""


class HostNameKeeper:
    """Corrects the host name whenever it differs. A failure is logged once and does not prevent serving."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._trouble: str | None = None

    def settle(self, wanted: str | None) -> None:
        """Sets the host name of the kernel and of the next start. None leaves both as they are."""
        if wanted is None:
            return
        trouble = None
        try:
            if self._system.read(KERNEL).strip() != wanted:
                self._system.write(KERNEL, wanted)
                log.info("host name set to %s", wanted)
            content = f"{wanted}\n".encode()
            if self._system.read_file(STORED) != content:
                self._system.write_durably(STORED, content, 0o644)
        except OSError as error:
            trouble = str(error)
        if trouble is not None and trouble != self._trouble:
            log.warning("the host name could not be set to %s: %s", wanted, trouble)
        self._trouble = trouble
