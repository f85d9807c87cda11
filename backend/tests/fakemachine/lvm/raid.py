"""Groups over several disks with one RAID volume on them: what lvm2 2.03.31 and dm-raid do with it, as far as used.

What is on the disks lies on their labels (media.py) and outlives every boot; what is here is what the kernel runs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from backend.tests.fakemachine.block.devices import Blocks, Device, FakeDisk
from backend.tests.fakemachine.block.media import Media, PvLabel, RaidLv, RaidVg, lvm_uuid
from backend.tests.fakemachine.lvm.groups import PE_START, Lvm
from backend.tests.fakemachine.lvm.volumes import OK, fail, size_bytes
from backend.tests.fakemachine.md.manage import Answer

Options = dict[str, list[str]]
Row = dict[str, object]
SYNC_SECONDS = 30.0
"""How long a whole resync takes on the fake clock."""
COMMANDS = ("vgextend", "vgreduce", "dmsetup")


@dataclass
class RunningRaid:
    """A RAID volume that is active."""

    kernel_name: str
    dead: set[str] = field(default_factory=set)
    """UUIDs of the physical volumes whose images the kernel gave up."""
    action: str = "idle"
    started: float = 0.0


class LvmRaid:
    """State of RAID volumes, and the commands about them. `half_way` is called between two effects."""

    def __init__(self, blocks: Blocks, lvm: Lvm, half_way: Callable[[], None], now: Callable[[], float]) -> None:
        self._blocks, self._lvm, self._half_way, self._now = blocks, lvm, half_way, now
        self.running: dict[str, RunningRaid] = {}
        """By the name of the group."""
        lvm.at_boot.append(self.running.clear)

    def groups(self, *, listed: bool = True) -> dict[str, RaidVg]:
        """The groups LVM sees a disk of."""
        found = {}
        for disk, label in self._labels(listed=listed):
            if label.raid is not None and label.uuid in label.raid.pvs and disk.is_present:
                found[label.raid.name] = label.raid
        return found

    def _labels(self, *, listed: bool = True) -> list[tuple[FakeDisk, PvLabel]]:
        return [
            (disk, disk.media.pv)
            for disk in self._blocks.disks
            if disk.is_present and disk.media.pv and (not listed or self._lvm.is_listed(self._device(disk)))
        ]

    def _device(self, disk: FakeDisk) -> Device:
        return self._blocks.devices()[disk.kernel_name]

    def disk_of(self, pv_uuid: str, *, listed: bool = True) -> FakeDisk | None:
        return next((disk for disk, label in self._labels(listed=listed) if label.uuid == pv_uuid), None)

    def has_failed(self, kernel_name: str) -> bool:
        """True for a RAID volume that too many disks have left."""
        name = next((name for name, one in self.running.items() if one.kernel_name == kernel_name), None)
        group = self.groups(listed=False).get(name or "")
        if name is None:
            return False
        return group is None or group.lv is None or not self._survives(group.lv, self._gone(group))

    def _gone(self, group: RaidVg) -> set[str]:
        """The images without a disk that works, as the kernel has come to know them."""
        run, lv = self.running.get(group.name), group.lv
        if lv is None:
            return set()
        absent = {pv for pv in lv.images if self.disk_of(pv, listed=False) is None}
        if run is None:
            return absent
        run.dead |= absent
        return run.dead

    def _survives(self, lv: RaidLv, gone: set[str]) -> bool:
        bad = [slot for slot, pv in enumerate(lv.images) if pv in gone or pv not in lv.in_sync]
        if lv.level == "raid10":
            return not any({slot, slot + 1} <= {*bad} for slot in range(0, len(lv.images), 2))
        return len(bad) <= {"raid1": len(lv.images) - 1, "raid5": 1, "raid6": 2}[lv.level]

    def tick(self) -> None:
        """What the kernel has got done by now."""
        for group in self.groups(listed=False).values():
            run, lv = self.running.get(group.name), group.lv
            if run is None or lv is None:
                continue
            gone = self._gone(group)
            if run.action != "idle" and self._now() - run.started >= SYNC_SECONDS:
                lv.in_sync = set(lv.images) if run.action == "resync" else lv.in_sync | (set(lv.images) - gone)
                run.action = "idle"
            elif run.action == "idle" and set(lv.images) - gone - lv.in_sync:
                run.action, run.started = "recover", self._now()

    def pv_rows(self) -> list[Row]:
        """The disks of the groups, including missing ones; orphans are reported elsewhere."""
        rows: list[Row] = []
        for group in self.groups().values():
            for pv in group.pvs:
                disk = self.disk_of(pv)
                name = f"/dev/{disk.kernel_name}" if disk else "[unknown]"
                rows.append({"pv_name": name, "pv_uuid": pv, "vg_name": group.name, "vg_tags": sorted(group.tags)})
        return rows

    def lv_rows(self, tag: str) -> list[Row]:
        """`lvs --all` of groups with this tag."""
        self.tick()
        rows: list[Row] = []
        for group in self.groups().values():
            lv = group.lv
            if tag not in group.tags or lv is None:
                continue
            active = int(group.name in self.running)
            common: Row = {
                "vg_name": group.name,
                "lv_tags": [],
                "lv_size": str(lv.size),
                "lv_active": active,
                "segtype": "linear",
                "stripe_size": "0",
            }
            top = {"lv_name": lv.name, "lv_tags": sorted(lv.tags), "segtype": lv.level, "stripe_size": str(lv.chunk)}
            rows.append(common | top | {"devices": [f"{lv.name}_rimage_{n}(0)" for n in range(len(lv.images))]})
            for slot, pv in enumerate(lv.images):
                disk = self.disk_of(pv)
                place = f"/dev/{disk.kernel_name}(1)" if disk else "[unknown](1)"
                name = f"{lv.name}_rimage_{slot}"
                if lv.integrity:
                    rows.append(common | {"lv_name": f"[{name}]", "devices": [f"{name}_iorig(0)"]})
                    rows.append(common | {"lv_name": f"[{name}_iorig]", "devices": [place]})
                else:
                    rows.append(common | {"lv_name": f"[{name}]", "devices": [place]})
        return rows

    def create_group(self, options: Options, name: str, paths: list[str]) -> Answer:
        devices = [self._blocks.find(path) for path in paths]
        labels = [device.media.pv for device in devices if device and device.media and device.media.pv]
        if len(labels) != len(paths):
            return fail(f"No physical volume found on {paths[0]}.")
        if name in self.groups(listed=False) or any(label.raid or label.vg for label in labels):
            return fail(f"A volume group called {name} already exists, or a disk is in another.")
        group = RaidVg(name, lvm_uuid(), set(options.get("addtag", [])), [label.uuid for label in labels])
        for number, label in enumerate(labels):
            label.raid = group
            if number == 0:
                self._half_way()
        return 0, f'  Volume group "{name}" successfully created\n', ""

    def create_volume(self, options: Options, group: RaidVg, paths: list[str]) -> Answer:
        if group.lv is not None:
            return fail(f'Logical Volume "{group.lv.name}" already exists in volume group "{group.name}"')
        devices = [self._blocks.find(path) for path in paths]
        images = [device.media.pv.uuid for device in devices if device and device.media and device.media.pv]
        level, size = options["type"][-1], size_bytes(options["size"][-1])
        stripes = int(options.get("stripes", ["1"])[-1])
        mirrors = int(options.get("mirrors", ["0"])[-1])
        wanted = {"raid1": mirrors + 1, "raid10": stripes * 2, "raid5": stripes + 1, "raid6": stripes + 2}[level]
        smallest = min(device.media.size_bytes for device in devices if device and device.media)
        if wanted != len(images) or size // stripes + PE_START > smallest:
            return fail(f"Insufficient suitable allocatable extents for logical volume {options['name'][-1]}")
        chunk = size_bytes(options["stripesize"][-1]) if "stripesize" in options else 0
        checked = options.get("raidintegrity") == ["y"]
        group.lv = RaidLv(options["name"][-1], level, size, chunk, images, checked, Media(size), set(images))
        self._half_way()
        self._activate(group)
        self.running[group.name].action, self.running[group.name].started = "resync", self._now()
        return 0, f'  Logical volume "{group.lv.name}" created.\n', ""

    def set_active(self, options: Options, group: RaidVg) -> Answer:
        lv = group.lv
        if lv is None:
            return OK
        if options["activate"][-1] == "n":
            run = self.running.get(group.name)
            if run and self._blocks.is_open(run.kernel_name):
                return fail(f"Logical volume {group.name}/{lv.name} in use.")
            if run:
                del self._blocks.stacked[run.kernel_name], self.running[group.name]
            return OK
        lost = {pv for pv in lv.images if self.disk_of(pv) is None}
        if lost and options.get("activationmode") != ["degraded"] and not lost.isdisjoint(group.pvs):
            return fail(f"Refusing activation of partial LV {group.name}/{lv.name}.")
        if lost and lv.integrity and not lost.isdisjoint(group.pvs):
            return fail("Integrity must be removed before degraded or partial activation of raid.")
        if not self._survives(lv, lost):
            return fail(f"Refusing activation of partial LV {group.name}/{lv.name}. Too many images are missing.")
        if group.name not in self.running:
            self._activate(group)
        return OK

    def _activate(self, group: RaidVg) -> None:
        if group.lv is None:
            return
        name = next(f"dm-{n}" for n in range(500, 10_000) if f"dm-{n}" not in self._blocks.stacked)
        mapped = "-".join(part.replace("-", "--") for part in (group.name, group.lv.name))
        links = [f"/dev/{group.name}/{group.lv.name}", f"/dev/mapper/{mapped}"]
        below = [disk.kernel_name for pv in group.lv.images if (disk := self.disk_of(pv))]
        self._blocks.stacked[name] = Device(name, "raid", group.lv.size, links, below, group.lv.media)
        self.running[group.name] = RunningRaid(name)
        group.lv.in_sync -= self._gone(group)

    def change(self, options: Options, group: RaidVg) -> Answer:
        lv, run = group.lv, self.running.get(group.name)
        if lv is None:
            return fail(f'Failed to find logical volume "{group.name}"')
        lv.tags |= set(options.get("addtag", []))
        if "syncaction" in options:
            word = options["syncaction"][-1]
            if lv.integrity and word == "repair":
                return fail("Use syncaction check to detect and correct integrity checksum mismatches.")
            if run is None or run.action != "idle":
                return fail(f"{group.name}/{lv.name} is not idle.")
            run.action, run.started = word, self._now()
        return self.set_active(options, group) if "activate" in options else OK

    def convert(self, options: Options, group: RaidVg, paths: list[str]) -> Answer:
        """The place of an image goes to another disk of the group, and is filled."""
        self.tick()
        lv, run = group.lv, self.running.get(group.name)
        if lv is None or run is None:
            return fail(f"{group.name} must be active to perform this operation.")
        if run.action != "idle":
            return fail("Unable to replace devices while it is not in-sync.")
        device = self._blocks.find(paths[-1])
        new = device.media.pv.uuid if device and device.media and device.media.pv else ""
        if "replace" in options:
            named = self._blocks.find(options["replace"][-1])
            old = named.media.pv.uuid if named and named.media and named.media.pv else ""
        else:
            old = next((pv for pv in lv.images if pv not in group.pvs or self.disk_of(pv) is None), "")
        if old not in lv.images or new not in group.pvs or new in lv.images:
            return fail(f"{group.name}/{lv.name} does not contain devices specified to replace.")
        lv.images[lv.images.index(old)] = new
        lv.in_sync.discard(old)
        run.dead.discard(old)
        below = [disk.kernel_name for pv in lv.images if (disk := self.disk_of(pv))]
        self._blocks.stacked[run.kernel_name].below = below
        run.action, run.started = "recover", self._now()
        self._half_way()
        return 0, f"  Faulty devices in {group.name}/{lv.name} successfully replaced.\n", ""

    def extend(self, group: RaidVg, path: str) -> Answer:
        device = self._blocks.find(path)
        label = device.media.pv if device and device.media else None
        if label is None or label.raid or label.vg:
            return fail(f"{path} is no free physical volume.")
        label.raid = group
        group.pvs.append(label.uuid)
        return OK

    def reduce(self, options: Options, group: RaidVg, paths: list[str]) -> Answer:
        images = group.lv.images if group.lv else []
        if "removemissing" in options:
            lost = [pv for pv in group.pvs if self.disk_of(pv) is None]
            if "force" not in options and set(lost) & set(images):
                return fail(f"There are still partial LVs in VG {group.name}.")
            group.pvs = [pv for pv in group.pvs if pv not in lost]
            return OK
        device = self._blocks.find(paths[0])
        label = device.media.pv if device and device.media else None
        if label is None or label.raid is not group or label.uuid in images:
            return fail(f"Physical Volume {paths[0]} still in use")
        group.pvs.remove(label.uuid)
        self._half_way()
        label.raid = None
        return OK

    def remove_group(self, options: Options, group: RaidVg) -> Answer:
        run = self.running.get(group.name)
        if run is not None or (group.lv is not None and "force" not in options):
            return fail(f"Logical volume {group.name} is active, or there are volumes: not removed.")
        if any(self.disk_of(pv) is None for pv in group.pvs):
            return fail(f"Volume group {group.name} has missing physical volumes.")
        group.lv = None
        self._half_way()
        for _, label in self._labels(listed=False):
            if label.raid is group:
                label.raid = None
        return OK

    def dmsetup(self, argv: list[str]) -> Answer:
        self.tick()
        if argv[1] == "message":
            for group in self.groups(listed=False).values():
                run = self.running.get(group.name)
                if run and argv[2] in self._blocks.stacked[run.kernel_name].links[1]:
                    run.action = "idle"
            return OK
        return 0, "".join(f"{line}\n" for line in self._status()), ""

    def _status(self) -> list[str]:
        lines = []
        for group in self.groups(listed=False).values():
            run, lv = self.running.get(group.name), group.lv
            if run is None or lv is None:
                continue
            gone = self._gone(group)
            letters = "".join(
                "D" if pv in gone else "a" if pv not in lv.in_sync or run.action == "resync" else "A"
                for pv in lv.images
            )
            total = lv.size // 512
            share = min(1.0, (self._now() - run.started) / SYNC_SECONDS) if run.action != "idle" else 1.0
            name = self._blocks.stacked[run.kernel_name].links[1].rpartition("/")[2]
            words = (
                f"{lv.level} {len(lv.images)} {letters} {int(total * share)}/{total} {run.action} {lv.mismatches} 0 -"
            )
            lines.append(f"{name}: 0 {total} raid {words}")
            if lv.integrity:
                lines += [
                    f"{name}_rimage_{slot}: 0 {total} integrity {lv.repaired.get(pv, 0)} {total} -"
                    for slot, pv in enumerate(lv.images)
                ]
        return lines
