"""mdadm's grow mode: more members, another level or consistency policy, in the words of mdadm 4.4."""

from collections.abc import Callable
from dataclasses import replace

from backend.tests.fakemachine.block.devices import Blocks
from backend.tests.fakemachine.block.media import Geometry
from backend.tests.fakemachine.md.kernel import Md, RunningArray
from backend.tests.fakemachine.md.manage import Answer

_Q_LAST = 16
"""What the kernel adds to the layout of a raid5 for a raid6 with its second parity on the last disk (raid5.h)."""


class Grow:
    """Runs `mdadm --grow ARRAY --<what>=<value> …`."""

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
        if "bitmap" in options:
            return self._bitmap(array, words[0], options["bitmap"])
        return self._change(array, words[0], options)

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

    def _bitmap(self, array: RunningArray, name: str, kind: str) -> Answer:
        now = array.geometry.policy
        if kind == "none" and now != "bitmap":
            return 1, "", f"mdadm: no bitmap found on {name}\n"
        if kind == "internal" and now == "bitmap":
            return 1, "", f"mdadm: bitmap already present on {name}\n"
        if now == "ppl":
            return 1, "", "mdadm: Cannot add bitmap to array with PPL\n"
        if array.sync_action != "idle":
            return 1, "", "mdadm: Cannot add bitmap while array is resyncing or reshaping etc.\n"
        self._half_way()
        array.change_geometry(replace(array.geometry, policy="bitmap" if kind == "internal" else "resync"))
        return 0, "", ""

    def _change(self, array: RunningArray, name: str, options: dict[str, str]) -> Answer:
        problem = _refusal(array, name, options)
        if problem:
            return 1, "", problem
        array.is_frozen = True
        geometry = _changed(array.geometry, options)
        if array.geometry.level == "raid1" or "level" in options:
            self._half_way()
            self._md.widen(array, geometry, self._now())
        else:
            problem = self._lay_out(array, geometry, int(options.get("data-offset", "0K").removesuffix("K")) * 2)
            if problem:
                array.is_frozen = False
                return 1, "", problem
        self._half_way()
        array.is_frozen = False
        self._md.recover(array, self._now())
        return 0, "", ""

    def _lay_out(self, array: RunningArray, geometry: Geometry, offset: int) -> str | None:
        """Starts a reshape; what mdadm says if it cannot."""
        nearest = min(member.superblock.data_offset for member in array.bound())
        if not 80 <= offset < nearest:
            return "mdadm: Cannot update data_offset on this array\n"
        self._half_way()
        self._md.reshape(array, geometry, offset, self._now())
        return None


def _refusal(array: RunningArray, name: str, options: dict[str, str]) -> str | None:
    """What mdadm says before it touches the array, if it does not."""
    geometry = array.geometry
    missing = int(options.get("raid-devices", geometry.raid_disks)) - geometry.raid_disks
    spares = [member for member in array.auxiliary if not member.is_faulty]
    if array.sync_action != "idle":
        return f"mdadm: {name} is performing resync/recovery and cannot be reshaped\n"
    if len(spares) < missing:
        return f"mdadm: Need {missing} spares to avoid degraded array, and only have {len(spares)}.\n"
    if geometry.policy == "ppl":
        return f"mdadm: Cannot set device shape for {name}: Invalid argument\n"
    if geometry.level == "raid10" and geometry.near() == 1 and not geometry.layout & 0x10000:
        return "mdadm: Cannot reshape RAID10 in far-mode\n"
    if geometry.level == "raid6" and geometry.layout >= _Q_LAST and "layout" not in options:
        return f"mdadm: {name} has a non-standard layout.  If you spec to preserve this\n"
    if "level" in options and (options["level"], geometry.level) != ("6", "raid5"):
        return "mdadm: Impossible level change requested\n"
    return None


def _changed(geometry: Geometry, options: dict[str, str]) -> Geometry:
    """The shape that is asked for. A raid5 gets its second parity on the new disk."""
    disks = int(options.get("raid-devices", geometry.raid_disks))
    if options.get("layout", "preserve") != "preserve":
        raise AssertionError("a power cut in the middle of another layout loses data on Linux 7.2")
    if "level" in options:
        if "layout" not in options:
            raise AssertionError("without a layout mdadm moves every block")
        return replace(geometry, level="raid6", raid_disks=disks, layout=geometry.layout + _Q_LAST)
    return replace(geometry, raid_disks=disks)
