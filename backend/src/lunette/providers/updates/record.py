"""Records about slots and trials in addition to the slots themselves, on the data partition: both systems read them."""

import json

from pydantic import ValidationError

import lunette
from lunette.domain.updates import SLOTS, Slot, SlotTrial
from lunette.providers.updates.slots import Slots
from lunette.system.system_port import System

FOLDER = "/var/lib/lunette/agent"
TRIAL, VERSIONS, CLOSED, OUTAGE = (f"{FOLDER}/{name}" for name in ("trial.json", "slots.json", "closed", "outage"))
OWN_VERSION = "/run/live/medium/live/version"
BOOT_ID = "/proc/sys/kernel/random/boot_id"


def trial(system: System) -> SlotTrial | None:
    """The last trial; None if there was none, or its record cannot be read."""
    try:
        return SlotTrial.model_validate_json(system.read_file(TRIAL) or b"")
    except ValidationError:
        return None


def keep_trial(system: System, found: SlotTrial) -> None:
    """Record it, durably."""
    system.write_durably(TRIAL, found.model_dump_json().encode())


def own_version(system: System) -> str:
    """The running version; from the slot, or from the program in a system without slots."""
    found = system.read_file(OWN_VERSION)
    return found.decode(errors="replace").strip() if found else lunette.__version__


def versions(system: System, slots: Slots) -> tuple[str | None, str | None]:
    """The content of slots a and b."""
    kept = _kept(system) | {slots.running: own_version(system)}
    return kept.get(SLOTS[0]), kept.get(SLOTS[1])


def keep_version(system: System, slot: Slot, version: str | None) -> None:
    """Record the content of a slot; None while it is being written."""
    system.write_durably(VERSIONS, json.dumps({**_kept(system), slot: version}).encode())


def _kept(system: System) -> dict[str, str | None]:
    try:
        found = json.loads(system.read_file(VERSIONS) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def boot_id(system: System) -> str:
    """The kernel's ID of this start."""
    return system.read(BOOT_ID).strip()


def exports_closed(system: System) -> None:
    """The paths to hosts are closed for a restart from now on."""
    system.write_durably(CLOSED, f"{system.now():.1f}".encode())


def exports_open(system: System) -> None:
    """All exports are served again: if a restart closed them, this is how long it took."""
    closed = system.read_file(CLOSED)
    if closed is None:
        return
    system.unlink(CLOSED)
    at = _seconds(closed)
    seconds = system.now() - at if at is not None else 0.0
    if seconds > 0:
        system.write_durably(OUTAGE, f"{seconds:.0f}".encode())


def outage_s(system: System) -> float | None:
    """How long the last restart interrupted the exports."""
    return _seconds(system.read_file(OUTAGE) or b"")


def _seconds(kept: bytes) -> float | None:
    """The record; None if it is damaged."""
    try:
        return float(kept)
    except ValueError:
        return None
