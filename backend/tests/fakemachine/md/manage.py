"""mdadm's manage mode: disks that join and leave a running array, with the words and exit codes of mdadm 4.4."""

from collections.abc import Callable

from backend.tests.fakemachine.block.devices import Blocks, FakeDisk
from backend.tests.fakemachine.md.kernel import Md, Member, RunningArray, enough

Answer = tuple[int, str, str]


class Manage:
    """Runs `mdadm --manage ARRAY --<verb> DEVICE`."""

    def __init__(self, blocks: Blocks, md: Md, half_way: Callable[[], None], now: Callable[[], float]) -> None:
        self._blocks, self._md = blocks, md
        self._half_way, self._now = half_way, now

    def run(self, options: dict[str, str], words: list[str]) -> Answer:
        """Exit code, stdout, stderr."""
        device = self._blocks.find(words[0])
        array = self._md.arrays.get(device.kernel_name) if device else None
        if array is None:
            return 1, "", f"mdadm: error opening {words[0]}: No such file or directory\n"
        if "replace" in options:
            return self._replace(array, words[1], words[2])
        for verb, handler in (
            ("add", self._add),
            ("re-add", self._re_add),
            ("fail", self._fail),
            ("remove", self._remove),
        ):
            if verb in options:
                return handler(array, words[0], words[1])
        return 2, "", "mdadm: the fake does not know this\n"

    def _free(self, path: str) -> tuple[FakeDisk | None, str]:
        """The disk, or why it cannot join."""
        device = self._blocks.find(path)
        if device is None or device.disk is None:
            return None, f"mdadm: Cannot find {path}: No such file or directory\n"
        if self._blocks.is_held(device.kernel_name):
            return None, f"mdadm: Cannot open {path}: Device or resource busy\n"
        return device.disk, ""

    def _add(self, array: RunningArray, name: str, path: str) -> Answer:
        disk, why = self._free(path)
        if disk is None:
            return 1, "", why
        if disk.media.size_bytes // 1024 < array.geometry.component_kib + 1024:
            return 1, "", f"mdadm: {path} not large enough to join array\n"
        if array.has_failed():
            return 1, "", f"mdadm: {name} has failed so using --add cannot work and might destroy\n"
        self._md.join(array, disk, self._now(), self._half_way)
        return 0, "", f"mdadm: added {path}\n"

    def _re_add(self, array: RunningArray, name: str, path: str) -> Answer:
        disk, why = self._free(path)
        if disk is None:
            return 1, "", why
        if not self._md.rejoin(array, disk, self._now()):
            return 1, "", f"mdadm: --re-add for {path} to {name} is not possible\n"
        return 0, "", f"mdadm: re-added {path}\n"

    def _fail(self, array: RunningArray, name: str, path: str) -> Answer:
        member = self._bound(array, path)
        if member is None:
            return 1, "", f"mdadm: set device faulty failed for {path}:  No such device\n"
        slots = {s for s, m in array.members.items() if m is not member and not m.is_faulty and m.superblock.in_sync}
        if member in array.members.values() and not enough(array.geometry, slots):
            return 1, "", f"mdadm: set device faulty failed for {path}:  Device or resource busy\n"
        self._md.fail(array, member, self._now())
        return 0, "", f"mdadm: set {path} faulty in {name}\n"

    def _remove(self, array: RunningArray, name: str, path: str) -> Answer:
        if path == "detached":
            for detached in [member for member in array.auxiliary if not member.disk.is_present]:
                self._md.let_go(array, detached)
            return 0, "", ""
        member = self._bound(array, path)
        if member is None:
            return 1, "", f"mdadm: hot remove failed for {path}: No such device or address\n"
        if member not in array.auxiliary:
            return 1, "", f"mdadm: hot remove failed for {path}: Device or resource busy\n"
        self._md.let_go(array, member)
        return 0, "", f"mdadm: hot removed {path} from {name}\n"

    def _replace(self, array: RunningArray, old: str, new: str) -> Answer:
        worn, spare = self._bound(array, old), self._bound(array, new)
        if worn is None or worn not in array.members.values():
            return 1, "", f"mdadm: Cannot find {old}: is not active, cannot replace\n"
        if spare is None or spare not in array.auxiliary or spare.is_faulty:
            return 1, "", f"mdadm: {new} is not a spare, cannot use it\n"
        if array.sync_action != "idle":
            return 1, "", f"mdadm: Failed to set {new} as preferred replacement.\n"
        self._md.relieve(array, worn, spare, self._now())
        return 0, "", f"mdadm: Marked {old} (device 0 in array) for replacement\n"

    def _bound(self, array: RunningArray, path: str) -> Member | None:
        device = self._blocks.find(path)
        return next((m for m in array.bound() if device and m.disk is device.disk), None)
