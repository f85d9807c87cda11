"""Where keys are stored: the appliance's key of an array, and the passphrase lent to a job.

A stored key is in root's own directory and is 256 random bits. A lent passphrase is in /run, which is memory: it
survives the agent, not the machine.
"""

import secrets

from lunette.domain.errors import ToolFailed
from lunette.system.system_port import System

KEPT_DIR, LENT_DIR = "/var/lib/lunette/agent", "/run/lunette"


def stored_path(array_id: str) -> str:
    return f"{KEPT_DIR}/array-{array_id}.key"


def lent_path(array_id: str) -> str:
    return f"{LENT_DIR}/array-{array_id}.passphrase"


def new_path(array_id: str) -> str:
    """A passphrase while it is being added: cryptsetup reads one key from its input and the other from a file."""
    return f"{LENT_DIR}/array-{array_id}.new"


def stored(system: System, array_id: str) -> str | None:
    return _read(system, stored_path(array_id))


def lent(system: System, array_id: str) -> str | None:
    return _read(system, lent_path(array_id))


def make(system: System, array_id: str) -> str:
    """A key to store on the appliance: the existing one, or a new one that is on stable storage now."""
    known = stored(system, array_id)
    if known is None:
        known = secrets.token_hex(32)
        keep(system, stored_path(array_id), known)
    return known


def keep(system: System, path: str, key: str) -> None:
    try:
        system.write_durably(path, key.encode(), 0o600)
    except OSError as error:
        raise ToolFailed(
            f"a key cannot be stored ({error.strerror}): free space on the system drive, then try again"
        ) from error


def forget(system: System, path: str) -> None:
    """Remove a key; harmless if there is none."""
    if system.exists(path):
        system.unlink(path)


def _read(system: System, path: str) -> str | None:
    found = system.read_file(path)
    return found.decode() if found else None
