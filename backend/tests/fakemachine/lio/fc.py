"""Fibre Channel: HBA ports, their two target modules in configfs, and hosts that log in over a fabric.

Rules of tcm_fc (tfc_conf.c, tfc_sess.c), tcm_qla2xxx.c, qla_attr.c and scsi_transport_fc.c, as Linux 6.12 has them:
* ports and ACLs are named by WWPN with colons, in lower case (EINVAL); the only portal group is 1 (ENOSYS).
* tcm_fc accepts a port that does not exist, and serves as soon as its folder exists; tcm_qla2xxx refuses one (ENODEV)
  and serves while `enable` is 1.
* a remote port gets access when it logs in, if it has an ACL then. One that finds no target does not ask again until
  the ports log in again: `issue_lip`, or a link that comes back.
* a port that is logged in sees the LUNs that its ACL maps now. Removing the ACL ends the session.
* qla2xxx silently ignores another `qlini_mode` while its target mode is on.
"""

import errno
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from backend.tests.fakemachine.files.configfs import Attribute, Group, refuse
from backend.tests.fakemachine.files.views import Link, Tree, put
from backend.tests.fakemachine.lio.core import TargetCore
from backend.tests.fakemachine.lio.iscsi import IscsiFabric, flag
from backend.tests.fakemachine.network.rdma import RdmaCore

_WWPN = re.compile(r"([0-9a-f]{2}:){7}[0-9a-f]{2}")
_QLA_ATTRIB = {
    "generate_node_acls": "1",
    "cache_dynamic_acls": "1",
    "demo_mode_write_protect": "1",
    "prod_mode_write_protect": "0",
    "demo_mode_login_only": "1",
    "jam_host": "0",
}
FOLDERS = {"qla2xxx": "qla2xxx", "fcoe": "fc"}
"""Folder in configfs by driver."""


@dataclass(eq=False)
class FakeFcPort:
    """A port of the machine. `remotes` are the WWPNs on its fabric, `sessions` those that are let in."""

    wwpn: str
    number: int
    driver: str = "fcoe"
    has_link: bool = True
    ini_mode: str = "exclusive"
    changes_mode: bool = True
    """False for a driver without `qlini_mode`."""
    targets: int = 0
    """Targets of others that are reached through it."""
    remotes: list[str] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    lips: int = 0
    nvme_info: str = ""
    """What lpfc tells of NVMe on the port."""

    @property
    def interface(self) -> str:
        return f"fc{self.number}"


