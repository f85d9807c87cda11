"""Encrypts an array and undoes that. Each call looks first; a header that has a key is never written again.

A power failure can leave: nothing, a header without a key, a header with its key, an open mapping. All of it carries
the UUID that the plan chose, and nothing with another UUID is ever changed.
"""

from lunette.domain.errors import Conflict, InUse, NotFound, ToolFailed
from lunette.domain.steps import LuksCreate, LuksDestroy
from lunette.providers.arrays.md.assemble import ensure_running
from lunette.providers.arrays.md.observe import running_array
from lunette.providers.arrays.md.plan import device_path, md_name
from lunette.providers.disks.inventory import settle
from lunette.providers.encryption import device as luks
from lunette.providers.encryption import keys
from lunette.system.system_port import System


def create(system: System, step: LuksCreate) -> str | None:
    """Encrypt the array; None if that was done. Refuses a device that carries anything else, and a missing key."""
    settle(system)
    if not ensure_running(system, step.array_uuid):
        raise NotFound(f"the array of {step.mapping} is not on any disk: attach its disks, then try again")
    device = device_path(step.array_uuid)
    found = luks.header(system, system.realpath(device))
    if found is not None and found.uuid != step.array_id:
        raise Conflict(
            f"{device} carries a LUKS header {found.uuid} that is not the planned one, so it was not changed"
        )
    passphrase = keys.lent(system, step.array_id)
    if is_open(system, step.array_uuid, step.mapping) and _has_stored(system, device, step):
        return None
    if passphrase is None:
        raise Conflict(
            "the passphrase is no longer available: the appliance was restarted before the array was encrypted, and "
            "does not store passphrases. Create the array again"
        )
    if found is None or not found.slots:
        label = md_name(step.array_id)
        luks.write_header(system, device, step.array_id, label, step.sector_bytes, passphrase)
    if not is_open(system, step.array_uuid, step.mapping) and not luks.open_device(
        system, device, step.mapping, passphrase
    ):
        raise ToolFailed(f"{device} does not open with the passphrase it was encrypted with: create the array again")
    if step.keep_key:
        keep_key(system, device, step.array_id, passphrase)
    return f"{device} is encrypted and open as {step.mapping}"


def remove(system: System, step: LuksCreate | LuksDestroy) -> str | None:
    """Close the mapping and erase the header with all keys; None if that was done, or the array is missing.

    Refused while something on it is open.
    """
    settle(system)
    changed = False
    if ensure_running(system, step.array_uuid):
        if is_open(system, step.array_uuid, step.mapping):
            luks.close_device(system, step.mapping)
            changed = True
        changed = luks.erase(system, system.realpath(device_path(step.array_uuid)), step.array_id) or changed
    for path in (keys.new_path(step.array_id), keys.stored_path(step.array_id)):
        keys.forget(system, path)
    return f"{step.mapping} was closed and its keys were erased" if changed else None


def undo_create(system: System, step: LuksCreate) -> str | None:
    """Undo it; None if nothing of it is left. Other content of the array is not affected."""
    settle(system)
    if ensure_running(system, step.array_uuid) and _carries_another(system, step):
        return None
    return remove(system, step)


def is_open(system: System, array_uuid: str, mapping: str) -> bool:
    """True if the mapping is on the array."""
    running = running_array(system, array_uuid)
    return running is not None and luks.is_mapped(system, running.kernel_name, mapping)


def keep_key(system: System, device: str, array_id: str, passphrase: str) -> bool:
    """Add a key that the appliance stores; False if one opens the array already. It is stored before it opens
    anything.
    """
    key = keys.make(system, array_id)
    if luks.opens(system, device, key):
        return False
    luks.add_key(system, device, passphrase, keys.stored_path(array_id), stretched=False)
    return True


def _carries_another(system: System, step: LuksCreate) -> bool:
    try:
        found = luks.header(system, system.realpath(device_path(step.array_uuid)))
    except InUse:
        return True
    return found is not None and found.uuid != step.array_id


def _has_stored(system: System, device: str, step: LuksCreate) -> bool:
    if not step.keep_key:
        return True
    key = keys.stored(system, step.array_id)
    return key is not None and luks.opens(system, device, key)
