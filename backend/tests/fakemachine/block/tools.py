"""lsblk, wipefs, blkid, blockdev, udevadm and sync of util-linux 2.41, systemd 257 and coreutils, as far as used."""

import json
from collections.abc import Callable, Mapping, Sequence

from backend.tests.fakemachine.block.devices import Blocks, Device, FakeDisk, Partition
from backend.tests.fakemachine.md.kernel import Md
from backend.tests.fakemachine.md.manage import Answer

Row = dict[str, object]
COMMANDS = ("lsblk", "wipefs", "blkid", "blockdev", "udevadm", "sync")


class BlockTools:
    """Runs one command line against the block layer."""

    def __init__(self, blocks: Blocks, md: Md, half_way: Callable[[], None]) -> None:
        self._blocks, self._md, self._half_way = blocks, md, half_way

    def run(self, argv: Sequence[str]) -> Answer:
        """Exit code, stdout, stderr."""
        match argv[0]:
            case "lsblk":
                return self._lsblk(argv[1:])
            case "wipefs":
                return self._wipefs(argv[1:])
            case "blkid":
                return self._blkid(argv[-1])
            case "blockdev":
                return self._reread(argv[-1])
            case "sync":
                lost = [path for path in argv[1:] if path != "--" and self._blocks.find(path) is None]
                return (1, "", f"sync: error opening '{lost[0]}': No such file or directory\n") if lost else (0, "", "")
        return 0, "", ""

    def _lsblk(self, words: Sequence[str]) -> Answer:
        paths = [word for word in words if word.startswith("/dev/")]
        devices = [self._blocks.find(path) for path in paths]
        lost = "".join(
            f"lsblk: {path}: not a block device\n"
            for path, device in zip(paths, devices, strict=True)
            if device is None
        )
        code = 0 if not lost else 64 if any(devices) else 32
        known = self._blocks.devices()
        tops = [d for d in devices if d] if paths else [d for d in known.values() if d.kind in ("disk", "zvol")]
        orphans = [] if paths else [d for d in known.values() if d.kind == "md" and not self._live(d)]
        rows = [self._tree(device, known) for device in [*tops, *orphans]]
        if "-d" in words:
            rows = [{key: value for key, value in row.items() if key != "children"} for row in rows]
        return code, json.dumps({"blockdevices": rows}), lost

    def _live(self, device: Device) -> bool:
        return any(self._blocks.disk(name) for name in device.below)

    def _tree(self, device: Device, known: Mapping[str, Device], parent: str | None = None) -> Row:
        row = _row(device.kernel_name, device.size_bytes, parent)
        row["maj:min"] = self._blocks.number(device.kernel_name)
        children: list[Row] = []
        if device.disk:
            row |= _disk_facts(device.disk)
            children = [self._partition(device.disk, partition, known) for partition in device.disk.partitions]
        elif device.kind == "part":
            row |= {"type": "part", "partlabel": self._part_label(device)}
        elif device.kind == "md":
            array = self._md.arrays[device.kernel_name]
            row |= {"type": array.geometry.level, "uuid": None}
        elif device.kind != "zvol":
            name = next(link for link in device.links if "/mapper/" in link).split("/")[-1]
            row |= {"type": "crypt" if device.kind == "crypt" else "lvm", "name": name}
            row["path"] = f"/dev/mapper/{row['name']}"
        signatures = device.media.all_signatures() if device.media else []
        if signatures and signatures[0].usage != "partition-table":
            first = signatures[0]
            row |= {"fstype": first.type, "label": first.label, "uuid": first.uuid}
        elif signatures:
            row |= {"pttype": signatures[0].type, "ptuuid": signatures[0].uuid}
        above = [self._tree(known[name], known, device.kernel_name) for name in self._blocks.above(device.kernel_name)]
        if children or above:
            row["children"] = [*children, *above]
        return row

    def _part_label(self, device: Device) -> str | None:
        parts = {disk.partition_name(part.number): part for disk in self._blocks.disks for part in disk.partitions}
        return parts[device.kernel_name].label

    def _partition(self, disk: FakeDisk, partition: Partition, known: Mapping[str, Device]) -> Row:
        device = known[disk.partition_name(partition.number)]
        mounts = [partition.mount]
        row = self._tree(device, known, disk.kernel_name)
        return row | {"type": "part", "mountpoints": mounts, "mountpoint": mounts[0]}

    def _wipefs(self, words: Sequence[str]) -> Answer:
        answers = [self._wipefs_one(words, word) for word in words if word.startswith("/")]
        code, said, errors = max(a[0] for a in answers), [a[1] for a in answers], "".join(a[2] for a in answers)
        if "--json" not in words and "-J" not in words:
            return code, "".join(said), errors
        rows = [row for text in said for row in (json.loads(text) if text else [])]
        return code, json.dumps({"signatures": rows}) if rows else "", errors

    def _wipefs_one(self, words: Sequence[str], path: str) -> Answer:
        device = self._blocks.find(path)
        if device is None or device.media is None:
            return 1, "", f"wipefs: error: {path}: probing initialization failed: No such file or directory\n"
        found = device.media.all_signatures()
        if "--all" in words or "-a" in words:
            if self._blocks.is_held(device.kernel_name) and "--force" not in words:
                return 1, "", f"wipefs: error: {path}: probing initialization failed: Device or resource busy\n"
            said = ""
            for signature in [] if "--no-act" in words or "-n" in words else found:
                device.media.wipe(signature)
                said += f"{path}: bytes were erased at offset 0x{signature.offset:08x} ({signature.type})\n"
                self._half_way()
            if device.disk and any(s.usage == "partition-table" for s in found):
                device.disk.partitions.clear()
            return 0, said, ""
        rows = [
            {"device": device.kernel_name, "offset": hex(s.offset), "type": s.type, "uuid": s.uuid, "label": s.label}
            for s in found
        ]
        return 0, json.dumps(rows), ""

    def _reread(self, path: str) -> Answer:
        """`blockdev --rereadpt`: partitions that no table names are gone."""
        device = self._blocks.find(path)
        disk = device.disk if device else None
        if device is None or disk is None or self._blocks.is_held(device.kernel_name):
            return 1, "", "blockdev: ioctl error on BLKRRPART: Device or resource busy\n"
        if not any(s.usage == "partition-table" for s in disk.media.all_signatures()):
            disk.partitions.clear()
        return 0, "", ""

    def _blkid(self, path: str) -> Answer:
        device = self._blocks.find(path)
        signatures = device.media.all_signatures() if device and device.media else []
        if not signatures:
            return 2, "", ""
        first = signatures[0]
        facts = {"DEVNAME": path, "UUID": first.uuid, "LABEL": first.label}
        if first.usage == "partition-table":
            facts |= {"UUID": None, "PTUUID": first.uuid, "PTTYPE": first.type}
        else:
            facts |= {"UUID_SUB": device.media.member_of(first) if device and device.media else None}
            facts |= {"TYPE": first.type, "USAGE": first.usage}
        return 0, "".join(f"{key}={value}\n" for key, value in facts.items() if value), ""


