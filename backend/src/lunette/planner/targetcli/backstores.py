"""Backstores: a block device that is a slice of a group or pool can be a volume, nothing else can."""

import re
from collections import Counter
from collections.abc import Iterator

from lunette.domain.identity import naa_of
from lunette.domain.targetcli import Finding, SavedConfig, SavedLun, SavedStore

DEFAULT_GROUP = "default_tg_pt_gp"
_SERIAL_MAX = 254
"""INQUIRY_VPD_SERIAL_LEN of include/target/target_core_base.h in Linux 6.12."""
_NOT_GROUPS = ("block", "bus", "disk", "drbd", "dm", "loop", "mapper", "md", "nvme", "rbd", "zvol")
"""Folders below /dev that are no LVM volume groups."""
_MAPPER = re.compile(r"^/dev/mapper/(?P<group>(?:[^/-]|--)+)-(?P<name>(?:[^/-]|--)+)$")
"""Device mapper doubles a dash within a name (dm_build_dm_name in lvm2)."""
_OTHER_KINDS = {
    "fileio": "It is a file, or a device behind the page cache. Copy its content into a volume, with the hosts off it.",
    "pscsi": "It passes a SCSI device through, with that device's own identity. Lunette serves volumes only.",
    "ramdisk": "It lives in memory and is empty after every boot. Lunette serves volumes only.",
    "rd_mcp": "It lives in memory and is empty after every boot. Lunette serves volumes only.",
    "user": "A program in user space serves it (tcmu). Copy its content into a volume, with the hosts off it.",
}


class Backstores:
    """All backstores of a configuration, by the reference LUNs use. The first of a name counts, as for rtslib."""

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
                words += " No target has it."
            elif refusal is None and self._owners[store.reference] > 1:
                words += " Several targets have it, so its mappings must say that it is shared."
            yield Finding(path=store.reference, fits=refusal is None, words=words)

    def name(self, lun: SavedLun) -> str:
        return self._names.get(lun.storage_object, lun.storage_object)

    def refusal(self, lun: SavedLun) -> str | None:
        """Why a LUN cannot be a volume of ours; None if it can."""
        if lun.storage_object not in self._refusals:
            return f"Its backstore {lun.storage_object} is not in the file, so rtslib passes it over too."
        if self._refusals[lun.storage_object] is not None:
            return f"Its backstore {lun.storage_object} does not fit."
        if lun.alua_tg_pt_gp_name not in (None, "", DEFAULT_GROUP):
            return (
                f"It is in the ALUA group {lun.alua_tg_pt_gp_name}, and Lunette shows every path as active and "
                f"optimized: put it into {DEFAULT_GROUP} while its hosts are off it."
            )
        return None

    def _refusal(self, store: SavedStore) -> str | None:
        if store.plugin in _OTHER_KINDS:
            return _OTHER_KINDS[store.plugin]
        if store.plugin != "block":
            return f"Backstores of the kind {store.plugin} are not known."
        if self._references[store.reference] > 1:
            return "Two backstores of this kind have this name, and LUNs do not say which they mean: rename one."
        if store.dev is None or slice_of(store.dev) is None:
            return (
                f"{store.dev or 'It'} is no logical volume and no zvol by its name, but a whole disk, array or "
                "partition. Lunette cuts volumes from arrays: copy its content into one, with the hosts off it."
            )
        return self._identity_refusal(store) or _settings_refusal(store)

    def _identity_refusal(self, store: SavedStore) -> str | None:
        if not store.wwn:
            return "It has no wwn, so rtslib gives it another serial at every start: no identity can be kept."
        if len(store.wwn) > _SERIAL_MAX or not store.wwn.isascii() or not store.wwn.isprintable():
            return f"Its wwn is no unit serial: at most {_SERIAL_MAX} printable ASCII characters."
        if self._naas[naa_of(store.wwn)] > 1:
            return (
                f"Another backstore has the same NAA {naa_of(store.wwn)}, so a host takes the two for one disk: give "
                "one of them another wwn, with the hosts off it."
            )
        return None


def _users(saved: SavedConfig, *, over_ip: bool) -> Counter[str]:
    """How many portal groups have each backstore; `over_ip` counts those of iSCSI only, where each is an owner."""
    targets = [target for target in saved.targets if target.fabric == "iscsi" or not over_ip]
    return Counter(lun.storage_object for target in targets for group in target.tpgs for lun in group.luns)


def slice_of(device: str) -> str | None:
    """What a device path says it is a slice of; None if it does not say so."""
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
        return "It is read-only, which no volume of Lunette is: a snapshot is what it offers for that."
    if any(group.name == DEFAULT_GROUP and group.alua_access_state for group in store.alua_tpgs):
        return "Its paths are not active and optimized (ALUA), as Lunette's are: make them so while its hosts are off."
    if store.exclusive is False:
        return "Others may open its device beside LIO (exclusive=false), which Lunette never allows."
    if str(store.attributes.get("pi_prot_type") or "0") != "0":
        return "It carries T10 protection information, which Lunette does not offer: hosts would be refused."
    return None
