"""The mdadm command, as far as the product uses it, with the words and exit codes of mdadm 4.4."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from backend.tests.fakemachine.block.devices import Blocks, Device, FakeDisk
from backend.tests.fakemachine.block.media import Geometry, Superblock
from backend.tests.fakemachine.md.grow import Grow
from backend.tests.fakemachine.md.kernel import Md, RunningArray, enough
from backend.tests.fakemachine.md.manage import Answer, Manage

_RESERVE_KIB = 130 * 1024
"""What 1.2 metadata keeps at the head of a large drive (data offset), so that a size can be too large."""


class Mdadm:
    """Runs one mdadm command line against the fake machine."""

    def __init__(self, blocks: Blocks, md: Md, half_way: Callable[[], None], now: Callable[[], float]) -> None:
        self._blocks, self._md = blocks, md
        self._half_way, self._now = half_way, now
        self._manage = Manage(blocks, md, half_way, now)
        self._grow = Grow(blocks, md, half_way, now)

    def run(self, argv: Sequence[str]) -> Answer:
        """Exit code, stdout, stderr."""
        options, words = _parse(argv[1:])
        for mode, handler in (
            ("create", self._create),
            ("assemble", self._assemble),
            ("stop", self._stop),
            ("examine", self._examine),
            ("detail", self._detail),
            ("zero-superblock", self._zero),
            ("manage", self._manage.run),
            ("grow", self._grow.run),
            ("readonly", self._set_read_only),
            ("readwrite", self._set_read_only),
        ):
            if mode in options:
                return handler(options, words)
        return 2, "", f"mdadm: the fake does not know {' '.join(argv)}\n"

    def _create(self, options: dict[str, str], words: list[str]) -> Answer:
        target, paths = words[0], words[1:]
        if int(options["raid-devices"]) + int(options.get("spare-devices", "0")) != len(paths):
            return 2, "", f"mdadm: You have listed {len(paths)} devices (raid-devices: {options['raid-devices']}).\n"
        if "run" not in options:
            return 1, "", "mdadm: create aborted.\n"
        disks: list[FakeDisk] = []
        for path in paths:
            device = self._blocks.find(path)
            if device is None or device.disk is None:
                return 1, "", f"mdadm: cannot open {path}: No such file or directory\n"
            if self._blocks.is_held(device.kernel_name):
                return 2, "", f"mdadm: cannot open {path}: Device or resource busy\n"
            size_kib = int(options.get("size", "0"))
            if size_kib + 1024 > device.size_bytes // 1024:
                return 2, "", f"mdadm: {path} is smaller than given size. {device.size_bytes // 1024}K < {size_kib}K\n"
            disks.append(device.disk)
        if self._blocks.find(target):
            return 2, "", f"mdadm: {target} exists and is not an md array.\n"
        geometry = _geometry(options, disks)
        self._md.write_superblocks(geometry, disks, self._half_way, force="force" in options)
        self._md.start(geometry, disks, self._now(), self._half_way)
        return 0, "", f"mdadm: array {target} started.\n"

    def _assemble(self, options: dict[str, str], words: list[str]) -> Answer:
        target, paths = words[0], words[1:]
        wanted = options.get("uuid", "").replace(":", "")
        found: list[FakeDisk] = []
        words_said = ""
        for path in paths:
            device = self._blocks.find(path)
            superblock = device.media.superblock if device and device.media else None
            if device is None or device.disk is None:
                words_said += f"mdadm: cannot open device {path}: No such file or directory\n"
            elif superblock is None or (wanted and superblock.geometry.uuid != wanted):
                words_said += f"mdadm: {path} has wrong uuid.\n"
            elif self._blocks.is_held(device.kernel_name):
                words_said += f"mdadm: {path} is busy - skipping\n"
            else:
                found.append(device.disk)
        return self._start(target, _freshest(found), options, words_said)

    def _start(self, target: str, found: list[FakeDisk], options: dict[str, str], said: str) -> Answer:
        blocks = [disk.media.superblock for disk in found if disk.media.superblock]
        if not blocks:
            return 1, "", f"{said}mdadm: no recogniseable superblock or no devices found for {target}\n"
        geometry = blocks[0].geometry
        active = [(block, block.slot) for block in blocks if block.slot is not None and not block.is_replacement]
        slots = {slot for _, slot in active}
        good = {slot for block, slot in active if block.in_sync}
        needed = max(len(block.alive) for block in blocks)
        count = f"mdadm: {target} assembled from {len(good)} drive{'s' if len(good) != 1 else ''}"
        if not enough(geometry, good):
            return 1, "", f"{said}{count} - not enough to start the array.\n"
        if len(slots) < needed and "run" not in options:
            return 1, "", f"{said}{count} - need {needed} to start (use --run to insist).\n"
        is_dirty = geometry.level in ("raid4", "raid5", "raid6") and not all(block.is_clean for block in blocks)
        if is_dirty and geometry.policy != "ppl" and len(good) < geometry.raid_disks and "force" not in options:
            return 1, "", f"{said}mdadm: failed to RUN_ARRAY {target}: Input/output error\n"
        if options.get("update") == "homehost":
            geometry = self._rename(found, f"{options['homehost']}:{geometry.name.rpartition(':')[2]}")
        self._md.start(geometry, found, self._now(), self._half_way, read_only="readonly" in options)
        return 0, "", f"{said}mdadm: {target} has been started with {len(good)} drives.\n"

    def _rename(self, disks: list[FakeDisk], name: str) -> Geometry:
        """Each superblock separately, as mdadm writes them: a power cut can occur between two."""
        for number, disk in enumerate(disks):
            if disk.media.superblock:
                if number == 1:
                    self._half_way()
                disk.media.superblock.geometry = replace(disk.media.superblock.geometry, name=name)
        return next(disk.media.superblock.geometry for disk in disks if disk.media.superblock)

    def _running(self, path: str) -> tuple[Device, RunningArray] | None:
        device = self._blocks.find(path)
        if device is None or device.kernel_name not in self._md.arrays:
            return None
        return device, self._md.arrays[device.kernel_name]

    def _stop(self, options: dict[str, str], words: list[str]) -> Answer:
        for path in words:
            running = self._running(path)
            if running is None:
                return 1, "", f"mdadm: error opening {path}: No such file or directory\n"
            device, array = running
            if self._blocks.is_held(device.kernel_name):
                return (
                    1,
                    "",
                    (
                        f"mdadm: Cannot get exclusive access to {path}:Perhaps a running process, mounted filesystem "
                        "or active volume group?\n"
                    ),
                )
            self._md.stop(array)
        return 0, "", "".join(f"mdadm: stopped {path}\n" for path in words)

    def _set_read_only(self, options: dict[str, str], words: list[str]) -> Answer:
        running = self._running(words[0])
        if running is None:
            return 1, "", f"mdadm: error opening {words[0]}: No such file or directory\n"
        device, array = running
        if "readwrite" in options:
            self._md.write_again(array, self._now())
        elif self._blocks.is_held(device.kernel_name):
            return 1, "", f"mdadm: failed to set readonly for {words[0]}: Device or resource busy\n"
        array.is_read_only = "readonly" in options
        return 0, "", ""

    def _examine(self, options: dict[str, str], words: list[str]) -> Answer:
        device = self._blocks.find(words[0])
        if device is None:
            return 1, "", f"mdadm: cannot open {words[0]}: No such file or directory\n"
        superblock = device.media.superblock if device.media else None
        if superblock is None:
            return 1, "", f"mdadm: No md superblock detected on {words[0]}.\n"
        return 0, _export(superblock) if "export" in options else _examine_text(words[0], superblock), ""

    def _detail(self, options: dict[str, str], words: list[str]) -> Answer:
        running = self._running(words[0])
        if running is None:
            return 1, "", f"mdadm: cannot open {words[0]}: No such file or directory\n"
        geometry = running[1].geometry
        lines = [
            f"MD_LEVEL={geometry.level}",
            f"MD_DEVICES={geometry.raid_disks}",
            "MD_METADATA=1.2",
            f"MD_UUID={geometry.colons()}",
            f"MD_DEVNAME={geometry.name.rpartition(':')[2]}",
            f"MD_NAME={geometry.name}",
        ]
        for slot, member in running[1].members.items():
            name = member.disk.kernel_name
            role = str(slot) if member.superblock.in_sync else "spare"
            lines += [f"MD_DEVICE_dev_{name}_ROLE={role}", f"MD_DEVICE_dev_{name}_DEV=/dev/{name}"]
        return 0, "\n".join(lines) + "\n", ""

    def _zero(self, options: dict[str, str], words: list[str]) -> Answer:
        for index, path in enumerate(words):
            device = self._blocks.find(path)
            if device is None or device.media is None or self._blocks.is_held(device.kernel_name):
                return 2, "", f"mdadm: Couldn't open {path} for write - not zeroing\n"
            if device.media.superblock is None:
                return 0, "", f"mdadm: Unrecognised md component device - {path}\n"
            device.media.superblock = None
            if index == 0:
                self._half_way()
        return 0, "", ""


def _freshest(found: list[FakeDisk]) -> list[FakeDisk]:
    """Disks whose event count is at most one behind: older ones were thrown out while the array ran."""
    blocks = [disk.media.superblock for disk in found if disk.media.superblock]
    newest = max((block.events for block in blocks), default=0)
    return [d for d in found if d.media.superblock and d.media.superblock.events >= newest - 1]


def _geometry(options: dict[str, str], disks: list[FakeDisk]) -> Geometry:
    level = options["level"] if options["level"].startswith("raid") else f"raid{options['level']}"
    size_kib = int(options.get("size", "0")) or min(d.media.size_bytes for d in disks) // 1024 - _RESERVE_KIB
    bitmap = options.get("bitmap", "none") != "none"
    policy = options.get("consistency-policy") or ("bitmap" if bitmap else "resync")
    return Geometry(
        uuid=options["uuid"].replace(":", ""),
        name=f"{options.get('homehost', 'fake')}:{options['name']}",
        level=level,
        raid_disks=int(options["raid-devices"]),
        chunk_kib=0 if level == "raid1" else int(options.get("chunk", "512")),
        component_kib=size_kib,
        policy="none" if level == "raid0" else policy,
        layout=_layout(options.get("layout", "n2")) if level == "raid10" else 2,
    )


def _layout(word: str) -> int:
    copies = int(word[1:])
    return {"n": 0x100 + copies, "f": 1 + (copies << 8), "o": 0x10001 + (copies << 8)}[word[0]]


def _export(superblock: Superblock) -> str:
    geometry = superblock.geometry
    return (
        f"MD_LEVEL={geometry.level}\nMD_DEVICES={geometry.raid_disks}\nMD_NAME={geometry.name}\n"
        f"MD_ARRAY_SIZE={geometry.size_kib() / 1024 / 1024:.2f}GiB\nMD_UUID={geometry.colons()}\n"
        f"MD_UPDATE_TIME=1700000000\nMD_DEV_UUID={superblock.device_uuid}\nMD_EVENTS={superblock.events}\n"
    )


def _examine_text(path: str, superblock: Superblock) -> str:
    geometry, size = superblock.geometry, superblock.geometry.component_kib
    word = "Replacement" if superblock.is_replacement else "Active"
    role = "spare" if superblock.slot is None else f"{word} device {superblock.slot}"
    state = "".join("A" if slot in superblock.alive else "." for slot in range(geometry.raid_disks))
    cleanness = "clean" if superblock.is_clean else "active"
    filled = "" if superblock.in_sync or superblock.slot is None else "Recovery Offset : 0 sectors\n"
    log = "\n            PPL : 2048 sectors at offset 8 sectors from superblock\n" if geometry.policy == "ppl" else ""
    return (
        f"{path}:\n          Magic : a92b4efc\n        Version : 1.2\n    Feature Map : 0x1\n"
        f"     Array UUID : {geometry.colons()}\n           Name : {geometry.name}  (local to host lunette)\n"
        f"  Creation Time : Sat Nov 21 03:00:00 2026\n     Raid Level : {geometry.level}\n"
        f"   Raid Devices : {geometry.raid_disks}\n\n Avail Dev Size : {size * 2} sectors\n"
        f"     Array Size : {geometry.size_kib()} KiB\n    Data Offset : {superblock.data_offset} sectors\n"
        f"   Super Offset : 8 sectors\n{filled}"
        f"   Unused Space : before={superblock.data_offset - 80} sectors, after=0 sectors\n"
        f"          State : {cleanness}\n    Device UUID : {superblock.device_uuid}\n"
        f"{log}         Events : {superblock.events}\n"
        f"\n     Chunk Size : {geometry.chunk_kib}K\n\n   Device Role : {role}\n"
        f"   Array State : {state} ('A' == active, '.' == missing, 'R' == replacing)\n"
    )


def _parse(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Long options with `=` (a bare one is empty), and the other words in order."""
    short = {"-R": "run", "-S": "stop", "-E": "examine", "-D": "detail", "-A": "assemble", "-C": "create"}
    options: dict[str, str] = {}
    rest: list[str] = []
    for word in words:
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            options[name] = value
        elif word in short:
            options[short[word]] = ""
        else:
            rest.append(word)
    return options, rest
