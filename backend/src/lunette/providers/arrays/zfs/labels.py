"""Traces of ZFS on a disk: a partition table with two partitions, and on the first of them the label of its pool.

Only labels of a pool of Lunette are ever cleared, and only after they were read.
"""

from lunette.domain.base import Model
from lunette.domain.disks import ObservedDisk, Signature
from lunette.domain.errors import ToolFailed
from lunette.providers.arrays.zfs.plan import device_path
from lunette.providers.disks.inventory import UNREADABLE, read_signatures, settle
from lunette.providers.reading import document, reader, rows, text_of
from lunette.system.system_port import System


class Label(Model):
    """The pool that a disk claims to belong to.

    A cache disk and an unused spare name none (vdev_aux_label_generate, module/zfs/vdev_label.c), and hold no data that
    is not elsewhere.
    """

    pool: str
    guid: str

    @property
    def is_nameless(self) -> bool:
        return not self.pool


def read(system: System, disk_id: str) -> Label | None:
    """The label on a disk; None if it has none, or is missing. Raises ToolFailed if it cannot be read."""
    path = device_path(disk_id)
    if not system.exists(path):
        return None
    label = next((carried for carried in _carried(system, disk_id) if carried.type == "zfs_member"), None)
    return Label(pool=label.label or "", guid=label.uuid or "") if label else None


def is_bare(system: System, disk: ObservedDisk) -> bool:
    """True if a disk carries only the partitions that libzfs creates: a creation or a clearing was interrupted."""
    path = device_path(disk.id)
    if disk.partitions != 2 or {s.type for s in disk.signatures} - {"gpt", "PMBR"} or not system.exists(path):
        return False
    device = system.realpath(path)
    return are_of_libzfs(system.run(["lsblk", "-J", "-o", "NAME,PARTLABEL", device]).stdout) and not _carried(
        system, disk.id
    )


@reader("lsblk")
def are_of_libzfs(text: str) -> bool:
    """True if libzfs gave the partitions their labels, as `lsblk -J -o NAME,PARTLABEL` tells."""
    return all(text_of(entry["partlabel"] or "").startswith("zfs-") for entry in rows(document(text)["blockdevices"]))


def _carried(system: System, disk_id: str) -> list[Signature]:
    """The content of the data partition. An unreadable disk does not count as an empty one."""
    found = read_signatures(system, [system.realpath(device_path(disk_id))])
    carried = [signature for signatures in found.values() for signature in signatures]
    if any(signature.type == UNREADABLE for signature in carried):
        raise ToolFailed(
            f"disk {disk_id} cannot be read, so its content is unknown: try again, or remove it first",
            log=carried[0].label or "",
        )
    return carried


def clear(system: System, disk: ObservedDisk, pool: str, guid: str | None, *, is_nameless: bool = False) -> bool:
    """Make a disk blank that carries a label of this pool, or only ZFS's partitions; returns whether it did.

    With a `guid` the label must contain that too: a pool of the same name is another system's copy. `is_nameless`: the
    disk is this pool's for its cache or as a spare, or recorded as this pool's, so a label without a pool belongs to it
    too.
    """
    label = read(system, disk.id)
    is_own = label is not None and label.pool == pool and guid in (None, label.guid)
    if label is not None and not is_own and not (is_nameless and label.is_nameless):
        return False
    if label is None and not is_bare(system, disk):
        return False
    if label is not None:
        system.run(["zpool", "labelclear", "-f", "--", device_path(disk.id)], timeout_s=180)
    system.run(["wipefs", "--all", "--", disk.device])
    settle(system)
    if system.exists(device_path(disk.id)):  # a killed wipefs removed the table, and left the kernel its partitions
        system.run(["blockdev", "--rereadpt", disk.device])
        settle(system)
    return True
