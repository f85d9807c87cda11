"""Properties that arrays of other systems can have and Lunette's never have, in words: reported as reasons against
adoption.

Attributes: drivers/md/md.c and md-bitmap.c (Linux 6.12). Firmware's own metadata: mdadm, external-reshape-design.txt.
"""

from collections.abc import Iterator, Mapping

from lunette.providers.arrays.md.parse import KernelArray
from lunette.providers.arrays.md.superblock import Superblock

_VERSIONS = ("", "1.1", "1.2")
"""Other versions are at the end of a disk, so that the content of the array also shows on each of its disks."""
_FLAGS = {"write-mostly": "write_mostly", "failfast": "failfast"}


def of_running(array: KernelArray) -> tuple[str, ...]:
    """Of a running array."""
    found = array.attributes
    version = found.get("metadata_version", "")
    words = list(_shape(found.get("level", ""), {one.device: one.flags for one in array.members}))
    if array.firmware:
        words.insert(0, f"is a volume of firmware RAID ({array.firmware}), which the firmware and its tools manage")
    elif not version.startswith("external:") and version not in _VERSIONS:
        words.insert(0, _old(version))
    if found.get("consistency_policy") == "journal" and not any("write journal" in one for one in words):
        words.append("has a write journal, which Lunette does not manage")
    if found.get("bitmap/location") == "file":
        words.append("has its write-intent bitmap in a file on another disk, which Lunette does not manage")
    if found.get("bitmap/metadata") == "clustered":
        words.append("is clustered: other machines may run it at the same time")
    return tuple(words)


def of_superblocks(blocks: Mapping[str, Superblock]) -> tuple[str, ...]:
    """Of an array that does not run, by the superblocks of its devices, at least one."""
    newest = max(blocks.values(), key=lambda block: block.events)
    flags = {
        device.rpartition("/")[2]: frozenset(block.flags | ({"journal"} if block.is_journal else set()))
        for device, block in blocks.items()
    }
    words = list(_shape(newest.level, flags))
    if newest.version not in _VERSIONS:
        words.insert(0, _old(newest.version))
    if newest.cluster:
        words.append("is clustered: other machines may run it at the same time")
    if newest.reshapes:
        words.append("is being reshaped: finish that on the system it comes from")
    return tuple(words)


def _old(version: str) -> str:
    return f"has superblocks of version {version}, but Lunette supports only version 1.2"


def _shape(level: str, flags: Mapping[str, frozenset[str]]) -> Iterator[str]:
    journals = [device for device, found in flags.items() if "journal" in found]
    if journals:
        yield f"has a write journal on {', '.join(sorted(journals))}, which Lunette does not manage"
    for word, flag in _FLAGS.items():
        marked = sorted(device for device, found in flags.items() if flag in found)
        if marked and not (flag == "write_mostly" and level == "raid1"):
            yield f"has {', '.join(marked)} marked as {word}, which Lunette does not support on {level or 'it'}"
