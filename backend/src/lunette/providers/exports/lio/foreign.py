"""Foreign exports of LIO, read from configfs in the terms of a saveconfig. Nothing is written.

Formats: drivers/target/target_core_configfs.c, target_core_iblock.c, target_core_alua.c (Linux 6.12).
"""

import re
from collections.abc import Collection, Iterable
from typing import get_args

from lunette.domain.base import Model
from lunette.domain.border import BackstoreAttribute
from lunette.domain.exports import AdoptedBackstore
from lunette.domain.targetcli import (
    SavedAcl,
    SavedAluaGroup,
    SavedConfig,
    SavedFabric,
    SavedGroup,
    SavedLun,
    SavedMappedLun,
    SavedPortal,
    SavedStore,
    SavedTarget,
)
from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.exports.lio.tree import PREFIX
from lunette.providers.reading import reader

_PLUGINS = {"iblock": "block", "fileio": "fileio", "pscsi": "pscsi", "rd_mcp": "ramdisk", "user": "user"}
"""Types of backstores, as targetcli names them."""
KEPT: tuple[BackstoreAttribute, ...] = get_args(BackstoreAttribute)
_NO_TARGETS = ("core", "iscsi")
_Attributes = dict[str, int | str | None]


class ForeignStore(Model):
    """A backstore over a block device, with facts that a saveconfig does not contain."""

    reference: str
    company_id: str
    device: str
    kept: AdoptedBackstore


@reader("configfs of LIO")
def observe(files: LioConfigfs, ours: Collection[str]) -> tuple[SavedConfig, tuple[ForeignStore, ...]]:
    """Every backstore and target except those at the paths `ours` and backstores with Lunette's mark."""
    stores = [path for path in _backstores(files) if path not in ours]
    references = {path: _reference(path) for path in stores}
    targets = [name for name in files.folders("iscsi") if name != "discovery_auth" and f"iscsi/{name}" not in ours]
    asks = files.read("iscsi/discovery_auth/enforce_discovery_auth") == "1"
    saved = SavedConfig(
        storage_objects=tuple(_store(files, path) for path in stores),
        targets=(*(_target(files, "iscsi", name, references) for name in targets), *_others(files, references)),
        fabric_modules=(SavedFabric(name="iscsi", discovery_enable_auth=True),) if asks and targets else (),
    )
    return saved, tuple(_block(files, path) for path in stores if path.startswith("core/iblock_"))


def _backstores(files: LioConfigfs) -> list[str]:
    adapters = [name for name in files.folders("core") if name != "alua"]
    return [f"core/{hba}/{name}" for hba in adapters for name in files.folders(f"core/{hba}", but=PREFIX)]


def _reference(path: str) -> str:
    _, hba, name = path.split("/")
    return f"/backstores/{_plugin(hba)}/{name}"


def _plugin(hba: str) -> str:
    kind = hba.rpartition("_")[0]
    return _PLUGINS.get(kind, kind)


def _serial(files: LioConfigfs, path: str) -> str:
    return files.read(f"{path}/wwn/vpd_unit_serial").rpartition(": ")[2]


def _store(files: LioConfigfs, path: str) -> SavedStore:
    _, hba, name = path.split("/")
    info = files.read(f"{path}/info")
    groups = files.folders(f"{path}/alua")
    return SavedStore(
        name=name,
        plugin=_plugin(hba),
        dev=files.read(f"{path}/udev_path") or None,
        wwn=_serial(files, path) or None,
        readonly="readonly: 1" in info,
        exclusive="exclusive: 0" not in info,
        attributes=_attributes(files, path),
        alua_tpgs=tuple(
            SavedAluaGroup(name=one, alua_access_state=_number(files.read(f"{path}/alua/{one}/alua_access_state")))
            for one in groups
        ),
    )


def _block(files: LioConfigfs, path: str) -> ForeignStore:
    found = {name: files.read(f"{path}/attrib/{name}") for name in KEPT}
    return ForeignStore(
        reference=_reference(path),
        company_id=files.read(f"{path}/wwn/company_id").removeprefix("0x"),
        device=files.read(f"{path}/udev_path"),
        kept=AdoptedBackstore(
            path=path,
            vendor=files.read(f"{path}/wwn/vendor_id").strip(),
            product=files.read(f"{path}/wwn/product_id").strip(),
            revision=files.read(f"{path}/wwn/revision").strip(),
            attributes=tuple((name, value) for name, value in found.items() if value),
        ),
    )


