"""lvcreate, lvextend, lvrename and lvremove: thick volumes, thin pools, and what is in them."""

import functools
from collections.abc import Callable

from backend.tests.fakemachine.block.media import Lv, Vg, lvm_uuid
from backend.tests.fakemachine.lvm.groups import Lvm, LvView, dm_safe
from backend.tests.fakemachine.md.manage import Answer

OK: Answer = (0, "", "")
Options = dict[str, list[str]]
_UNITS = {"b": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4, "s": 512}


class VolumeTools:
    """The commands about logical volumes. `half_way` is called between two effects."""

    def __init__(self, lvm: Lvm, half_way: Callable[[], None]) -> None:
        self._lvm, self._half_way = lvm, half_way

    def run(self, command: str, options: Options, words: list[str]) -> Answer | None:
        """None for a command of others."""
        match command:
            case "lvcreate":
                return self.create(options, words[0])
            case "lvconvert":
                return self.convert(options, words[0])
            case "lvremove":
                return each(words, functools.partial(self.remove, options))
            case "lvextend":
                return self.extend(options, words[0])
            case "lvrename":
                return self.rename(*words)
        return None

    def create(self, options: Options, place: str) -> Answer:
        """`place` is a group, or for a snapshot the volume it is taken of."""
        if "snapshot" in options and "wipesignatures" in options:
            return 3, "", "  Option --wipesignatures is unsupported with snapshots.\n"
        if options.get("type") == ["thin-pool"] and "errorwhenfull" in options:
            return 3, "", "  Option --errorwhenfull is unsupported with thin pools.\n"
        group = place.partition("/")[0]
        found = self._lvm.vg(group)
        if found is None:
            return _no_group(group)
        vg, pv = found
        name = options["name"][-1]
        if not dm_safe(name):
            return 3, "", f'  Logical volume name "{name}" is invalid.\n'
        if name in vg.lvs:
            return fail(f'Logical Volume "{name}" already exists in volume group "{group}"')
        made = self._shape(options, vg, place)
        if not isinstance(made, Lv):
            return made
        vg.lvs[name] = made
        self._half_way()
        if options.get("activate", ["y"])[-1] != "n" and not made.skips_activation:
            view = LvView(vg, made, pv)
            self._lvm.activate(view)
            if options.get("zero", ["y"])[-1] == "y" and made.segtype == "linear":
                self._lvm.zero(view, 0, 4096)
        return 0, f'  Logical volume "{name}" created.\n', ""

    def _shape(self, options: Options, vg: Vg, place: str) -> Lv | Answer:
        lv = Lv(options["name"][-1], lvm_uuid(), set(options.get("addtag", [])), [])
        lv.skips_activation = options.get("setactivationskip", ["n"])[-1] == "y"
        if "snapshot" in options:
            return self._snapshot(lv, place)
        if options.get("type") == ["thin"]:
            pool = options["thinpool"][-1]
            if pool not in vg.lvs:
                return fail(f"Pool {pool} not found in Volume group {vg.name}.")
            lv.pool, lv.virtual_extents = pool, _extents(vg, options["virtualsize"][-1])
            return lv
        is_pool = options.get("type") == ["thin-pool"]
        data, free = _extents(vg, options["size"][-1]), vg.free_extents()
        metadata = _extents(vg, options["poolmetadatasize"][-1]) if is_pool else 0
        spare = max(0, metadata - len(vg.spare))
        if data + metadata + spare > len(free):
            return _no_room(vg, data + metadata + spare)
        lv.extents, lv.metadata_extents = free[:data], free[data : data + metadata]
        vg.spare += free[data + metadata : data + metadata + spare]
        return lv

    def _snapshot(self, lv: Lv, origin: str) -> Lv | Answer:
        view = self._lvm.lv(origin)
        if view is None:
            group, _, name = origin.partition("/")
            return fail(f"Snapshot origin LV {name} not found in Volume group {group}.")
        if view.lv.pool is None:
            return fail("Please specify either size or extents with snapshots.")
        lv.pool, lv.virtual_extents, lv.content = view.lv.pool, view.lv.virtual_extents, dict(view.lv.content)
        return lv

    def convert(self, options: Options, name: str) -> Answer:
        """Two volumes become a thin pool, in one commit of the metadata; in one before, the spare is any volume."""
        view, metadata = self._lvm.lv(name), self._lvm.lv(f"{name.partition('/')[0]}/{options['poolmetadata'][-1]}")
        if view is None or metadata is None:
            return missing(self._lvm, name)
        if view.lv.segtype != "linear" or metadata.lv.segtype != "linear":
            return fail(f"Operation not permitted on LV {name} type {view.lv.segtype}.")
        vg, free = view.vg, view.vg.free_extents()
        spare = max(0, len(metadata.lv.extents) - len(vg.spare))
        if spare > len(free):
            return _no_room(vg, spare)
        self._make_spare(vg, free[:spare])
        self._lvm.deactivate(metadata)
        del vg.lvs[metadata.lv.name]
        view.lv.metadata_extents = metadata.lv.extents
        return 0, f"  Converted {name} and {vg.name}/{metadata.lv.name} to thin pool.\n", ""

    def _make_spare(self, vg: Vg, extents: list[int]) -> None:
        """As pool_manip.c of LVM 2.03: a volume with a name of LVM's and no tag is there until all is committed."""
        if not extents:
            return
        numbers = [int(name.removeprefix("lvol")) for name in vg.lvs if name.startswith("lvol")]
        made = Lv(f"lvol{max(numbers, default=-1) + 1}", lvm_uuid(), set(), extents)
        vg.lvs[made.name] = made
        self._half_way()
        del vg.lvs[made.name]
        vg.spare += extents

    def extend(self, options: Options, name: str) -> Answer:
        """The metadata is changed first, then the kernel's device."""
        view = self._lvm.lv(name)
        if view is None:
            return missing(self._lvm, name)
        answer = self._extend_metadata(options, view) or self._extend_data(options, view)
        if answer:
            return answer
        self._half_way()
        self._lvm.resize(view)
        return 0, f"  Logical volume {view.vg.name}/{view.lv.name} successfully resized.\n", ""

    def _extend_metadata(self, options: Options, view: LvView) -> Answer | None:
        if "poolmetadatasize" not in options:
            return None
        vg, free = view.vg, view.vg.free_extents()
        more = _extents(vg, options["poolmetadatasize"][-1]) - len(view.lv.metadata_extents)
        spare = max(0, len(view.lv.metadata_extents) + more - len(vg.spare))
        if more + spare > len(free):
            return _no_more(vg, more + spare)
        view.lv.metadata_extents += free[:more]
        vg.spare += free[more : more + spare]
        return None

    def _extend_data(self, options: Options, view: LvView) -> Answer | None:
        if "size" not in options:
            return None
        vg, lv = view.vg, view.lv
        wanted = _extents(vg, options["size"][-1])
        more = wanted - view.size_bytes() // vg.extent_bytes
        if more == 0:
            return fail(f"New size ({wanted} extents) matches existing size ({wanted} extents).", "No size change.")
        if more < 0:
            have = view.size_bytes() // vg.extent_bytes
            return fail(f"New size given ({wanted} extents) not larger than existing size ({have} extents)")
        if lv.pool:
            lv.virtual_extents = wanted
            return None
        free = vg.free_extents()
        if more > len(free):
            return _no_more(vg, more)
        lv.extents += free[:more]
        return None

    def rename(self, group: str, old: str, new: str) -> Answer:
        view = self._lvm.lv(f"{group}/{old}")
        if view is None:
            return fail(f'Existing logical volume "{old}" not found in volume group "{group}"')
        if new in view.vg.lvs:
            return fail(f'Logical Volume "{new}" already exists in volume group "{group}"')
        self._lvm.rename(view, new)
        return 0, f'  Renamed "{old}" to "{new}" in volume group "{group}"\n', ""

    def remove(self, options: Options, name: str) -> Answer:
        """A pool goes with all that is in it; the spare goes with the last pool."""
        view = self._lvm.lv(name)
        if view is None:
            return missing(self._lvm, name)
        vg, inside = view.vg, view.vg.in_pool(view.lv.name)
        if options.get("select") == ["thin_count=0"] and inside:
            return OK
        if self._lvm.is_open(view) or view.lv.name in self._lvm.held:
            return fail(f"Logical volume {vg.name}/{view.lv.name} in use.")
        for lv in inside:
            answer = self.remove({}, f"{vg.name}/{lv.name}")
            if answer[0]:
                return answer
        self._lvm.deactivate(view)
        self._half_way()
        del vg.lvs[view.lv.name]
        if not any(lv.metadata_extents for lv in vg.lvs.values()):
            vg.spare = []
        return 0, f'  Logical volume "{view.lv.name}" successfully removed.\n', ""