class FcWorld:
    """The ports, their fabric, and target/qla2xxx and target/fc."""

    def __init__(self, core: Callable[[], TargetCore]) -> None:
        self._core = core
        self.ports: list[FakeFcPort] = []
        self.nvme_targets: set[str] = set()
        """The ports that drivers have registered as NVMe targets, by WWNN and WWPN."""
        self.has_fcloop = False

    def fabrics(self, available: set[str]) -> dict[str, Callable[[], Group]]:
        """What mkdir below target/ makes."""
        known = {"qla2xxx": "tcm_qla2xxx", "fc": "tcm_fc"}
        return {folder: _Fabric(self, self._core, folder).make for folder, name in known.items() if name in available}

    def plug_nvme(self, address: str) -> None:
        """nvme_fcloop registers a port as an NVMe target; the module stays when the port goes."""
        self.has_fcloop = True
        self.nvme_targets.add(address)

    def reboot(self) -> None:
        """What nvme_fcloop made is gone."""
        self.nvme_targets.clear()
        self.has_fcloop = False
        for port in self.ports:
            port.sessions.clear()
            port.has_link = True

    def port(self, wwpn: str) -> FakeFcPort | None:
        return next((port for port in self.ports if port.wwpn == wwpn), None)

    def join(self, wwpn: str, port: FakeFcPort) -> None:
        """A host's port comes to the fabric of one of ours and logs in."""
        port.remotes.append(wwpn)
        self._log_in(port, wwpn)

    def luns(self, wwpn: str, port: FakeFcPort) -> dict[int, str]:
        """The backstores a host sees through a port now, by number. Raises ConnectionError without a session."""
        acl = self._acl(port, wwpn)
        if wwpn not in port.sessions or acl is None:
            raise ConnectionError(f"{wwpn} is not logged in to {port.wwpn}")
        mapped = [child for child in acl.children.values() if child.kind == "mapped_lun" and child.links]
        return {int(one.name[4:]): next(iter(one.links["lun"].links.values())).name for one in mapped}

    def log_in_again(self, port: FakeFcPort) -> None:
        port.sessions.clear()
        for wwpn in port.remotes:
            self._log_in(port, wwpn)

    def _log_in(self, port: FakeFcPort, wwpn: str) -> None:
        if port.has_link and self._acl(port, wwpn) is not None:
            port.sessions.add(wwpn)

    def tpg(self, port: FakeFcPort) -> Group | None:
        """Its portal group, if it serves."""
        try:
            root = self._core().root
        except OSError:
            return None
        folder = root.children.get(FOLDERS.get(port.driver, ""))
        named = folder.children.get(port.wwpn) if folder else None
        tpg = named.children.get("tpgt_1") if named else None
        enable = tpg.attributes.get("enable") if tpg else None
        return tpg if enable is None or (enable.show and enable.show() == "1\n") else None

    def _acl(self, port: FakeFcPort, wwpn: str) -> Group | None:
        tpg = self.tpg(port)
        return tpg.children["acls"].children.get(wwpn) if tpg else None

    def write(self, path: str, text: str) -> bool:
        """A write to one of the attributes below; False if it is none of ours."""
        parts = path.split("/")
        if path.startswith("/sys/module/libfcoe/parameters/"):
            port = next((one for one in self.ports if one.interface == text.strip()), None)
            if port is None:
                raise refuse(errno.ENODEV, path)
            port.has_link = parts[-1] == "enable"
            self.log_in_again(port)
            return True
        port = next((one for one in self.ports if f"host{one.number}" in parts), None)
        if port is None or parts[-1] not in ("issue_lip", "qlini_mode"):
            return False
        if parts[-1] == "issue_lip":
            port.lips += 1
            self.log_in_again(port)
        elif text.strip() not in ("exclusive", "disabled", "enabled", "dual"):
            raise refuse(errno.EINVAL, path)
        elif self.tpg(port) is None:
            port.ini_mode = text.strip()
        return True

    def add_to(self, root: Tree) -> None:
        """What /sys shows of the ports."""
        for port in self.ports:
            self._add(root, port)
        if any(port.driver == "fcoe" for port in self.ports):
            for name in ("enable", "disable"):
                put(root, f"/sys/module/libfcoe/parameters/{name}", "")
        if self.has_fcloop:
            put(root, "/sys/module/nvmet_fc/holders/nvme_fcloop/refcnt", "0\n")

    def _add(self, root: Tree, port: FakeFcPort) -> None:
        name, is_qla = f"host{port.number}", port.driver == "qla2xxx"
        place = f"pci0000:00/0000:05:00.0/{name}" if is_qla else f"virtual/net/{port.interface}/ctlr_0/{name}"
        at, scsi = f"/sys/class/fc_host/{name}", f"/sys/class/scsi_host/{name}"
        put(root, f"/sys/devices/{place}/uevent", "")
        put(root, f"{at}/device", Link(f"/sys/devices/{place}"))
        if is_qla:
            put(root, f"/sys/devices/{place.rpartition('/')[0]}/driver", Link("/sys/bus/pci/drivers/qla2xxx"))
            put(root, "/sys/bus/pci/drivers/qla2xxx/bind", "")
        state = "Online" if port.has_link else "Linkdown"
        texts = {
            "port_name": f"0x{port.wwpn.replace(':', '')}",
            "node_name": f"0x10{port.wwpn.replace(':', '')[2:]}",
            "port_state": state,
            "port_type": "NPort (fabric via point-to-point)",
            "speed": "10 Gbit",
            "symbolic_name": f"fake over {port.interface}",
            "issue_lip": "",
        }
        for key, text in texts.items():
            put(root, f"{at}/{key}", f"{text}\n")
        counted = {
            "rx_words": "0x40",
            "tx_words": "0x80",
            "rx_frames": "0x2",
            "tx_frames": "0x3",
            "error_frames": "0xffffffffffffffff",
            "invalid_crc_count": "0x0",
            "link_failure_count": "0x1",
        }
        for key, text in counted.items():
            put(root, f"{at}/statistics/{key}", f"{text}\n")
        put(root, f"{scsi}/proc_name", f"{port.driver if not is_qla else '(null)'}\n")
        put(root, f"{scsi}/active_mode", f"{self._active_mode(port)}\n")
        if port.nvme_info:
            put(root, f"{scsi}/nvme_info", port.nvme_info)
        if is_qla and port.changes_mode:
            shown = f"Supported options: enabled | disabled | dual | exclusive\nCurrent selection: {port.ini_mode}\n"
            put(root, f"{scsi}/qlini_mode", shown)
        for index, wwpn in enumerate(port.remotes):
            remote = f"/sys/class/fc_remote_ports/rport-{port.number}:0-{index}"
            put(root, f"{remote}/port_name", f"0x{wwpn.replace(':', '')}\n")
            put(root, f"{remote}/node_name", f"0x10{wwpn.replace(':', '')[2:]}\n")
            put(root, f"{remote}/roles", "FCP Initiator\n")
            put(root, f"{remote}/port_state", "Online\n" if port.has_link else "Blocked\n")
        for index in range(port.targets):
            put(root, f"/sys/class/fc_transport/target{port.number}:0:{index}/port_name", "0x0\n")

    def _active_mode(self, port: FakeFcPort) -> str:
        is_on = port.driver == "qla2xxx" and self.tpg(port) is not None
        exclusive = port.ini_mode == "exclusive" and not is_on
        initiator = port.driver != "qla2xxx" or exclusive or port.ini_mode in ("enabled", "dual")
        return ", ".join(["Initiator"] * initiator + ["Target"] * is_on) or "unknown"