def _row(name: str, size_bytes: int, parent: str | None) -> Row:
    nothing = (
        "fsavail",
        "fssize",
        "fstype",
        "fsused",
        "fsuse%",
        "fsver",
        "mountpoint",
        "label",
        "uuid",
        "ptuuid",
        "pttype",
        "parttype",
        "parttypename",
        "partlabel",
        "partuuid",
        "partflags",
        "model",
        "serial",
        "state",
        "hctl",
        "tran",
        "wwn",
        "vendor",
        "rev",
    )
    row: Row = dict.fromkeys(nothing)
    return row | {
        "name": name,
        "kname": name,
        "path": f"/dev/{name}",
        "mountpoints": [None],
        "ra": 128,
        "ro": False,
        "rm": False,
        "hotplug": False,
        "size": size_bytes,
        "owner": "root",
        "group": "disk",
        "mode": "brw-rw----",
        "alignment": 0,
        "min-io": 512,
        "opt-io": 0,
        "phy-sec": 512,
        "log-sec": 512,
        "rota": False,
        "sched": "none",
        "rq-size": 128,
        "type": "disk",
        "disc-aln": 0,
        "disc-gran": 512,
        "disc-max": 2147450880,
        "disc-zero": False,
        "wsame": 0,
        "rand": False,
        "pkname": parent,
        "subsystems": "block",
        "zoned": "none",
        "dax": False,
    }


def _disk_facts(disk: FakeDisk) -> Row:
    mounts: list[str | None] = ["[SWAP]"] if disk.is_swap else [disk.mount]
    is_scsi = disk.transport not in ("nvme", "virtio")
    bus = {"nvme": "block:nvme:pci", "virtio": "block:virtio:pci"}.get(disk.transport, "block:scsi:pci")
    return {
        "model": disk.model,
        "serial": disk.serial,
        "wwn": disk.wwn,
        "rota": disk.rotational,
        "rev": "1.0",
        "tran": None if disk.transport == "virtio" else disk.transport,
        "mountpoints": mounts,
        "mountpoint": mounts[0],
        "log-sec": disk.logical_block_bytes,
        "phy-sec": disk.physical_block_bytes,
        "state": "live",
        "vendor": "FAKE" if is_scsi else None,
        "hctl": "0:0:0:0" if is_scsi else None,
        "subsystems": bus,
    }
