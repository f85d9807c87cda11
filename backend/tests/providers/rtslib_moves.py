"""The moves that `targetctl restore` makes in configfs, in its order, for tests on the fake machine.

After RTSRoot.restore and the `setup` methods of rtslib-fb 2.2 (rtslib/root.py, tcm.py, target.py). That the real one
does so too is for tests/e2e/test_targetcli.py.
"""

from collections.abc import Mapping
from typing import Any

from lunette.providers.exports.lio.configfs import ROOT
from lunette.system.system_port import System

_AUTH = {
    "chap_userid": "userid",
    "chap_password": "password",
    "chap_mutual_userid": "userid_mutual",
    "chap_mutual_password": "password_mutual",
}
_FOLDERS = {"tcm_fc": "fc"}


class Restorer:
    """`errors` are what rtslib would print, and go on."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.errors: list[str] = []

    def restore(self, document: Mapping[str, Any]) -> None:
        for number, store in enumerate(document["storage_objects"]):
            self._backstore(number, store)
        adapters = {one["name"]: number for number, one in enumerate(document["storage_objects"])}
        for target in document["targets"]:
            fabric = _FOLDERS.get(target["fabric"], target["fabric"])
            path = f"{fabric}/{_folder(target['wwn'])}"
            self.system.mkdir(f"{ROOT}/{path}")
            for group in target["tpgs"]:
                self._group(f"{path}/tpgt_{group['tag']}", group, adapters)

    def _backstore(self, number: int, store: Mapping[str, Any]) -> None:
        unknown = store.keys() - {"attributes", "dev", "name", "plugin", "readonly", "write_back", "wwn"}
        assert not unknown, f"BlockStorageObject() of rtslib 2.1 does not take {unknown}"
        assert store["plugin"] == "block"
        path = f"core/iblock_{number}/{store['name']}"
        self.system.mkdir(f"{ROOT}/core/iblock_{number}")
        self.system.mkdir(f"{ROOT}/{path}")
        for name, value in (
            ("udev_path", store["dev"]),
            ("control", f"udev_path={store['dev']}"),
            ("control", "readonly=0"),
            ("enable", "1"),
            ("wwn/vpd_unit_serial", store["wwn"]),
        ):
            self.system.write(f"{ROOT}/{path}/{name}", value)
        self._attributes(path, store)

    def _group(self, path: str, group: Mapping[str, Any], adapters: Mapping[str, int]) -> None:
        self.system.mkdir(f"{ROOT}/{path}")
        self._attributes(path, group)
        for lun in group["luns"]:
            name = lun["storage_object"].removeprefix("/backstores/block/")
            self.system.mkdir(f"{ROOT}/{path}/lun/lun_{lun['index']}")
            there = f"{ROOT}/core/iblock_{adapters[name]}/{name}"
            self.system.symlink(there, f"{ROOT}/{path}/lun/lun_{lun['index']}/{lun['alias']}")
        for portal in group["portals"]:
            where = f"{path}/np/{portal['ip_address']}:{portal['port']}"
            self.system.mkdir(f"{ROOT}/{where}")
            self.system.write(f"{ROOT}/{where}/iser", str(int(portal["iser"])))
        for acl in group["node_acls"]:
            self._acl(path, acl)
        if self.system.exists(f"{ROOT}/{path}/enable"):
            self.system.write(f"{ROOT}/{path}/enable", str(int(group["enable"])))

    def _acl(self, group: str, acl: Mapping[str, Any]) -> None:
        path = f"{group}/acls/{_folder(acl['node_wwn'])}"
        self.system.mkdir(f"{ROOT}/{path}")
        self._attributes(path, acl)
        for mapped in acl["mapped_luns"]:
            self.system.mkdir(f"{ROOT}/{path}/lun_{mapped['index']}")
            there = f"{ROOT}/{group}/lun/lun_{mapped['tpg_lun']}"
            self.system.symlink(there, f"{ROOT}/{path}/lun_{mapped['index']}/{mapped['alias']}")
        for key, name in _AUTH.items():
            if acl.get(key):
                self.system.write(f"{ROOT}/{path}/auth/{name}", acl[key])

    def _attributes(self, path: str, entry: Mapping[str, Any]) -> None:
        for name, value in entry["attributes"].items():
            assert self.system.exists(f"{ROOT}/{path}/attrib/{name}"), f"{path} has no attribute {name}"
            try:
                self.system.write(f"{ROOT}/{path}/attrib/{name}", str(value))
            except OSError as error:
                self.errors.append(f"Cannot set attribute {name}: {error.strerror}, skipped")


def _folder(wwn: str) -> str:
    """A WWPN stands with colons in configfs."""
    if not wwn.startswith("naa."):
        return wwn
    digits = wwn.removeprefix("naa.")
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))


def picture(system: System) -> dict[str, str]:
    """Every attribute and every link of LIO's configfs, adapters apart: rtslib gives each backstore one of its own."""
    found: dict[str, str] = {}

    def look(path: str) -> None:
        for name in system.listdir(path):
            child = f"{path}/{name}"
            try:
                found[_plain(child)] = _plain(system.readlink(child))
                continue
            except OSError:
                pass
            if system.is_dir(child):
                look(child)
            else:
                try:
                    found[_plain(child)] = system.read(child).strip()
                except OSError:  # write-only
                    found[_plain(child)] = "unreadable"

    look(ROOT)
    return found


def _plain(path: str) -> str:
    parts = path.removeprefix(f"{ROOT}/").rpartition("../")[2].removeprefix("target/").split("/")
    return "/".join("iblock_N" if part.startswith("iblock_") else part for part in parts)
