"""LIO's back half in configfs: target/, target/core and the backstores.

Rules of drivers/target/target_core_configfs.c and target_core_iblock.c (Linux 6.12):
* `control` takes udev_path=… until the device is open (EEXIST after that); `enable` takes only 1, wants udev_path
  (EINVAL) and an existing block device that no one else holds (ENOENT, ENOTBLK, EBUSY), and only once (EEXIST).
* wwn attributes refuse with EINVAL while the backstore is exported; the serial reads back with a prefix.
* dbroot refuses with EINVAL once a fabric module is there, and for a folder that does not exist.
"""

import errno
import re
from collections.abc import Callable
from typing import Protocol

from backend.tests.fakemachine.files.configfs import Attribute, Group, constant, refuse, setting

SERIAL_PREFIX = "T10 VPD Unit Serial Number: "
_PLUGINS = ("iblock", "fileio", "rd_mcp", "pscsi", "user")
ATTRIB_DEFAULTS = {
    "alua_support": "1",
    "block_size": "512",
    "emulate_3pc": "1",
    "emulate_caw": "1",
    "emulate_dpo": "1",
    "emulate_fua_read": "1",
    "emulate_fua_write": "1",
    "emulate_model_alias": "1",
    "emulate_pr": "1",
    "emulate_rest_reord": "0",
    "emulate_rsoc": "1",
    "emulate_tas": "1",
    "emulate_tpu": "0",
    "emulate_tpws": "0",
    "emulate_ua_intlck_ctrl": "0",
    "emulate_write_cache": "0",
    "enforce_pr_isids": "1",
    "force_pr_aptpl": "0",
    "is_nonrot": "0",
    "max_unmap_block_desc_count": "0",
    "max_unmap_lba_count": "0",
    "max_write_same_len": "65535",
    "optimal_sectors": "16384",
    "pgr_support": "1",
    "pi_prot_type": "0",
    "pi_prot_verify": "0",
    "queue_depth": "128",
    "submit_type": "0",
    "unmap_granularity": "0",
    "unmap_granularity_alignment": "0",
    "unmap_zeroes_data": "0",
}
_ATTRIB_RO = {"hw_block_size": "512", "hw_max_sectors": "16384", "hw_pi_prot_type": "0", "hw_queue_depth": "128"}


class BlockOpener(Protocol):
    """What LIO asks of the block layer."""

    def open_exclusively(self, path: str, holder: str) -> str:
        """Claim a device; its kernel name. Raises OSError ENOENT, ENOTBLK or EBUSY."""
        ...

    def release(self, kernel_name: str, holder: str) -> None: ...


def number(text: str, allowed: range | None = None) -> int:
    """The number an attribute was given, as kstrtou32 reads it. Raises OSError(EINVAL)."""
    try:
        value = int(text.strip(), 0)
    except ValueError:
        raise refuse(errno.EINVAL) from None
    if value < 0 or (allowed is not None and value not in allowed):
        raise refuse(errno.EINVAL)
    return value


def access_type() -> Attribute:
    """Written as a number and shown in words, as core_alua_show_access_type does."""
    held = [3]

    def store(text: str) -> None:
        held[0] = number(text, range(4))

    return Attribute(
        show=lambda: f"{('None', 'Implicit', 'Explicit', 'Implicit and Explicit')[held[0]]}\n", store=store
    )


