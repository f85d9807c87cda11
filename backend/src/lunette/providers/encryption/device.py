"""The operations of cryptsetup on one device. Keys are passed by its standard input, never on its command line.

Exit codes are cryptsetup's own (cryptsetup(8), RETURN CODES): 2 no key slot opens with this key, 5 the mapping exists
or the device is busy.
"""

from lunette.domain.base import Model
from lunette.domain.errors import Conflict, InUse
from lunette.providers.disks.inventory import read_signatures, settle
from lunette.providers.encryption.plan import HEADER_BYTES, TOOL
from lunette.providers.reading import document, reader
from lunette.system.system_port import System
from lunette.system.tools import missing_tool

TIMEOUT_S = 600.0
"""Stretching a key is deliberately slow: seconds on a server, minutes on an emulated CPU."""
STRETCHED_MIB = 64
"""Memory for stretching a passphrase: the second recommendation of RFC 9106, so that a small machine can open it
too.
"""
WRONG_KEY, BUSY = 2, 5
LUKS = "crypto_LUKS"
MODULE = "/sys/module/dm_crypt"
_STRETCHED = ("--pbkdf", "argon2id", "--pbkdf-memory", str(STRETCHED_MIB * 1024), "--pbkdf-parallel", "4")
_RANDOM = ("--pbkdf", "pbkdf2", "--hash", "sha256", "--pbkdf-force-iterations", "1000")
"""A random key cannot be guessed, so it is not stretched: an array that waits is retried every few seconds."""


def blocker(system: System) -> str | None:
    """Why nothing can be encrypted on this machine; None if it can. The kernel loads the module when it is needed."""
    if system.find_tool(TOOL) is None:
        return missing_tool(TOOL)
    if system.exists(MODULE) or system.run(["modprobe", "--dry-run", "--quiet", "dm_crypt"], ok=(0, 1)).returncode == 0:
        return None
    return "the kernel has no module dm_crypt: boot a kernel that has it"


class Header(Model):
    """A LUKS header. Without slots, its creation was interrupted, or it was erased: nothing opens it any more."""

    uuid: str
    slots: int


def header(system: System, device: str) -> Header | None:
    """The header on the device; None if the device is empty. Raises InUse if it carries anything else."""
    found = [sign for signs in read_signatures(system, [device]).values() for sign in signs]
    others = sorted({sign.type for sign in found if sign.type != LUKS})
    if others:
        raise InUse(f"{device} already carries {', '.join(others)} and was not changed")
    if not found:
        return None
    dumped = system.run(["cryptsetup", "luksDump", "--dump-json-metadata", "--", device], timeout_s=TIMEOUT_S).stdout
    return Header(uuid=found[0].uuid or "", slots=slots_in(dumped))


@reader("cryptsetup luksDump")
def slots_in(text: str) -> int:
    """The number of keys that open it, from `cryptsetup luksDump --dump-json-metadata`."""
    found = document(text)["keyslots"]
    if not isinstance(found, dict):
        raise TypeError("no slots")
    return len(found)


def write_header(system: System, device: str, uuid: str, label: str, sector_bytes: int, passphrase: str) -> None:
    """Destroys the content of the device. The caller ensured that it is not needed."""
    system.run(
        [
            "cryptsetup",
            "luksFormat",
            "--batch-mode",
            "--type",
            "luks2",
            "--uuid",
            uuid,
            "--label",
            label,
            "--sector-size",
            str(sector_bytes),
            "--offset",
            str(HEADER_BYTES // 512),
            "--cipher",
            "aes-xts-plain64",
            "--key-size",
            "512",
            *_STRETCHED,
            "--key-file",
            "-",
            "--",
            device,
        ],
        timeout_s=TIMEOUT_S,
        stdin=passphrase,
    )
    settle(system)


def open_device(system: System, device: str, mapping: str, key: str) -> bool:
    """Open it; False for a wrong key. Its volume key stays out of the keyring, so that it can be resized without a
    key.
    """
    command = ["cryptsetup", "open", "--type", "luks2", "--disable-keyring", "--key-file", "-", "--", device, mapping]
    done = system.run(command, timeout_s=TIMEOUT_S, stdin=key, ok=(0, WRONG_KEY))
    settle(system)
    return done.returncode == 0


def opens(system: System, device: str, key: str) -> bool:
    """True if the key opens it; nothing is opened."""
    command = ["cryptsetup", "open", "--type", "luks2", "--test-passphrase", "--key-file", "-", "--", device]
    return system.run(command, timeout_s=TIMEOUT_S, stdin=key, ok=(0, WRONG_KEY)).returncode == 0


def close_device(system: System, mapping: str) -> None:
    """Raises InUse while something on it is open."""
    if system.run(["cryptsetup", "close", "--", mapping], timeout_s=TIMEOUT_S, ok=(0, BUSY)).returncode == BUSY:
        raise InUse(f"{mapping} is in use: what is on it is still open")
    settle(system)


def add_key(system: System, device: str, key: str, new_path: str, *, stretched: bool) -> None:
    """Add the key in the file. `key` is one that opens it. Raises ToolFailed, with nothing changed."""
    shape = _STRETCHED if stretched else _RANDOM
    command = ["cryptsetup", "luksAddKey", "--batch-mode", *shape, "--key-file", "-", "--", device, new_path]
    system.run(command, timeout_s=TIMEOUT_S, stdin=key)


def remove_key(system: System, device: str, key: str) -> None:
    """Remove one key; harmless if it opens nothing. The caller ensured that another one opens it."""
    command = ["cryptsetup", "luksRemoveKey", "--batch-mode", "--key-file", "-", "--", device]
    system.run(command, timeout_s=TIMEOUT_S, stdin=key, ok=(0, WRONG_KEY))


def grow(system: System, mapping: str) -> None:
    """Resize the mapping to all of its device."""
    system.run(["cryptsetup", "resize", "--", mapping], timeout_s=TIMEOUT_S)


def erase(system: System, device: str, uuid: str) -> bool:
    """Erase the header of this UUID with all its keys; False if there is none. Raises Conflict for another one."""
    found = header(system, device)
    if found is None:
        return False
    if found.uuid != uuid:
        raise Conflict(
            f"{device} carries a LUKS header {found.uuid} that does not belong to this appliance, so it was not changed"
        )
    if found.slots:
        system.run(["cryptsetup", "luksErase", "--batch-mode", "--", device], timeout_s=TIMEOUT_S)
    system.run(["wipefs", "--all", "--", device], timeout_s=TIMEOUT_S)
    settle(system)
    return True


def is_mapped(system: System, kernel_name: str, mapping: str) -> bool:
    """True if the mapping is on this very device."""
    base = f"/sys/block/{kernel_name}/holders"
    return mapping in [_dm_name(system, f"{base}/{holder}") for holder in system.listdir(base)]


def _dm_name(system: System, base: str) -> str:
    try:
        return system.read(f"{base}/dm/name").strip()
    except OSError:
        return ""
