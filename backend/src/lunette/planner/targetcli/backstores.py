"""Judges backstores: only a block device that is a logical volume or a zvol can be a volume."""

import re
from collections import Counter
from collections.abc import Iterator

from lunette.domain.identity import naa_of
from lunette.domain.targetcli import Finding, SavedConfig, SavedLun, SavedStore

DEFAULT_GROUP = "default_tg_pt_gp"
_SERIAL_MAX = 254
"""INQUIRY_VPD_SERIAL_LEN of include/target/target_core_base.h in Linux 6.12."""
_NOT_GROUPS = ("block", "bus", "disk", "drbd", "dm", "loop", "mapper", "md", "nvme", "rbd", "zvol")
"""Directories below /dev that are not LVM volume groups."""
_MAPPER = re.compile(r"^/dev/mapper/(?P<group>(?:[^/-]|--)+)-(?P<name>(?:[^/-]|--)+)$")
"""The device mapper doubles a dash within a name (dm_build_dm_name in lvm2)."""
_OTHER_KINDS = {
    "fileio": "It is a file, or a device behind the page cache: disconnect the hosts and copy its content into a "
    "volume.",
    "pscsi": "It passes a SCSI device through under that device's identity, and Lunette serves only volumes.",
    "ramdisk": "It is in memory and empty after every boot, and Lunette serves only volumes.",
    "rd_mcp": "It is in memory and empty after every boot, and Lunette serves only volumes.",
    "user": "A program in user space serves it (tcmu): disconnect the hosts and copy its content into a volume.",
}


class Backstores:
    """All backstores of a configuration, by the reference in LUNs. The first of each name counts, as in rtslib."""

    def __init__(self, saved: SavedConfig) -> None:
        self._stores = saved.storage_objects
        self._naas = Counter(naa_of(store.wwn) for store in self._stores if store.wwn)
        self._references = Counter(store.reference for store in self._stores)
        self._refusals = {store.reference: self._refusal(store) for store in reversed(self._stores)}
        self._names = {store.reference: store.name for store in self._stores}
        self._users, self._owners = _users(saved, over_ip=False), _users(saved, over_ip=True)

    def findings(self) -> Iterator[Finding]:
        for store in self._stores:
            refusal = self._refusals[store.reference]
            words = refusal or f"Volume {store.name}: {slice_of(store.dev or '')}, NAA {naa_of(store.wwn or '')}."
            if refusal is None and not self._users[store.reference]:
                words += " No target uses it."
            elif refusal is None and self._owners[store.reference] > 1:
                words += " Several targets use it, so its mappings must be marked as shared."
            yield Finding(path=store.reference, fits=refusal is None, words=words)

    def name(self, lun: SavedLun) -> str:
        return self._names.get(lun.storage_object, lun.storage_object)

    def refusal(self, lun: SavedLun) -> str | None:
        """Why a LUN cannot be a volume; None if it can."""
        if lun.storage_object not in self._refusals:
            return f"Its backstore {lun.storage_object} is not in the file, so rtslib also ignores the LUN."
        if self._refusals[lun.storage_object] is not None:
            return f"Its backstore {lun.storage_object} does not fit."
        if lun.alua_tg_pt_gp_name not in (None, "", DEFAULT_GROUP):
            return (
                f"It is in the ALUA group {lun.alua_tg_pt_gp_name}, and Lunette reports every path as "
                f"active/optimized: disconnect the hosts and move it to {DEFAULT_GROUP}."
            )
        return None

    def _refusal(self, store: SavedStore) -> str | None:
        if store.plugin in _OTHER_KINDS:
            return _OTHER_KINDS[store.plugin]
        if store.plugin != "block":
            return f"Backstores of the type {store.plugin} are unknown."
        if self._references[store.reference] > 1:
            return "Two backstores of this type have the same name, and LUNs do not distinguish them: rename one."
        if store.dev is None or slice_of(store.dev) is None:
            return (
                f"{store.dev or 'It'} is by its name a whole disk, array or partition, not a logical volume or a "
                "zvol: disconnect the hosts and copy its content into a volume."
            )
        return self._identity_refusal(store) or _settings_refusal(store)

    def _identity_refusal(self, store: SavedStore) -> str | None:
        if not store.wwn:
            return "It has no wwn, so rtslib gives it another serial at every start: it has no identity to retain."
        if len(store.wwn) > _SERIAL_MAX or not store.wwn.isascii() or not store.wwn.isprintable():
            return f"Its wwn is not a unit serial of at most {_SERIAL_MAX} printable ASCII characters."
        if self._naas[naa_of(store.wwn)] > 1:
            return (
                f"Another backstore has the same NAA {naa_of(store.wwn)}, so a host treats the two as one disk: "
                "disconnect the hosts and give one of them another wwn."
            )
        return None


def _users(saved: SavedConfig, *, over_ip: bool) -> Counter[str]:
    """The number of portal groups that use each backstore; `over_ip` counts only those of iSCSI, where each is an
    owner.
    """
    targets = [target for target in saved.targets if target.fabric == "iscsi" or not over_ip]
    return Counter(lun.storage_object for target in targets for group in target.tpgs for lun in group.luns)


def slice_of(device: str) -> str | None:
    """The group or pool that a device path names; None if it names none."""
    if match := _MAPPER.match(device):
        group, name = (match[part].replace("--", "-") for part in ("group", "name"))
        return f"logical volume {name} of group {group}"
    parts = device.split("/")
    if parts[:2] != ["", "dev"] or "" in parts[2:] or {".", ".."} & set(parts):
        return None
    if parts[2] == "zvol" and len(parts) >= 5:
        return f"zvol {'/'.join(parts[3:])}"
    if len(parts) == 4 and parts[2] not in _NOT_GROUPS:
        return f"logical volume {parts[3]} of group {parts[2]}"
    return None


def _settings_refusal(store: SavedStore) -> str | None:
    if store.readonly:
        return "It is read-only, which Lunette does not support for volumes: use a snapshot instead."
    if any(group.name == DEFAULT_GROUP and group.alua_access_state for group in store.alua_tpgs):
        return (
            "Its paths are not active/optimized (ALUA), as Lunette requires: disconnect the hosts and change the state."
        )
    if store.exclusive is False:
        return "Other programs may open its device in addition to LIO (exclusive=false), which Lunette does not allow."
    if str(store.attributes.get("pi_prot_type") or "0") != "0":
        return "It uses T10 protection information, which Lunette does not support."
    return None
