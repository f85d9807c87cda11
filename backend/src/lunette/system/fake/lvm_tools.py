"""The commands of lvm2 2.03.31 that change something, with its words and exit codes, as far as we use them."""

from collections.abc import Callable, Sequence

from lunette.system.fake.block import Blocks, Device
from lunette.system.fake.lvm import Lvm, LvView, dm_safe
from lunette.system.fake.lvm_report import report
from lunette.system.fake.mdadm_manage import Answer
from lunette.system.fake.media import Lv, PvLabel, Vg, lvm_uuid

OK: Answer = (0, "", "")
_UNITS = {"b": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4, "s": 512}
_SHORT = {
    "-y": "yes", "-n": "name", "-L": "size", "-l": "extents", "-s": "physicalextentsize", "-o": "options",
    "-S": "select", "-W": "wipesignatures", "-Z": "zero", "-f": "force", "-a": "activate",
}  # fmt: skip
_BARE = {"yes", "force", "nosuffix", "noheadings", "binary", "all", "readonly", "help", "sysinit"}
COMMANDS = (
    "pvcreate", "pvremove", "vgcreate", "vgremove", "vgchange", "lvcreate", "lvremove", "lvchange", "lvm",
    "pvs", "vgs", "lvs",
)  # fmt: skip


class LvmTools:
    """Runs one LVM command line."""

    def __init__(self, blocks: Blocks, lvm: Lvm, half_way: Callable[[], None]) -> None:
        self._blocks, self._lvm, self._half_way = blocks, lvm, half_way

    def run(self, argv: Sequence[str]) -> Answer:
        """Exit code, stdout, stderr."""
        if argv[0] == "lvm":  # the way to commands that Debian 13 gives no name of their own, such as lvmdevices
            argv = argv[1:]
        command = argv[0]
        options, words = parse(argv[1:])
        match command:
            case "pvs" | "vgs" | "lvs":
                return report(self._lvm, command, options, words)
            case "pvcreate":
                return self._pvcreate(options, words[0])
            case "pvremove":
                return self._pvremove(words[0])
            case "vgcreate":
                return self._vgcreate(options, words[0], words[1])
            case "vgremove":
                return self._vgremove(options, words[0])
            case "vgchange":
                return self._vgchange(options, words)
            case "lvcreate":
                return self._lvcreate(options, words[0])
            case "lvremove":
                return _each(words, self._lvremove)
            case "lvchange":
                return self._lvchange(options, words)
            case "lvmdevices":
                return self._lvmdevices(options)
        return _fail(f"the fake does not know {' '.join(argv)}")

    def _usable(self, path: str) -> Device | Answer:
        device = self._blocks.find(path)
        if device is None or device.media is None:
            return _fail(f"No device found for {path}.")
        held = self._blocks.holders(device.kernel_name) or (device.disk and device.disk.is_used())
        if held or (device.kind == "disk" and self._blocks.above(device.kernel_name)):
            return _fail(f"Can't open {path} exclusively.  Mounted filesystem?")
        return device

    def _pvcreate(self, options: dict[str, list[str]], path: str) -> Answer:
        device = self._usable(path)
        if not isinstance(device, Device) or device.media is None:
            return device if not isinstance(device, Device) else OK
        media = device.media
        if media.pv and media.pv.vg:
            return _fail(
                f'Can\'t initialize physical volume "{path}" of volume group "{media.pv.vg.name}" without -ff',
                f"{path}: physical volume not initialized.",
            )
        media.signatures = []
        media.pv = PvLabel(lvm_uuid(), metadata_bytes=size_bytes(options.get("metadatasize", ["0b"])[-1]))
        self._half_way()
        self._lvm.list_device(device)
        return 0, f'  Physical volume "{path}" successfully created.\n', ""

    def _pvremove(self, path: str) -> Answer:
        device = self._usable(path)
        if not isinstance(device, Device) or device.media is None:
            return device if not isinstance(device, Device) else OK
        label = device.media.pv
        if label is None or not self._lvm.is_listed(device):
            return _fail(f"No PV found on device {path}.")
        if label.vg:
            return _fail(
                f"PV {path} is used by VG {label.vg.name} so please use vgreduce first.",
                "(If you are certain you need pvremove, then confirm by using --force twice.)",
                f"{path}: physical volume label not removed.",
            )
        device.media.pv = None
        self._half_way()
        self._lvm.list_device(device)
        return 0, f'  Labels on physical volume "{path}" successfully wiped.\n', ""

    def _vgcreate(self, options: dict[str, list[str]], name: str, path: str) -> Answer:
        if not dm_safe(name):
            return 3, "", f'  New volume group name "{name}" is invalid.\n'
        if self._lvm.vg(name):
            return _fail(f"A volume group called {name} already exists.")
        device = self._usable(path)
        if not isinstance(device, Device) or device.media is None:
            return device if not isinstance(device, Device) else OK
        media = device.media
        if media.pv and media.pv.vg:
            return _fail(f"Physical volume '{path}' is already in volume group '{media.pv.vg.name}'")
        if media.pv is None:
            media.signatures = []
            media.pv = PvLabel(lvm_uuid())
            self._half_way()
        self._lvm.list_device(device)
        extent = size_bytes(options.get("physicalextentsize", ["4m"])[-1])
        count = self._lvm.extents_of(media, extent, media.pv.metadata_bytes)
        media.pv.vg = Vg(name, lvm_uuid(), extent, count, set(options.get("addtag", [])))
        return 0, f'  Volume group "{name}" successfully created\n', ""

    def _vgremove(self, options: dict[str, list[str]], name: str) -> Answer:
        found = self._lvm.vg(name)
        if found is None:
            return _fail(f'Volume group "{name}" not found', f"Cannot process volume group {name}")
        vg, pv = found
        if vg.lvs and "yes" not in options and "force" not in options:
            return _fail(
                f'Do you really want to remove volume group "{name}" containing {len(vg.lvs)} logical volumes? [y/n]:',
                f'Volume group "{name}" not removed',
            )
        for view in [view for view in self._lvm.lvs() if view.vg is vg]:
            answer = self._lvremove(f"{name}/{view.lv.name}")
            if answer[0]:
                return answer
        pv.label.vg = None
        return 0, f'  Volume group "{name}" successfully removed\n', ""

    def _vgchange(self, options: dict[str, list[str]], words: list[str]) -> Answer:
        for name in words or [vg.name for vg, _ in self._lvm.vgs()]:
            found = self._lvm.vg(name)
            if found is None:
                return _fail(f'Volume group "{name}" not found', f"Cannot process volume group {name}")
            vg, _ = found
            vg.tags |= set(options.get("addtag", []))
            vg.tags -= set(options.get("deltag", []))
            for view in [view for view in self._lvm.lvs() if view.vg is vg]:
                answer = self._set_active(view, options)
                if answer[0]:
                    return answer
                self._half_way()
        return OK

    def _lvcreate(self, options: dict[str, list[str]], group: str) -> Answer:
        found = self._lvm.vg(group)
        if found is None:
            return _fail(f'Volume group "{group}" not found', f"Cannot process volume group {group}")
        vg, pv = found
        name = options["name"][-1]
        if not dm_safe(name):
            return 3, "", f'  Logical volume name "{name}" is invalid.\n'
        if name in vg.lvs:
            return _fail(f'Logical Volume "{name}" already exists in volume group "{group}"')
        count = -(-size_bytes(options["size"][-1]) // vg.extent_bytes)
        free = vg.free_extents()
        if count > len(free):
            return _fail(f'Volume group "{group}" has insufficient free space ({len(free)} extents): {count} required.')
        lv = Lv(name, lvm_uuid(), set(options.get("addtag", [])), free[:count])
        vg.lvs[name] = lv
        self._half_way()
        if options.get("activate", ["y"])[-1] != "n":
            view = LvView(vg, lv, pv)
            self._lvm.activate(view)
            if options.get("zero", ["y"])[-1] == "y":
                self._lvm.zero(view, 0, 4096)
        return 0, f'  Logical volume "{name}" created.\n', ""

    def _lvremove(self, name: str) -> Answer:
        view = self._lvm.lv(name)
        if view is None:
            return _missing(self._lvm, name)
        if self._lvm.is_open(view):
            return _fail(f"Logical volume {view.vg.name}/{view.lv.name} in use.")
        self._lvm.deactivate(view)
        self._half_way()
        del view.vg.lvs[view.lv.name]
        return 0, f'  Logical volume "{view.lv.name}" successfully removed.\n', ""

    def _lvchange(self, options: dict[str, list[str]], words: list[str]) -> Answer:
        def change(name: str) -> Answer:
            view = self._lvm.lv(name)
            if view is None:
                return _missing(self._lvm, name)
            view.lv.tags |= set(options.get("addtag", []))
            view.lv.tags -= set(options.get("deltag", []))
            answer = self._set_active(view, options)
            self._half_way()
            return answer

        return _each(words, change)

    def _set_active(self, view: LvView, options: dict[str, list[str]]) -> Answer:
        match options.get("activate", [""])[-1]:
            case "y" | "ey" | "ly" | "ay":
                self._lvm.activate(view)
            case "n" | "en" | "ln":
                if self._lvm.is_open(view):
                    return _fail(f"Logical volume {view.vg.name}/{view.lv.name} in use.")
                self._lvm.deactivate(view)
        return OK

    def _lvmdevices(self, options: dict[str, list[str]]) -> Answer:
        for option, change in (("adddev", self._lvm.list_device), ("deldev", self._lvm.unlist_device)):
            for path in options.get(option, []):
                device = self._blocks.find(path)
                if device is None:
                    return _fail(f"No device found for {path}.")
                change(device)
        return OK


def _fail(*lines: str) -> Answer:
    return 5, "", "".join(f"  {line}\n" for line in lines)


def _missing(lvm: Lvm, name: str) -> Answer:
    group = name.removeprefix("/dev/").split("/")[0]
    if lvm.vg(group) is None:
        return _fail(f'Volume group "{group}" not found', f"Cannot process volume group {group}")
    return _fail(f'Failed to find logical volume "{name}"')


def _each(words: list[str], action: Callable[[str], Answer]) -> Answer:
    """LVM goes on with the others after a failure; the worst code counts."""
    answers = [action(word) for word in words]
    return max(a[0] for a in answers), "".join(a[1] for a in answers), "".join(a[2] for a in answers)


def size_bytes(text: str) -> int:
    """A size with LVM's unit letters; without one it is MiB."""
    unit = text[-1].lower()
    return int(text[:-1]) * _UNITS[unit] if unit in _UNITS else int(text) * _UNITS["m"]


def parse(words: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Options with all their values (a bare one has none), and the other words."""
    options: dict[str, list[str]] = {}
    rest: list[str] = []
    waiting: str | None = None
    for word in words:
        if waiting:
            options[waiting].append(word)
            waiting = None
        elif word.startswith("-") and len(word) > 1:
            name, _, value = word.lstrip("-").partition("=") if word.startswith("--") else (word, "", "")
            if not word.startswith("--"):
                name, value = _SHORT.get(word[:2], word[1:2]), word[2:]
            values = options.setdefault(name, [])
            if value:
                values.append(value)
            elif name not in _BARE:
                waiting = name
        else:
            rest.append(word)
    return options, rest
