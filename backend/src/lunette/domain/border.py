"""Types of data that crosses the border to root: every text in a request to the agent has one of these.

The agent joins such texts into paths of configfs and sysfs and into arguments of LVM, mdadm and ZFS, so none of them
can name another place or act as an option, even from a hostile sender. Each pattern matches the whole text (Python's
`$` would let a line break pass). Where older versions accepted more than the API does now, the types do too, because
present exports must be served again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import ip_address
from typing import Annotated, Literal

from pydantic import AfterValidator, Field


def _whole(pattern: str, expected: str) -> Callable[[str], str]:
    """A check that the whole text matches, which else raises ValueError telling what is expected."""
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if not compiled.fullmatch(value):
            raise ValueError(f"expected {expected}")
        return value

    return check


def _readable(value: str) -> str:
    if not value.isprintable():
        raise ValueError("expected printable characters without line breaks")
    return value


_FC_ADDRESS = re.compile(r"nn-0x[0-9a-f]{16}:pn-0x[0-9a-f]{16}")


def _address(value: str) -> str:
    if _FC_ADDRESS.fullmatch(value):
        return value
    try:
        ip_address(value)
    except ValueError:
        raise ValueError("expected an IPv4 or IPv6 address, or nn-0x…:pn-0x… over Fibre Channel") from None
    return value


_NAME = r"(?!\.{1,2}\Z)[A-Za-z0-9_.+][A-Za-z0-9_.+-]{0,126}"
"""What LVM allows in a name (lvm(8), VALID NAMES), which never begins with a hyphen; ZFS and md allow less."""

_NOT_GROUPS = "(?:zvol|mapper|md|disk|block|char|bsg|bus|cpu|dri|fd|input|net|nvme|pts|shm|snd|vfio|usb)"
"""Directories of /dev that are not volume groups."""

Id = Annotated[str, AfterValidator(_whole(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", "an id, such as a UUID"))]
"""The id of a row, a job or a start of the kernel: a UUID, but in tests."""
ArrayUuid = Annotated[str, AfterValidator(_whole(r"[A-Za-z0-9][A-Za-z0-9:_-]{0,63}", "the UUID of an array"))]
"""In md's form, a pool's guid, or the UUID in physical volumes."""
GroupName = Annotated[str, AfterValidator(_whole(_NAME, "the name of a volume group or pool"))]
BackingName = Annotated[str, AfterValidator(_whole(_NAME, "the name of a logical volume or zvol"))]
SnapshotName = Annotated[str, AfterValidator(_whole(rf"{_NAME}(@{_NAME})?", "the name of a snapshot"))]
"""A logical volume, or zvol@snapshot."""
MdName = Annotated[
    str, AfterValidator(_whole(rf"{_NAME}(:[A-Za-z0-9_.+-]{{1,64}})?", "md's name of an array, such as host:name"))
]
"""Alone, or behind its home host."""
DmName = Annotated[str, AfterValidator(_whole(_NAME, "the name of a device in /dev/mapper"))]
HostName = Annotated[str, AfterValidator(_whole(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", "a host name without a domain"))]
DiskId = Annotated[str, AfterValidator(_whole(r"(?![.-])[^\s/\x00-\x20\x7f]{1,255}", "the id of a disk"))]
"""As udev names it in /dev/disk/by-id; the agent looks it up among the present disks."""
Serial = Annotated[str, Field(max_length=255), AfterValidator(_readable)]
"""An identifier reported by the device; it is compared, and not part of any path."""
Text = Annotated[str, Field(max_length=1000), AfterValidator(_readable)]
"""A user-defined name, for messages; never part of a path or a command."""
Address = Annotated[str, Field(max_length=64), AfterValidator(_address)]
"""IPv4 or IPv6; over Fibre Channel both WWNs, as NVMe writes them (NVMe over Fabrics, transport address of FC)."""
DevicePath = Annotated[
    str,
    AfterValidator(
        _whole(rf"/dev/(zvol/)?(?!{_NOT_GROUPS}/){_NAME}/{_NAME}", "/dev/group/volume or /dev/zvol/pool/volume")
    ),
]
IscsiName = Annotated[
    str,
    AfterValidator(_readable),
    AfterValidator(
        _whole(r"(iqn|eui|naa)\.[^\s/\x00-\x20\x7f]{1,219}", "an iSCSI name, such as iqn.2026-01.com.example:a")
    ),
]
NvmeName = Annotated[
    str,
    AfterValidator(_readable),
    AfterValidator(_whole(r"nqn\.[^\s/\x00-\x20\x7f]{1,219}", "an NQN, such as nqn.2026-01.com.example:a")),
]
PortName = Annotated[
    str, AfterValidator(_whole(r"[0-9a-f]{2}(:[0-9a-f]{2}){7}", "a WWPN, such as 21:00:00:24:ff:00:00:01"))
]
HealthCommandName = Annotated[
    str, AfterValidator(_whole(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", "the name of a health command without a path"))
]
BackstorePath = Annotated[
    str, AfterValidator(_whole(r"core/[a-z]+_[0-9]{1,9}/(?!\.{1,2}\Z)[^\s/\x00-\x20\x7f]{1,255}", "core/hba/name"))
]
"""Below /sys/kernel/config/target."""
BackstoreAttribute = Literal[
    "emulate_3pc",
    "emulate_caw",
    "emulate_fua_write",
    "emulate_pr",
    "emulate_rest_reord",
    "emulate_rsoc",
    "emulate_tas",
    "emulate_tpu",
    "emulate_tpws",
    "emulate_ua_intlck_ctrl",
    "emulate_write_cache",
    "enforce_pr_isids",
    "is_nonrot",
    "max_unmap_block_desc_count",
    "max_unmap_lba_count",
    "max_write_same_len",
    "optimal_sectors",
    "unmap_granularity",
    "unmap_granularity_alignment",
    "unmap_zeroes_data",
]
"""Attributes of LIO's backstores that hosts may see and that can be set again."""
SubsystemAttribute = Literal[
    "attr_model",
    "attr_firmware",
    "attr_ieee_oui",
    "attr_version",
    "attr_qid_max",
    "attr_cntlid_min",
    "attr_cntlid_max",
]
"""Attributes of nvmet's subsystems that hosts may see and that can be set again, the serial aside."""
AttributeValue = Annotated[str, Field(max_length=512), AfterValidator(_readable)]
Hex = Annotated[str, AfterValidator(_whole(r"[0-9a-f]{1,64}", "hexadecimal digits"))]
LeftoverPath = Annotated[
    str,
    AfterValidator(
        _whole(
            r"(core/[a-z]+_[0-9]{1,9}|iscsi)/(?!\.{1,2}\Z)[^\s/\x00-\x20\x7f]{1,255}", "iscsi/target or core/hba/name"
        )
    ),
]
"""Below /sys/kernel/config/target."""
NvmeLeftoverPath = Annotated[
    str,
    AfterValidator(
        _whole(r"(subsystems|ports)/(?!\.{1,2}\Z)[^\s/\x00-\x20\x7f]{1,255}", "subsystems/nqn or ports/number")
    ),
]
"""Below /sys/kernel/config/nvmet."""
DraidLayout = Annotated[
    str, AfterValidator(_whole(r"draid[123](:[0-9]{1,4}[dcs]){0,3}", "the shape of a draid, such as draid1:2d:4c:1s"))
]