def _target(files: LioConfigfs, fabric: str, name: str, references: dict[str, str]) -> SavedTarget:
    path = f"{fabric}/{name}"
    tags = sorted(int(one[5:]) for one in files.names(path) if re.fullmatch(r"tpgt_\d+", one))
    return SavedTarget(
        wwn=name, fabric=fabric, tpgs=tuple(_group(files, f"{path}/tpgt_{tag}", tag, references) for tag in tags)
    )


def _others(files: LioConfigfs, references: dict[str, str]) -> Iterable[SavedTarget]:
    """Targets of other fabrics that lead to a foreign backstore."""
    for fabric in files.folders(""):
        for name in files.folders(fabric) if fabric not in _NO_TARGETS else ():
            found = _target(files, fabric, name, references)
            if any(lun.storage_object in references.values() for group in found.tpgs for lun in group.luns):
                yield found


def _group(files: LioConfigfs, path: str, tag: int, references: dict[str, str]) -> SavedGroup:
    luns = []
    for number in _numbers(files, f"{path}/lun"):
        lun = f"{path}/lun/lun_{number}"
        behind = files.follow(lun, "volume", adopted=True) or ""
        alua = re.match(r"TG Port Alias: (\S+)", files.read(f"{lun}/alua_tg_pt_gp"))
        luns.append(
            SavedLun(
                index=number,
                storage_object=references.get(behind, behind),
                alua_tg_pt_gp_name=alua[1] if alua else None,
            )
        )
    return SavedGroup(
        tag=tag,
        enable=files.read(f"{path}/enable") == "1",
        attributes=_attributes(files, path),
        luns=tuple(luns),
        portals=tuple(_portal(files, f"{path}/np/{name}") for name in files.folders(f"{path}/np")),
        node_acls=tuple(_acl(files, f"{path}/acls/{name}") for name in files.folders(f"{path}/acls")),
    )


def _portal(files: LioConfigfs, path: str) -> SavedPortal:
    address, _, port = path.rpartition("/")[2].rpartition(":")
    return SavedPortal(
        ip_address=address,
        port=int(port),
        iser=files.read(f"{path}/iser") == "1",
        offload=files.read(f"{path}/cxgbit") == "1",
    )


def _acl(files: LioConfigfs, path: str) -> SavedAcl:
    shown = {
        name: files.read(f"{path}/auth/{name}") for name in ("userid", "password", "userid_mutual", "password_mutual")
    }
    reported = {
        name: None if not value or value.startswith(LioConfigfs.cleared) else value for name, value in shown.items()
    }
    return SavedAcl.model_validate(
        {
            "node_wwn": path.rpartition("/")[2],
            "attributes": _attributes(files, path),
            "mapped_luns": tuple(_mapped(files, path, number) for number in _numbers(files, path)),
            "chap_userid": reported["userid"],
            "chap_password": reported["password"],
            "chap_mutual_userid": reported["userid_mutual"],
            "chap_mutual_password": reported["password_mutual"],
        }
    )


def _mapped(files: LioConfigfs, acl: str, number: int) -> SavedMappedLun:
    path = f"{acl}/lun_{number}"
    behind = files.follow(path, "lun", adopted=True) or ""
    inner = behind.rpartition("/lun_")[2]
    return SavedMappedLun(
        index=number,
        tpg_lun=int(inner) if inner.isdigit() else -1,
        write_protect=files.read(f"{path}/write_protect") == "1",
    )


def _numbers(files: LioConfigfs, path: str) -> list[int]:
    return sorted(int(name[4:]) for name in files.names(path) if re.fullmatch(r"lun_\d+", name))


def _attributes(files: LioConfigfs, path: str) -> _Attributes:
    return {name: files.read(f"{path}/attrib/{name}") for name in files.names(f"{path}/attrib")}


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None