class Backstore:
    """One backstore: its folder in configfs and, once enabled, the device it holds."""

    def __init__(self, plugin: str, name: str, blocks: BlockOpener) -> None:
        self.plugin, self.name = plugin, name
        self.device: str | None = None
        self.parameters: dict[str, str] = {}
        self.udev_path = ""
        self.serial = ""
        self.reservations: list[dict[str, str]] = []
        """Registrations that were handed back."""
        self.exports = 0
        self._enabled = False
        self._company = 0x001405
        self._blocks = blocks
        self.group = self._build()

    @property
    def configured(self) -> bool:
        return self._enabled

    def _build(self) -> Group:
        group = Group(
            self.name,
            "backstore",
            {
                "alias": setting(""),
                "alua_lu_gp": setting("default_lu_gp"),
                "control": Attribute(store=self._control),
                "enable": Attribute(show=lambda: f"{int(self._enabled)}\n", store=self._enable),
                "info": Attribute(show=self._info),
                "udev_path": Attribute(show=lambda: f"{self.udev_path}\n", store=self._set_udev_path),
            },
            drop=self._drop,
        )
        group.add_default(Group("attrib", "attrib", self._attrib()))
        wwn = {
            "vpd_unit_serial": Attribute(show=lambda: f"{SERIAL_PREFIX}{self.serial}\n", store=self._set_serial),
            "company_id": Attribute(show=lambda: f"{self._company:#08x}\n", store=self._set_company),
            "vendor_id": setting("LIO-ORG", self._inquiry_text(8)),
            "product_id": setting("IBLOCK", self._inquiry_text(16)),
            "revision": setting("4.0", self._inquiry_text(4)),
            "vpd_protocol_identifier": constant("T10 VPD Protocol Identifier: "),
        }
        group.add_default(Group("wwn", "wwn", wwn))
        alua = group.add_default(Group("alua", "alua"))
        state = {
            "alua_access_state": setting("0", _number_only),
            "alua_access_type": access_type(),
            "tg_pt_gp_id": constant("0"),
            "members": constant(""),
        }
        alua.add_default(Group("default_tg_pt_gp", "alua_tg_pt_gp", state))
        reservations = {
            "res_holder": constant("No SPC-3 Reservation holder"),
            "res_aptpl_active": constant("0"),
            "res_aptpl_metadata": Attribute(
                show=lambda: "Ready to process PR APTPL metadata..\n", store=self._take_reservation
            ),
        }
        group.add_default(Group("pr", "pr", reservations))
        group.add_default(Group("statistics", "statistics"))
        return group

    def _attrib(self) -> dict[str, Attribute]:
        attributes = {name: setting(value, _number_only) for name, value in ATTRIB_DEFAULTS.items()}
        attributes |= {name: constant(value) for name, value in _ATTRIB_RO.items()}
        for name in ("max_unmap_lba_count", "max_unmap_block_desc_count"):  # reported by the device once it is open
            attributes[name] = Attribute(show=lambda: f"{int(self._enabled)}\n", store=_number_only)
        attributes["block_size"] = setting("512", self._check_block_size)
        attributes["emulate_tpu"] = setting("0", self._check_unmap)
        attributes["emulate_tpws"] = setting("0", self._check_unmap)
        # 6.12 warns and ignores it where the device reports its own write cache, as iblock does
        attributes["emulate_write_cache"] = Attribute(show=lambda: "0\n", store=_number_only)
        return attributes

    def _take_reservation(self, text: str) -> None:
        """As target_pr_res_aptpl_metadata_store: numbers are C's, so a leading zero makes an octal one."""
        found = dict(part.split("=", 1) for part in text.strip().split(","))
        holds = found.get("res_holder") == "1"
        if self.exports or not {"initiator_node", "target_node", "sa_res_key"} <= found.keys():
            raise refuse(errno.EINVAL)
        if holds and not number(found.get("res_type", "0")):
            raise refuse(errno.EINVAL)
        self.reservations.append(found)

    def _check_block_size(self, text: str) -> None:
        if self.exports or number(text) not in (512, 1024, 2048, 4096):
            raise refuse(errno.EINVAL)

    def _check_unmap(self, text: str) -> None:
        if number(text, range(2)) and not self._enabled:
            raise refuse(errno.ENOSYS)

    def _inquiry_text(self, length: int) -> Callable[[str], None]:
        def check(text: str) -> None:
            value = text.strip()
            if len(value) > length:
                raise refuse(errno.EOVERFLOW)
            if not value.isascii() or not value.isprintable():
                raise refuse(errno.EINVAL)
            self._refuse_while_exported()

        return check

    def _refuse_while_exported(self) -> None:
        if self.exports:
            raise refuse(errno.EINVAL)

    def _set_serial(self, text: str) -> None:
        if len(text) > 254:
            raise refuse(errno.EOVERFLOW)
        self._refuse_while_exported()
        self.serial = text.strip()

    def _set_company(self, text: str) -> None:
        value = number(text)
        if value > 0xFFFFFF:
            raise refuse(errno.EOVERFLOW)
        self._refuse_while_exported()
        self._company = value

    def _set_udev_path(self, text: str) -> None:
        self.udev_path = text.rstrip("\n")

    def _control(self, text: str) -> None:
        for word in re.split(r"[,\n]", text):
            key, _, value = word.partition("=")
            if key == "udev_path" and self._enabled:
                raise refuse(errno.EEXIST)
            if value:
                self.parameters[key] = value

    def _enable(self, text: str) -> None:
        if not text.startswith("1"):
            raise refuse(errno.EINVAL)
        if self._enabled:
            raise refuse(errno.EEXIST)
        if self.plugin == "iblock":
            if "udev_path" not in self.parameters:
                raise refuse(errno.EINVAL)
            self.device = self._blocks.open_exclusively(self.parameters["udev_path"], self._holder())
        self._enabled = True

    def _holder(self) -> str:
        return f"target:{self.name}"

    def _drop(self) -> None:
        if self.device:
            self._blocks.release(self.device, self._holder())

    def _info(self) -> str:
        state = "ACTIVATED" if self._enabled else "DEACTIVATED"
        claimed = "CLAIMED: IBLOCK" if self.device else ""
        path = self.parameters.get("udev_path", "")
        return (
            f"Status: {state}  Max Queue Depth: 128  SectorSize: 512  HwMaxSectors: 16384\n"
            f"        iBlock device: {self.device or ''}  UDEV PATH: {path}  readonly: 0\n"
            f"        Major: 253 Minor: 0  {claimed}\n"
        )