class _Fabric(IscsiFabric):
    """target/fc or target/qla2xxx: LUNs and mapped LUNs are LIO's own, as below target/iscsi."""

    def __init__(self, world: FcWorld, core: Callable[[], TargetCore], folder: str) -> None:
        super().__init__(core, set(), RdmaCore(set(), lambda module: False))
        self._world, self._folder = world, folder

    def make(self) -> Group:
        group = Group(self._folder, "fabric")
        group.make = self._make_port
        group.add_default(Group("discovery_auth", "discovery_auth"))
        return group

    def _make_port(self, name: str) -> Group:
        if not _WWPN.fullmatch(name):
            raise refuse(errno.EINVAL)
        if self._folder == "qla2xxx" and self._world.port(name) is None:
            raise refuse(errno.ENODEV)
        group = Group(name, "target")
        group.make = lambda child: self._make_group(name, child)
        group.add_default(Group("fabric_statistics", "statistics"))
        return group

    def _make_group(self, wwpn: str, name: str) -> Group:
        if not re.fullmatch(r"tpgt_\d+", name):
            raise refuse(errno.EINVAL)
        if name != "tpgt_1":
            raise refuse(errno.ENOSYS)
        group = Group(name, "tpg", drop=lambda: self._cut(wwpn))
        group.attributes["rtpi"] = Attribute(show=lambda: "1\n")
        if self._folder == "qla2xxx":
            group.attributes["enable"] = self._switch(wwpn)
        attrib = {key: flag(value) for key, value in _QLA_ATTRIB.items()} if self._folder == "qla2xxx" else {}
        for folder in (Group("attrib", "attrib", attrib), Group("param", "param"), Group("auth", "auth")):
            group.add_default(folder)
        group.add_default(Group("np", "np"))
        group.add_default(Group("lun", "lun", make=self._make_lun))
        acls = group.add_default(Group("acls", "acls"))
        acls.make = lambda child: self._make_node(wwpn, group, child)
        return group

    def _switch(self, wwpn: str) -> Attribute:
        held = ["0"]

        def store(text: str) -> None:
            if text.strip() == "1" and held[0] == "1":
                raise refuse(errno.EEXIST)
            held[0] = text.strip()
            port = self._world.port(wwpn)
            if port:
                self._world.log_in_again(port)

        return Attribute(show=lambda: f"{held[0]}\n", store=store)

    def _make_node(self, wwpn: str, tpg: Group, name: str) -> Group:
        if not _WWPN.fullmatch(name):
            raise refuse(errno.EINVAL)
        group = Group(name, "acl", drop=lambda: self._cut(wwpn, name))
        for folder in ("attrib", "auth", "param", "fabric_statistics"):
            group.add_default(Group(folder, folder))
        group.make = lambda child: self._make_number(wwpn, name, tpg, child)
        return group

    def _make_number(self, wwpn: str, remote: str, tpg: Group, name: str) -> Group:
        group = self._make_mapped_lun(tpg, name)

        def ident() -> str:
            port = self._world.port(wwpn)
            if port is None or remote not in port.sessions:
                raise refuse(errno.ENODEV)
            return f"{remote}+i+\n"

        statistics = group.children["statistics"]
        statistics.add_default(Group("scsi_att_intr_port", "statistics", {"port_ident": Attribute(show=ident)}))
        return group

    def _cut(self, wwpn: str, remote: str | None = None) -> None:
        port = self._world.port(wwpn)
        if port:
            port.sessions = {one for one in port.sessions if remote not in (None, one)}
