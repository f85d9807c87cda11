"""RAUC: its configuration for this machine, and its information about a bundle (rauc.readthedocs.io, version 1.13).

RAUC verifies bundles and writes slots. Lunette chooses the slot to start (choice.py): RAUC's own way with GRUB rewrites
the one file it knows by truncating it, and knows of one disk only.
"""

from lunette.domain.errors import Conflict, Invalid, ToolFailed
from lunette.domain.updates import COMPATIBLE, SLOTS, BundleFacts
from lunette.providers.reading import document, reader, text_of
from lunette.providers.updates.slots import FORMAT, Slots
from lunette.system.system_port import System

FOLDER, CONFIG = "/run/rauc", "/run/rauc/system.conf"
STATUS = "/var/lib/lunette/agent/rauc"
KEYRING = "/usr/lib/lunette/updates/keyring.pem"
TRUSTS = "/usr/lib/lunette/updates/trusts"
"""The signers in the keyring, in words."""
_REVOKED = b"-----BEGIN X509 CRL-----"
"""How a list of revoked certificates begins in the keyring."""
BUNDLES = "/var/lib/lunette/api/updates"
"""Where the API stores uploads; RAUC trusts only what is signed."""
VERIFY_S, WRITE_S = 300.0, 3000.0
_TOO_LATE = "set the clock, or reinstall if it is correct"
_WORDS = (
    ("certificate revoked", "its signer's certificate was revoked: use a bundle of another signer"),
    ("certificate has expired", "by this appliance's clock its signer's certificate has expired: use a newer bundle"),
    ("is not yet valid", "by this appliance's clock its signer's certificate is not valid yet: set the clock"),
    ("crl has expired", f"by this appliance's clock the list of revoked certificates has expired: {_TOO_LATE}"),
    ("certificate purpose", "its signer's certificate is not for signing code"),
    ("signature verification failed", "its signer is not trusted by this appliance"),
    ("invalid bundle format", "it is not a bundle, or it is incomplete"),
    ("invalid identifier", "it is not a bundle, or it is incomplete"),
    ("signature size", "it is not a bundle, or it is incomplete"),
    ("failed to read", "it is incomplete"),
    ("too small", "it is incomplete"),
    ("dm-verity status 'c", "its content was changed after it was signed"),
    ("no space left", "there is not enough space for it"),
)
"""Messages of RAUC, in lower case, and their meaning."""
_LAST = "LastError: "
"""Prefix of the reason that `rauc install` prints."""


def configure(system: System, slots: Slots) -> None:
    """Write the configuration of this start; it stays the same until the next one."""
    for folder in (FOLDER, STATUS):
        if not system.is_dir(folder):
            system.mkdir(folder)
    text = configuration(slots, revokes=_REVOKED in (system.read_file(KEYRING) or b"")).encode()
    if system.read_file(CONFIG) != text:
        system.write_durably(CONFIG, text, 0o644)


def configuration(slots: Slots, *, revokes: bool) -> str:
    """RAUC's system.conf. A slot keeps the UUID by which GRUB and the initrd find it.

    `revokes`: the keyring has lists of revoked certificates. Without one, check-crl would refuse everything. A signer
    must be valid now, by this machine's clock: the owner of the key can set any time of a signature.
    """
    lines = [
        "[system]",
        f"compatible={COMPATIBLE}",
        "bootloader=noop",
        "activate-installed=false",
        "bundle-formats=verity",
        "perform-pre-check=true",
        f"data-directory={STATUS}",
        "mountprefix=/run/rauc/mnt",
        "[keyring]",
        f"path={KEYRING}",
        "check-purpose=codesign-rauc",
        f"check-crl={str(revokes).lower()}",
    ]
    for number, name in enumerate(SLOTS):
        lines += [
            f"[slot.system.{number}]",
            f"device={slots.device(name)}",
            "type=ext4",
            f"bootname={name}",
            f"extra-mkfs-opts=-q -U {slots.uuids[number]} {' '.join(FORMAT)}",
        ]
    return "\n".join([*lines, ""])


def verify(system: System, slots: Slots, bundle: str) -> BundleFacts:
    """Information about a bundle. Raises Invalid for one that is unsigned, damaged or for another product."""
    configure(system, slots)
    try:
        printed = system.run(["rauc", "info", "--output-format=json", bundle], timeout_s=VERIFY_S).stdout
    except ToolFailed as error:
        raise Invalid(f"the bundle is refused: {explain(error)}", log=error.log) from error
    facts = parse_info(printed)
    if facts.compatible != COMPATIBLE:
        raise Conflict(f"the bundle is refused: it is for {facts.compatible}, this is {COMPATIBLE}")
    return facts


@reader("rauc info")
def parse_info(text: str) -> BundleFacts:
    """What `rauc info --output-format=json` tells of a bundle."""
    said = document(text)
    return BundleFacts(compatible=text_of(said["compatible"]), version=text_of(said.get("version") or ""))


def install(system: System, slots: Slots, bundle: str) -> None:
    """Write a bundle to the idle slot. Raises ToolFailed: it may be partially written then."""
    configure(system, slots)
    try:
        system.run(["rauc", "install", bundle], timeout_s=WRITE_S)
    except ToolFailed as error:
        raise ToolFailed(f"the bundle was not written: {explain(error)}", log=error.log) from error


def explain(error: ToolFailed) -> str:
    """Why RAUC refused, in words; its own message if it is unknown."""
    said = error.log.lower()
    last = next((line for line in error.log.splitlines() if line.startswith(_LAST)), "").removeprefix(_LAST)
    own = last or error.detail.removeprefix("rauc refused: ")
    return next((words for mark, words in _WORDS if mark in said), own)


def trusts(system: System) -> str:
    """The signers whose bundles this system accepts."""
    found = system.read_file(TRUSTS)
    return found.decode(errors="replace").strip() if found else "none: this system was built without a certificate"