def _number_only(text: str) -> None:
    number(text)


class TargetCore:
    """target/core and the attributes of target/ itself. `fabrics` makes the fabric folders (lio_iscsi.py)."""

    def __init__(
        self, blocks: BlockOpener, is_dir: Callable[[str], bool], fabrics: dict[str, Callable[[], Group]]
    ) -> None:
        self._blocks, self._is_dir, self._fabrics = blocks, is_dir, fabrics
        self.backstores: dict[Group, Backstore] = {}
        self._dbroot = "/etc/target" if is_dir("/etc/target") else "/var/target"
        version = "Target Engine Core ConfigFS Infrastructure v5.0 on Linux/x86_64 on 6.12.0"
        dbroot = Attribute(show=lambda: f"{self._dbroot}\n", store=self._set_dbroot)
        self.root = Group("target", "target", {"dbroot": dbroot, "version": constant(version)}, make=self._make_fabric)
        core = self.root.add_default(Group("core", "core", make=self._make_hba))
        alua = core.add_default(Group("alua", "alua"))
        alua.add_default(Group("lu_gps", "lu_gps")).add_default(Group("default_lu_gp", "lu_gp"))

    def _set_dbroot(self, text: str) -> None:
        folder = text.rstrip("\n")
        if any(not child.is_default for child in self.root.children.values()) or not self._is_dir(folder):
            raise refuse(errno.EINVAL)
        self._dbroot = folder

    def _make_fabric(self, name: str) -> Group:
        if name not in self._fabrics:
            raise refuse(errno.EINVAL)
        return self._fabrics[name]()

    def _make_hba(self, name: str) -> Group:
        plugin, _, index = name.rpartition("_")
        if plugin not in _PLUGINS or not index.isdigit():
            raise refuse(errno.EINVAL)
        facts = {"hba_info": constant(f"HBA Index: {index} plugin: {plugin} version: v5.0"), "hba_mode": setting("0")}
        return Group(name, "hba", facts, make=lambda child: self._make_backstore(plugin, child))

    def _make_backstore(self, plugin: str, name: str) -> Group:
        backstore = Backstore(plugin, name, self._blocks)
        close = backstore.group.drop

        def drop() -> None:
            if close:
                close()
            del self.backstores[backstore.group]

        backstore.group.drop = drop
        self.backstores[backstore.group] = backstore
        return backstore.group
