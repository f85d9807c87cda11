"""LVM: what lies on physical volumes (media.py), what is active, and which devices LVM may look at.

The devices file is a plain file, as in real life: a PV that is not in it is invisible, and an empty file hides all.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from backend.tests.fakemachine.block.devices import Blocks, Device
from backend.tests.fakemachine.block.media import Lv, Media, PvLabel, Vg
from backend.tests.fakemachine.files.plain import Files
from backend.tests.fakemachine.md.kernel import Md

DEVICES_FILE = "/etc/lvm/devices/system.devices"
PE_START = 1024 * 1024


@dataclass
class Pv:
    """A physical volume LVM can see now."""

    device: Device
    media: Media
    label: PvLabel


@dataclass
class LvView:
    """One logical volume with everything a report asks of it."""

    vg: Vg
    lv: Lv
    pv: Pv

    def path(self) -> str:
        return f"/dev/{self.vg.name}/{self.lv.name}"

    def size_bytes(self) -> int:
        return (self.lv.virtual_extents or len(self.lv.extents)) * self.vg.extent_bytes


class Lvm:
    """State of LVM on the fake machine."""

    def __init__(self, blocks: Blocks, md: Md, files: Files) -> None:
        self._blocks, self._md, self._files = blocks, md, files
        self.uses_devices_file = True
        """As the appliance's settings say; Debian's own LVM does not."""
        self.held: set[str] = set()
        """Names of volumes that a program opens just before LVM removes them."""
        self.at_boot: list[Callable[[], None]] = []
        """What else forgets what ran."""
        self._active: dict[str, str] = {}
        """dm kernel names by LV uuid."""

    def reboot(self) -> None:
        self._active.clear()
        for forget in self.at_boot:
            forget()

    def device_id(self, device: Device) -> str:
        """How the devices file names a device, whatever its kernel name is today."""
        array = self._md.arrays.get(device.kernel_name)
        if array:
            digits = array.geometry.uuid
            return f"IDTYPE=md_uuid IDNAME={digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
        if device.kind == "crypt":
            return f"IDTYPE=crypt_uuid IDNAME=CRYPT-LUKS2-{device.links[0].rpartition('/')[2]}"
        if device.kind == "raid":
            return f"IDTYPE=lvmlv_uuid IDNAME=LVM-{device.links[0]}"
        if device.disk:
            return f"IDTYPE=sys_wwid IDNAME={device.disk.wwn}"
        return f"IDTYPE=devname IDNAME=/dev/{device.kernel_name}"

    def _lines(self) -> list[str]:
        return self._files.read(DEVICES_FILE).decode().splitlines()

    def is_listed(self, device: Device) -> bool:
        """True if LVM may look at the device."""
        if not self.uses_devices_file or not self._files.exists(DEVICES_FILE):
            return True
        return any(line.startswith(f"{self.device_id(device)} ") for line in self._lines())

    def _is_looked_at(self, device: Device, only: list[str] | None) -> bool:
        if only is None:
            return self.is_listed(device)
        return any(path == f"/dev/{device.kernel_name}" or path in device.links for path in only)

    def list_device(self, device: Device) -> None:
        """Write the device to the devices file, with its PVID as it is now."""
        if not self.uses_devices_file or not self._files.exists(DEVICES_FILE):
            return
        label = device.media.pv if device.media else None
        pvid = label.uuid.replace("-", "") if label else "."
        kept = [line for line in self._lines() if not line.startswith(f"{self.device_id(device)} ")]
        kept.append(f"{self.device_id(device)} DEVNAME=/dev/{device.kernel_name} PVID={pvid}")
        self._files.write_durably(DEVICES_FILE, ("\n".join(kept) + "\n").encode(), 0o600)

    def unlist_device(self, device: Device) -> None:
        kept = [line for line in self._lines() if not line.startswith(f"{self.device_id(device)} ")]
        self._files.write_durably(DEVICES_FILE, "".join(f"{line}\n" for line in kept).encode(), 0o600)

    def pvs(self, only: list[str] | None = None) -> list[Pv]:
        """The physical volumes LVM sees: listed, present and labeled. `only` is --devices: it overrides the list."""
        return [
            Pv(device, device.media, device.media.pv)
            for device in self._blocks.devices().values()
            if device.kind != "lv"
            and device.media
            and device.media.pv
            and self._is_looked_at(device, only)
            and not (device.kind == "disk" and self._under_an_array(device.kernel_name))
        ]

    def _under_an_array(self, kernel_name: str) -> bool:
        """LVM passes over the members of an array; what its own volumes stand on it sees."""
        return any(self._blocks.stacked[name].kind != "lv" for name in self._blocks.above(kernel_name))

    def vg(self, name: str, only: list[str] | None = None) -> tuple[Vg, Pv] | None:
        return next(((pv.label.vg, pv) for pv in self.pvs(only) if pv.label.vg and pv.label.vg.name == name), None)

    def vgs(self, only: list[str] | None = None) -> list[tuple[Vg, Pv]]:
        return [(pv.label.vg, pv) for pv in self.pvs(only) if pv.label.vg]

    def lvs(self, only: list[str] | None = None) -> list[LvView]:
        return [LvView(vg, lv, pv) for vg, pv in self.vgs(only) for lv in vg.lvs.values()]

    def is_read_only(self, pv: Pv) -> bool:
        """True on an array to which nothing is written: LVM cannot commit its metadata there."""
        array = self._md.arrays.get(pv.device.kernel_name)
        return array is not None and array.is_read_only

    def lv(self, name: str) -> LvView | None:
        """A logical volume by vg/lv, with or without /dev/ in front."""
        wanted = name.removeprefix("/dev/")
        return next((view for view in self.lvs() if f"{view.vg.name}/{view.lv.name}" == wanted), None)

    def kernel_name(self, view: LvView) -> str | None:
        """dm-N if it is active."""
        return self._active.get(view.lv.uuid)

    def is_open(self, view: LvView) -> bool:
        name = self.kernel_name(view)
        return name is not None and self._blocks.is_open(name)

    def activate(self, view: LvView) -> None:
        if view.lv.uuid in self._active:
            return
        name = next(f"dm-{number}" for number in range(10_000) if f"dm-{number}" not in self._active.values())
        self._active[view.lv.uuid] = name
        self._blocks.stacked[name] = Device(name, "lv", view.size_bytes(), _links(view), [view.pv.device.kernel_name])

    def resize(self, view: LvView) -> None:
        """Tell the kernel the size the metadata says, as far as the volume is active."""
        name = self._active.get(view.lv.uuid)
        if name:
            self._blocks.stacked[name].size_bytes = view.size_bytes()

    def rename(self, view: LvView, name: str) -> None:
        """Give it another name; an active one gets other links."""
        del view.vg.lvs[view.lv.name]
        view.lv.name = name
        view.vg.lvs[name] = view.lv
        active = self._active.get(view.lv.uuid)
        if active:
            self._blocks.stacked[active].links = _links(view)

    def deactivate(self, view: LvView) -> None:
        """The caller has made sure that it is not open."""
        name = self._active.pop(view.lv.uuid, None)
        if name:
            del self._blocks.stacked[name]

    def view_of(self, kernel_name: str) -> LvView | None:
        """The LV behind dm-N."""
        return next((view for view in self.lvs() if self._active.get(view.lv.uuid) == kernel_name), None)

    def content(self, view: LvView, offset: int) -> tuple[dict[int, str], int]:
        """Where a byte of the LV is stored: the data written there by offset, and the offset of the byte in it."""
        return (view.lv.content, offset) if view.lv.pool else (view.pv.media.data, self.locate(view, offset))

    def locate(self, view: LvView, offset: int) -> int:
        """Where a byte of a thick LV lies on its PV."""
        index, rest = divmod(offset, view.vg.extent_bytes)
        return PE_START + view.pv.label.metadata_bytes + view.lv.extents[index] * view.vg.extent_bytes + rest

    def zero(self, view: LvView, offset: int, length: int) -> None:
        """Zero a range of an LV, extent by extent."""
        if view.lv.pool:
            view.lv.content = {at: text for at, text in view.lv.content.items() if not offset <= at < offset + length}
            return
        position = offset
        while position < offset + length:
            step = min(view.vg.extent_bytes - position % view.vg.extent_bytes, offset + length - position)
            view.pv.media.zero(self.locate(view, position), step)
            position += step

    def extents_of(self, media: Media, extent_bytes: int, metadata_bytes: int) -> int:
        """How many extents fit on a device behind LVM's own metadata."""
        return (media.size_bytes - PE_START - metadata_bytes) // extent_bytes


def _links(view: LvView) -> list[str]:
    mapped = "-".join(part.replace("-", "--") for part in (view.vg.name, view.lv.name))
    if view.lv.metadata_extents:
        return [f"/dev/mapper/{mapped}-tpool"]  # the pool itself, which is never opened
    return [view.path(), f"/dev/mapper/{mapped}"]


def dm_safe(name: str) -> bool:
    """True if LVM takes it as a name."""
    return bool(re.fullmatch(r"[A-Za-z0-9+_.][A-Za-z0-9+_.-]*", name))
