"""The commands of lvm2 2.03.31 that change something, with its words and exit codes, as far as we use them."""

import json
import shlex
from collections.abc import Callable, Sequence

from backend.tests.fakemachine.block.devices import Blocks, Device
from backend.tests.fakemachine.block.media import PvLabel, Vg, lvm_uuid
from backend.tests.fakemachine.lvm import raid as lvm_raid
from backend.tests.fakemachine.lvm.groups import Lvm, LvView, dm_safe
from backend.tests.fakemachine.lvm.raid import LvmRaid
from backend.tests.fakemachine.lvm.report import report
from backend.tests.fakemachine.lvm.volumes import OK, VolumeTools, each, fail, missing, size_bytes
from backend.tests.fakemachine.md.manage import Answer

_SHORT = {
    "-y": "yes",
    "-n": "name",
    "-L": "size",
    "-l": "extents",
    "-s": "physicalextentsize",
    "-o": "options",
    "-S": "select",
    "-W": "wipesignatures",
    "-Z": "zero",
    "-f": "force",
    "-a": "activate",
}
_BARE = {
    "yes",
    "force",
    "nosuffix",
    "noheadings",
    "binary",
    "all",
    "readonly",
    "help",
    "sysinit",
    "snapshot",
    "refresh",
    "norestorefile",
    "foreign",
    "shared",
    "removemissing",
    "repair",
}
COMMANDS = (
    "pvcreate",
    "pvremove",
    "pvresize",
    "vgcreate",
    "vgremove",
    "vgchange",
    "lvcreate",
    "lvremove",
    "lvchange",
    "lvconvert",
    "lvextend",
    "lvrename",
    "lvm",
    "pvs",
    "vgs",
    "lvs",
    "lvmconfig",
    *lvm_raid.COMMANDS,
)


LONGEST_LINE = 254