def fail(*lines: str) -> Answer:
    return 5, "", "".join(f"  {line}\n" for line in lines)


def missing(lvm: Lvm, name: str) -> Answer:
    group = name.removeprefix("/dev/").split("/")[0]
    return fail(f'Failed to find logical volume "{name}"') if lvm.vg(group) else _no_group(group)


def each(words: list[str], action: Callable[[str], Answer]) -> Answer:
    """LVM continues with the others after a failure; the highest exit code is returned."""
    answers = [action(word) for word in words]
    return max(a[0] for a in answers), "".join(a[1] for a in answers), "".join(a[2] for a in answers)


def _no_group(group: str) -> Answer:
    return fail(f'Volume group "{group}" not found', f"Cannot process volume group {group}")


def _no_room(vg: Vg, needed: int) -> Answer:
    free = len(vg.free_extents())
    return fail(f'Volume group "{vg.name}" has insufficient free space ({free} extents): {needed} required.')


def _no_more(vg: Vg, needed: int) -> Answer:
    return fail(f"Insufficient free space: {needed} extents needed, but only {len(vg.free_extents())} available")


def _extents(vg: Vg, size: str) -> int:
    return -(-size_bytes(size) // vg.extent_bytes)


def size_bytes(text: str) -> int:
    """A size with LVM's unit letters; without one it is MiB."""
    unit = text[-1].lower()
    return int(text[:-1]) * _UNITS[unit] if unit in _UNITS else int(text) * _UNITS["m"]
