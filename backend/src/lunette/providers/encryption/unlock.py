"""Opens a locked array, and changes its keys.

A key is added, and tested, before another one is removed: after an interruption anywhere, a known key still opens the
array.
"""

from collections.abc import Sequence

from lunette.domain.encryption import KeyChange, KeyUnlock
from lunette.domain.errors import Conflict, FieldProblem, Invalid, ToolFailed
from lunette.providers.arrays.md.assemble import ensure_running
from lunette.providers.arrays.md.plan import device_path
from lunette.providers.encryption import device as luks
from lunette.providers.encryption import keys
from lunette.providers.encryption.plan import mapping_name, mapping_path
from lunette.providers.encryption.run import is_open, keep_key
from lunette.system.system_port import System

WAITING = "waiting for key of array"


class Locked(Conflict):
    """The array runs and cannot be read until it is unlocked."""


def opened(system: System, array_uuid: str, array_id: str, name: str) -> str:
    """The opened device of a running array; opened now if the appliance stores its key.

    Raises Locked if it does not, Conflict if the header is not Lunette's.
    """
    mapping = mapping_name(array_id)
    if not is_open(system, array_uuid, mapping):
        key = keys.stored(system, array_id)
        if key is None:
            raise Locked(f"{WAITING} {name}")
        device = _own_device(system, array_uuid, array_id, name)
        if not luks.open_device(system, device, mapping, key):
            raise Locked(f"{WAITING} {name}: the key that the appliance stores does not unlock it")
    return mapping_path(mapping)


def unlock(system: System, order: KeyUnlock) -> str | None:
    """Open the array; None if it is open. Raises Invalid, with nothing changed, for a wrong passphrase."""
    device = _device(system, order.uuid, order.array_id, order.name)
    mapping = mapping_name(order.array_id)
    if is_open(system, order.uuid, mapping):
        return None
    if not luks.open_device(system, device, mapping, order.passphrase.get_secret_value()):
        raise _wrong(order.name)
    return f"array {order.name} is unlocked"


def change(system: System, order: KeyChange) -> str:
    """The outcome of the order, in words. Raises Invalid, with nothing changed, for a wrong passphrase.

    The same order again completes an interrupted one.
    """
    device = _device(system, order.uuid, order.array_id, order.name)
    old = order.passphrase.get_secret_value()
    new = order.new_passphrase.get_secret_value() if order.new_passphrase else old
    _check(system, device, order, old, new)
    done: list[str] = []
    if new != old:
        done += _replace(system, device, order, old, new)
    if order.keep_key is True and keep_key(system, device, order.array_id, new):
        done.append("the appliance stores a key and unlocks the array at every start")
    elif order.keep_key is False and _drop_stored(system, device, order.array_id):
        done.append("the appliance no longer stores a key")
    return "; ".join(done) or "nothing was to be done"


def _check(system: System, device: str, order: KeyChange, old: str, new: str) -> None:
    """Raises Invalid unless the passphrase opens it, or this very order has removed it already."""
    if keys.stored(system, order.array_id) in (old, new):
        raise _wrong(order.name)
    if luks.opens(system, device, old):
        return
    if new == old or order.keep_old or not luks.opens(system, device, new):
        raise _wrong(order.name)


def _replace(system: System, device: str, order: KeyChange, old: str, new: str) -> Sequence[str]:
    changed = False
    if not luks.opens(system, device, new):
        path = keys.new_path(order.array_id)
        keys.keep(system, path, new)
        try:
            luks.add_key(system, device, old, path, stretched=True)
        finally:
            keys.forget(system, path)
        changed = True
        if not luks.opens(system, device, new):
            raise ToolFailed(
                f"the new passphrase was written, but does not unlock array {order.name}: the previous one remains "
                "valid"
            )
    if not order.keep_old and luks.opens(system, device, old):
        luks.remove_key(system, device, old)
        changed = True
    if not changed:
        return ()
    return (
        ("both passphrases unlock it",) if order.keep_old else ("the new passphrase unlocks it, the old one does not",)
    )


def _drop_stored(system: System, device: str, array_id: str) -> bool:
    key = keys.stored(system, array_id)
    if key is None:
        return False
    luks.remove_key(system, device, key)
    keys.forget(system, keys.stored_path(array_id))
    return True


def _device(system: System, array_uuid: str, array_id: str, name: str) -> str:
    if not ensure_running(system, array_uuid, degraded=True):
        raise Conflict(f"array {name} is not running: none of its disks is present. Attach them, then try again")
    return _own_device(system, array_uuid, array_id, name)


def _own_device(system: System, array_uuid: str, array_id: str, name: str) -> str:
    device = device_path(array_uuid)
    found = luks.header(system, system.realpath(device))
    if found is None or found.uuid != array_id:
        raise Conflict(f"array {name} was not changed: it does not carry the LUKS header it was created with")
    return device


def _wrong(name: str) -> Invalid:
    problem = FieldProblem(field="passphrase", value=None, message="is wrong")
    return Invalid(f"The passphrase does not unlock array {name}; nothing was changed.", errors=(problem,))
