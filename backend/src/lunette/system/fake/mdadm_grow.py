"""mdadm's grow mode: more members, and another consistency policy, with the words and exit codes of mdadm 4.4."""

from collections.abc import Callable
from dataclasses import replace

from lunette.system.fake.block import Blocks
from lunette.system.fake.md import Md, RunningArray
from lunette.system.fake.mdadm_manage import Answer


class Grow:
    """Runs `mdadm --grow ARRAY --<what>=<value>`."""

    def __init__(self, blocks: Blocks, md: Md, half_way: Callable[[], None], now: Callable[[], float]) -> None:
        self._blocks, self._md = blocks, md
        self._half_way, self._now = half_way, now

    def run(self, options: dict[str, str], words: list[str]) -> Answer:
        """Exit code, stdout, stderr."""
        device = self._blocks.find(words[0])
        array = self._md.arrays.get(device.kernel_name) if device else None
        if array is None:
            return 1, "", f"mdadm: {words[0]} is not an active md array - aborting\n"
        if "consistency-policy" in options:
            return self._policy(array, options["consistency-policy"])
        return self._reshape(array, words[0], int(options["raid-devices"]), options.get("data-offset"))

    def _policy(self, array: RunningArray, policy: str) -> Answer:
        now = array.geometry.policy
        if array.geometry.level != "raid5":
            return 1, "", f"mdadm: Operation not supported for array level {array.geometry.level[4:]}\n"
        if now == policy:
            return 1, "", f"mdadm: Consistency policy is already {policy}\n"
        if now not in ("resync", "ppl"):
            return 1, "", f"mdadm: Current consistency policy is {now}, cannot change to {policy}\n"
        if policy == "ppl" and array.sync_action == "reshape":
            return 1, "", "mdadm: PPL cannot be enabled when reshape is in progress\n"
        if now == "ppl" and array.overrides.get("suspend_hi", "0") == "0":
            raise AssertionError("the kernel may fall here while hosts write: their writes are held back first")
        self._half_way()
        array.change_geometry(replace(array.geometry, policy=policy))
        return 0, "", ""

    def _reshape(self, array: RunningArray, name: str, count: int, data_offset: str | None) -> Answer:
        geometry = array.geometry
        missing = count - geometry.raid_disks
        spares = [member for member in array.beside if not member.is_faulty]
        if array.sync_action != "idle":
            return 1, "", f"mdadm: {name} is performing resync/recovery and cannot be reshaped\n"
        if len(spares) < missing:
            return 1, "", f"mdadm: Need {missing} spares to avoid degraded array, and only have {len(spares)}.\n"
        if geometry.policy == "ppl":
            return 1, "", f"mdadm: Cannot set device shape for {name}: Invalid argument\n"
        if geometry.level == "raid10" and geometry.near() == 1 and not geometry.layout & 0x10000:
            return 1, "", "mdadm: Cannot reshape RAID10 in far-mode\n"
        array.is_frozen = True
        if geometry.level == "raid1":
            self._half_way()
            self._md.add_mirrors(array, count, self._now())
        else:
            offset = int((data_offset or "0K").removesuffix("K")) * 2
            if not 80 <= offset < min(member.superblock.data_offset for member in array.bound()):
                array.is_frozen = False
                return 1, "", "mdadm: Cannot update data_offset on this array\n"
            self._half_way()
            self._md.reshape(array, count, offset, self._now())
        self._half_way()
        array.is_frozen = False
        self._md.recover(array, self._now())
        return 0, "", ""
