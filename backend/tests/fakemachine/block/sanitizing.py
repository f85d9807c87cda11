"""What hdparm 9.65 and sg3_utils 1.46 print of a drive that can sanitize itself, as far as used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from backend.tests.fakemachine.block.devices import FakeDisk
from backend.tests.fakemachine.md.manage import Answer

if TYPE_CHECKING:
    from backend.tests.fakemachine.block.drives import Health

COMMANDS = ("hdparm", "sg_inq", "sg_opcodes", "sg_requests", "sg_sanitize")
HOW = ("--sanitize-block-erase", "--sanitize-crypto-scramble", "--block", "--crypto")
_CRYPTO, _BLOCK = 1 << 0, 1 << 1
_RUNNING, _FAILED = 2, 3


def begins(argv: Sequence[str]) -> bool:
    """Whether the command starts a sanitize."""
    return any(word in HOW for word in argv)


def looks(argv: Sequence[str]) -> bool:
    """Whether the command asks how far it is."""
    return argv[0] == "sg_requests" or "--sanitize-status" in argv


def reported(argv: Sequence[str], disk: FakeDisk, health: Health) -> Answer:
    """What the tool says of the drive. A tool that speaks the other kind's language gets no answer."""
    if (argv[0] == "hdparm") != (disk.transport == "sata"):
        return 5, "", "bad/missing sense data\n"
    if looks(argv):
        return _status(health) if argv[0] == "hdparm" else _sense(health)
    match argv[0]:
        case "hdparm":
            return 0, _identity(disk, health), ""
        case "sg_inq":
            return 0, f"VPD INQUIRY: Unit serial number page\n  Unit serial number: {disk.serial}\n", ""
    offered = bool(health.sanicap & (_BLOCK if argv[1].endswith(",2") else _CRYPTO))
    said = "Command supported [conforming to SCSI standard]" if offered else "Command NOT supported"
    return 0, f"\n  Opcode=0x48\n  {said}\n", ""


def _identity(disk: FakeDisk, health: Health) -> str:
    words = [0] * 256
    serial = disk.serial.ljust(20)[:20].encode()
    words[10:20] = [int.from_bytes(serial[at : at + 2], "big") for at in range(0, 20, 2)]
    words[59] = (
        (bool(health.sanicap) << 12) | bool(health.sanicap & _CRYPTO) << 13 | bool(health.sanicap & _BLOCK) << 15
    )
    lines = [" ".join(f"{word:04x}" for word in words[at : at + 8]) for at in range(0, 256, 8)]
    return "\n".join([f"\n/dev/{disk.kernel_name}:", *lines, ""])


def _status(health: Health) -> Answer:
    if not health.sanicap:
        return 1, "SANITIZE feature set is not supported\n", ""
    if health.sanitized == _FAILED:
        return 5, "Issuing SANITIZE_STATUS command\n", "Drive in SD3 Sanitize Operation Failed state\n"
    state = "SD0 Sanitize Idle"
    if health.is_frozen:
        state = "SD1 Sanitize Frozen"
    more = "" if health.sanitized == 0 else "    Last Sanitize Operation Completed Without Error\n"
    if health.sanitized == _RUNNING:
        state, more = "SD2 Sanitize operation In Process", "    Progress: 0x7fff (50%)\n"
    return 0, f"Issuing SANITIZE_STATUS command\nSanitize status:\n    State:    {state}\n{more}", ""


def _sense(health: Health) -> Answer:
    words = {_RUNNING: (2, "Logical unit not ready, sanitize in progress"), _FAILED: (3, "Sanitize command failed")}
    code, said = words.get(health.sanitized, (0, "No additional sense information"))
    return code, f"Decode response as sense data:\nFixed format, current; Additional sense: {said}\n", ""