class LvmTools:
    """Runs one LVM command line."""

    def __init__(self, blocks: Blocks, lvm: Lvm, half_way: Callable[[], None], now: Callable[[], float]) -> None:
        self._blocks, self._lvm, self._half_way = blocks, lvm, half_way
        self.raid = LvmRaid(blocks, lvm, half_way, now)
        self._volumes = VolumeTools(lvm, half_way)
        self.stdin = ""

    def run(self, argv: Sequence[str]) -> Answer:
        """Exit code, stdout, stderr."""
        if list(argv) == ["lvm", "/dev/stdin"]:
            return self._script(self.stdin.splitlines())
        if argv[0] == "lvm":  # the way to commands that Debian 13 gives no name of their own, such as lvmdevices
            argv = argv[1:]
        command = argv[0]
        if command == "dmsetup":
            return self.raid.dmsetup(list(argv))
        options, words = parse(argv[1:])
        return self._on_raid(command, options, words) or self._on_others(command, options, words)

    def _script(self, lines: Sequence[str]) -> Answer:
        """Commands one after the other, until one fails (_run_script in tools/lvmcmdline.c)."""
        if not lines or not lines[0].startswith("#!"):
            return 2, "", "  No such command.  Try 'lvm help'.\n"
        said = ""
        for line in lines:
            if len(line) > LONGEST_LINE:
                return 3, said, f"  Line too long (max 255) beginning: {line[:50]}\n"
            if words := shlex.split(line, comments=True):
                code, out, errors = self.run(words)
                said += out
                if code:
                    return code, said, errors
                self._half_way()
        return 0, said, ""

    def _on_others(self, command: str, options: dict[str, list[str]], words: list[str]) -> Answer:
        match command:
            case "lvmconfig" if words == ["devices/use_devicesfile"]:
                return 0, f"use_devicesfile={int(self._lvm.uses_devices_file)}\n", ""
            case "pvs" | "vgs" | "lvs":
                return report(self._lvm, command, options, words)
            case "pvcreate":
                return self._pvcreate(options, words[0])
            case "pvremove":
                return self._pvremove(words[0], is_forced="force" in options)
            case "pvresize":
                return self._pvresize(words[0])
            case "vgcreate":
                return self._vgcreate(options, words[0], words[1])
            case "vgremove":
                return self._vgremove(options, words[0])
            case "vgchange":
                return self._vgchange(options, words)
            case "lvchange":
                return self._lvchange(options, words)
            case "lvmdevices":
                return self._lvmdevices(options)
        made = self._volumes.run(command, options, words)
        return made or fail(f"the fake does not know {command} {' '.join(words)}")

    def _on_raid(self, command: str, options: dict[str, list[str]], words: list[str]) -> Answer | None:
        """What a command does with groups over several disks; None for one about others."""
        raid = self.raid
        fields = [one for texts in options.get("options", []) for one in texts.split(",")]
        if command == "pvs" and not words and "devices" not in options and "pv_name" in fields:
            code, text, said = report(self._lvm, command, options, words)
            known = json.loads(text)
            rows = [{one: row.get(one) for one in fields} for row in raid.pv_rows()]
            named = {row["pv_name"] for row in rows}
            for row in known["report"][0]["pv"]:
                if row.get("vg_name") in raid.groups():  # it has left, and carries metadata that are out of date
                    row |= {"vg_name": "", "vg_tags": []}
            known["report"][0]["pv"] = [r for r in known["report"][0]["pv"] if r["pv_name"] not in named] + rows
            return code, json.dumps(known), said
        if command == "lvs" and words and words[0].startswith("@"):
            rows = raid.lv_rows(words[0][1:])
            return 0, json.dumps({"report": [{"lv": rows}], "log": []}), ""
        if command == "vgcreate" and len(words) > 2:
            return raid.create_group(options, words[0], words[1:])
        group = raid.groups().get(words[0].partition("/")[0]) if words else None
        if group is None:
            return None
        calls: dict[str, Callable[[], Answer]] = {
            "lvcreate": lambda: raid.create_volume(options, group, words[1:]),
            "lvchange": lambda: raid.change(options, group),
            "vgchange": lambda: raid.set_active(options, group),
            "lvconvert": lambda: raid.convert(options, group, words[1:]),
            "vgextend": lambda: raid.extend(group, words[1]),
            "vgreduce": lambda: raid.reduce(options, group, words[1:]),
            "vgremove": lambda: raid.remove_group(options, group),
        }
        return calls[command]() if command in calls else None

    def _usable(self, path: str) -> Device | Answer:
        device = self._blocks.find(path)
        if device is None or device.media is None:
            return fail(f"No device found for {path}.")
        held = self._blocks.holders(device.kernel_name) or (device.disk and device.disk.is_used())
        if held or (device.kind == "disk" and self._blocks.above(device.kernel_name)):
            return fail(f"Can't open {path} exclusively.  Mounted filesystem?")
        return device

    def _pvcreate(self, options: dict[str, list[str]], path: str) -> Answer:
        device = self._usable(path)
        if not isinstance(device, Device) or device.media is None:
            return device if not isinstance(device, Device) else OK
        media = device.media
        used = (media.pv.vg or media.pv.raid) if media.pv else None
        if used:
            return fail(
                f'Can\'t initialize physical volume "{path}" of volume group "{used.name}" without -ff',
                f"{path}: physical volume not initialized.",
            )
        if ("uuid" in options) != ("norestorefile" in options):
            return fail("Can only set uuid on PV if --norestorefile or --restorefile is used.")
        media.signatures = []
        uuid = options.get("uuid", [lvm_uuid()])[-1]
        media.pv = PvLabel(uuid, metadata_bytes=size_bytes(options.get("metadatasize", ["0b"])[-1]))
        self._half_way()
        self._lvm.list_device(device)
        return 0, f'  Physical volume "{path}" successfully created.\n', ""

    def _pvremove(self, path: str, *, is_forced: bool = False) -> Answer:
        device = self._usable(path)
        if not isinstance(device, Device) or device.media is None:
            return device if not isinstance(device, Device) else OK
        label = device.media.pv
        if label is None or not self._lvm.is_listed(device):
            return fail(f"No PV found on device {path}.")
        has_left = label.raid is not None and label.uuid not in label.raid.pvs
        group = label.vg or (None if has_left and is_forced else label.raid)
        if group is not None:
            return fail(
                f"PV {path} is used by VG {group.name} so please use vgreduce first.",
                "(If you are certain you need pvremove, then confirm by using --force twice.)",
                f"{path}: physical volume label not removed.",
            )
        device.media.pv = None
        self._half_way()
        self._lvm.list_device(device)
        return 0, f'  Labels on physical volume "{path}" successfully wiped.\n', ""

    def _pvresize(self, path: str) -> Answer:
        pv = next((pv for pv in self._lvm.pvs() if path in (f"/dev/{pv.device.kernel_name}", *pv.device.links)), None)
        if pv is None:
            return fail(f'Failed to find physical volume "{path}".')
        vg = pv.label.vg
        if vg:
            vg.extent_count = self._lvm.extents_of(pv.media, vg.extent_bytes, pv.label.metadata_bytes)
        return 0, f'  Physical volume "{path}" changed\n', ""

    def _vgcreate(self, options: dict[str, list[str]], name: str, path: str) -> Answer:
        if not dm_safe(name):
            return 3, "", f'  New volume group name "{name}" is invalid.\n'
        if self._lvm.vg(name):
            return fail(f"A volume group called {name} already exists.")
        device = self._usable(path)
        if not isinstance(device, Device) or device.media is None:
            return device if not isinstance(device, Device) else OK
        media = device.media
        if media.pv and media.pv.vg:
            return fail(f"Physical volume '{path}' is already in volume group '{media.pv.vg.name}'")
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
            return fail(f'Volume group "{name}" not found', f"Cannot process volume group {name}")
        vg, pv = found
        if vg.lvs and "yes" not in options and "force" not in options:
            return fail(
                f'Do you really want to remove volume group "{name}" containing {len(vg.lvs)} logical volumes? [y/n]:',
                f'Volume group "{name}" not removed',
            )
        for view in [view for view in self._lvm.lvs() if view.vg is vg]:
            if view.lv.name not in vg.lvs:  # it went with its pool
                continue
            answer = self._volumes.remove({}, f"{name}/{view.lv.name}")
            if answer[0]:
                return answer
        pv.label.vg = None
        return 0, f'  Volume group "{name}" successfully removed\n', ""

    def _vgchange(self, options: dict[str, list[str]], words: list[str]) -> Answer:
        only = options.get("devices")
        for name in words or [vg.name for vg, _ in self._lvm.vgs(only)]:
            found = self._lvm.vg(name, only)
            if found is None:
                return fail(f'Volume group "{name}" not found', f"Cannot process volume group {name}")
            vg, pv = found
            if ("addtag" in options or "deltag" in options) and self._lvm.is_read_only(pv):
                return fail(f"Error writing device /dev/{pv.device.kernel_name}: Operation not permitted")
            vg.tags |= set(options.get("addtag", []))
            vg.tags -= set(options.get("deltag", []))
            for view in [view for view in self._lvm.lvs(only) if view.vg is vg and not view.lv.skips_activation]:
                answer = self._set_active(view, options)
                if answer[0]:
                    return answer
                self._half_way()
        return OK

    def _lvchange(self, options: dict[str, list[str]], words: list[str]) -> Answer:
        def change(name: str) -> Answer:
            view = self._lvm.lv(name)
            if view is None:
                return missing(self._lvm, name)
            if "refresh" in options:
                self._lvm.resize(view)
            if ("addtag" in options or "deltag" in options) and self._lvm.is_read_only(view.pv):
                return fail(f"Error writing device /dev/{view.pv.device.kernel_name}: Operation not permitted")
            view.lv.tags |= set(options.get("addtag", []))
            view.lv.tags -= set(options.get("deltag", []))
            if "setactivationskip" in options:
                view.lv.skips_activation = options["setactivationskip"][-1] == "y"
            if (
                view.lv.skips_activation and options.get("activate", [""])[-1] == "y"
            ):  # it takes -K, which we never give
                return OK
            answer = self._set_active(view, options)
            self._half_way()
            return answer

        return each(words, change)

    def _set_active(self, view: LvView, options: dict[str, list[str]]) -> Answer:
        match options.get("activate", [""])[-1]:
            case "y" | "ey" | "ly" | "ay":
                self._lvm.activate(view)
            case "n" | "en" | "ln":
                if self._lvm.is_open(view):
                    return fail(f"Logical volume {view.vg.name}/{view.lv.name} in use.")
                self._lvm.deactivate(view)
        return OK

    def _lvmdevices(self, options: dict[str, list[str]]) -> Answer:
        if not self._lvm.uses_devices_file:
            return fail("Devices file not enabled.")
        for option, change in (("adddev", self._lvm.list_device), ("deldev", self._lvm.unlist_device)):
            for path in options.get(option, []):
                device = self._blocks.find(path)
                if device is None:
                    return fail(f"No device found for {path}.")
                change(device)
        return OK


def parse(words: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Options with all their values (a bare one has none), and the other words."""
    options: dict[str, list[str]] = {}
    rest: list[str] = []
    waiting: str | None = None
    for at, word in enumerate(words):
        if waiting:
            options[waiting].append(word)
            waiting = None
        elif word == "--":
            return options, [*rest, *words[at + 1 :]]
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
