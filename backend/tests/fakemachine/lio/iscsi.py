"""LIO's iSCSI half in configfs: targets, portals, LUNs, ACLs, and the initiators that log in.

Rules of target_core_fabric_configfs.c and iscsi_target_configfs.c (Linux 6.12):
* every refusal below a tpgt's np/ comes out as EINVAL, also an address that is not ours.
* lun_N takes one link, to an enabled backstore (ENODEV); a mapped lun_N one link, to a LUN of its own tpgt (EINVAL).
* CHAP attributes keep what was written, with a trailing newline if there was one; "NULL" unsets them.
* closing a tpgt or removing an ACL ends the sessions on it, and so does another cmdsn_depth (1 to 512; 0 becomes 1).
Stricter than the kernel: an IQN that initiators would refuse is refused here with EINVAL.
"""

import errno
import ipaddress
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from backend.tests.fakemachine.files.configfs import Attribute, Group, constant, refuse, setting
from backend.tests.fakemachine.lio.core import TargetCore, number
from backend.tests.fakemachine.network.rdma import IserListeners, RdmaCore
from backend.tests.fakemachine.network.traffic import MappedLun

_NAME = re.compile(
    r"^(iqn\.\d{4}-(0[1-9]|1[0-2])\.[a-z0-9-]+(\.[a-z0-9-]+)+(:[^\s/]+)?|eui\.[0-9a-f]{16}|naa\.[0-9a-f]{16,32})$"
)
_TPG_ATTRIB = {
    "authentication": "1",
    "cache_dynamic_acls": "0",
    "demo_mode_discovery": "1",
    "demo_mode_write_protect": "1",
    "generate_node_acls": "0",
    "login_keys_workaround": "1",
    "prod_mode_write_protect": "0",
    "t10_pi": "0",
    "tpg_enabled_sendtargets": "1",
}
_TPG_NUMBERS = {"default_cmdsn_depth": "64", "default_erl": "0", "fabric_prot_type": "0", "login_timeout": "15"}
_TPG_PARAM = {"AuthMethod": "CHAP,None", "MaxConnections": "1", "ImmediateData": "Yes", "InitialR2T": "Yes"}
_ACL_ATTRIB = {"dataout_timeout": "3", "default_erl": "0", "nopin_timeout": "15", "nopin_response_timeout": "30"}
_CHAP_LENGTH = 256
_DEPTH, _DEEPEST = 64, 512


@dataclass(eq=False)
class FakeSession:
    """An initiator that is logged in. `luns` are the backstores it saw at login, by LUN number."""

    target: str
    tpgt: str
    initiator: str
    portal: str
    sid: int
    luns: dict[int, str]
    transport: str = "TCP"
    """As the ACL's info tells it; what is not TCP is called SCTP there."""
    peer: str = "192.0.2.10"


class IscsiFabric:
    """target/iscsi."""

    def __init__(
        self, core: Callable[[], TargetCore], addresses: set[str], rdma: RdmaCore, now: Callable[[], float] = time.time
    ) -> None:
        self._core, self._addresses, self._now = core, addresses, now
        self._iser = IserListeners(rdma)
        self.sessions: list[FakeSession] = []
        self.refused: list[tuple[float, str]] = []
        """Who was turned away for want of an ACL, and when: it is in the kernel's log."""
        self.counted: dict[Group, MappedLun] = {}
        """What each mapped LUN has carried."""
        self._sid = 0

    def make(self) -> Group:
        """The fabric's folder, as the mkdir that loads the module gives it."""
        group = Group("iscsi", "fabric", {"lio_version": constant("Datera Inc. iSCSI Target v4.1.0")})
        group.make = self._make_target
        discovery = _chap() | {"enforce_discovery_auth": flag("0")}
        group.add_default(Group("discovery_auth", "discovery_auth", discovery))
        return group

    def _make_target(self, name: str) -> Group:
        if len(name) > 223 or not _NAME.match(name):
            raise refuse(errno.EINVAL)
        group = Group(name, "target")
        group.make = lambda child: self._make_tpg(group, child)
        counted = Attribute(show=lambda: f"{sum(one.target == name for one in self.sessions)}\n")
        statistics = group.add_default(Group("fabric_statistics", "statistics"))
        statistics.add_default(Group("iscsi_instance", "statistics", {"sessions": counted}))
        return group

    def _make_tpg(self, target: Group, name: str) -> Group:
        if not re.fullmatch(r"tpgt_\d{1,5}", name):
            raise refuse(errno.EINVAL)
        group = Group(name, "tpg", drop=lambda: self.close_sessions(target.name, name))
        enabled = flag("0")
        keep = enabled.store

        def enable(text: str) -> None:
            if keep:
                keep(text)
            if not number(text):
                self.close_sessions(target.name, name)

        group.attributes["enable"] = Attribute(show=enabled.show, store=enable)
        group.attributes["dynamic_sessions"] = Attribute(show=lambda: "")
        group.attributes["rtpi"] = setting("1")
        attrib = {key: flag(value) for key, value in _TPG_ATTRIB.items()}
        group.add_default(Group("attrib", "attrib", attrib | {k: _count(v) for k, v in _TPG_NUMBERS.items()}))
        group.add_default(Group("param", "param", {key: setting(value) for key, value in _TPG_PARAM.items()}))
        group.add_default(Group("auth", "auth", _chap()))
        group.add_default(Group("np", "np", make=self._make_portal))
        group.add_default(Group("lun", "lun", make=self._make_lun))
        acls = group.add_default(Group("acls", "acls"))
        acls.make = lambda child: self._make_acl(target, group, child)
        return group

    def _make_portal(self, name: str) -> Group:
        match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})", name)
        if not match:
            raise refuse(errno.EINVAL)
        try:
            address = ipaddress.ip_address(match[1] or match[2])
        except ValueError:
            raise refuse(errno.EINVAL) from None
        if (match[1] is None) != (address.version == 4) or not 0 < int(match[3]) <= 65535:
            raise refuse(errno.EINVAL)
        if not address.is_unspecified and str(address) not in self._addresses:
            raise refuse(errno.EINVAL)  # EADDRNOTAVAIL of the bind is mapped to EINVAL by target_fabric_make_np
        return self._portal(name, str(address), int(match[3]))

    def _portal(self, name: str, address: str, port: int) -> Group:
        """iser=1 listens over RDMA on the same port as TCP, once more at each write; removing the folder ends that."""
        times = [0]

        def set_iser(text: str) -> None:
            if number(text, range(2)):
                self._iser.take(address, port)
                times[0] += 1
            elif times[0]:
                self._iser.leave(address, port)
                times[0] -= 1

        def drop() -> None:
            while times[0]:
                set_iser("0")

        iser = Attribute(show=lambda: f"{int(bool(times[0]))}\n", store=set_iser)
        return Group(name, "portal", {"iser": iser, "cxgbit": flag("0")}, drop=drop)

    def _make_lun(self, name: str) -> Group:
        lun_number(name)
        group = Group(name, "lun", {"alua_tg_pt_gp": setting(""), "alua_tg_pt_status": setting("None")})
        group.add_default(Group("statistics", "statistics"))
        group.allow_link = lambda target: self._link_backstore(group, target)
        group.drop_link = self._drop_backstore
        return group

    def _link_backstore(self, lun: Group, target: Group) -> None:
        backstore = self._core().backstores.get(target)
        if backstore is None:
            raise refuse(errno.EFAULT)  # dev_link_magic does not match
        if lun.links:
            raise refuse(errno.EEXIST)
        if not backstore.configured:
            raise refuse(errno.ENODEV)
        backstore.exports += 1

    def _drop_backstore(self, target: Group) -> None:
        self._core().backstores[target].exports -= 1

    def _make_acl(self, target: Group, tpg: Group, name: str) -> Group:
        if len(name) > 223 or not _NAME.match(name):
            raise refuse(errno.EINVAL)
        group = Group(name, "acl", {"tag": setting("")})
        group.attributes["cmdsn_depth"] = _depth(lambda: self.close_sessions(target.name, tpg.name, name))
        group.attributes["info"] = Attribute(show=lambda: self._info(target.name, tpg.name, name))
        attrib = {key: _count(value) for key, value in _ACL_ATTRIB.items()}
        group.add_default(Group("attrib", "attrib", attrib | {"authentication": _inherited()}))
        group.add_default(Group("auth", "auth", _chap()))
        group.add_default(Group("param", "param"))
        group.add_default(Group("fabric_statistics", "statistics"))
        group.make = lambda child: self._make_mapped_lun(tpg, child)
        group.drop = lambda: self.close_sessions(target.name, tpg.name, name)
        return group

    def _make_mapped_lun(self, tpg: Group, name: str) -> Group:
        lun_number(name)
        group = Group(name, "mapped_lun", {"write_protect": flag("0")})
        counted = self.counted[group] = MappedLun()
        group.add_default(Group("statistics", "statistics")).add_default(counted.group())

        def allow(target: Group) -> None:
            if target.kind != "lun":
                raise refuse(errno.EFAULT)
            if not target.links or target.parent is None or target.parent.parent is not tpg:
                raise refuse(errno.EINVAL)
            if group.links:
                raise refuse(errno.EINVAL)

        group.allow_link = allow
        group.drop = lambda: self.counted.__delitem__(group)
        return group

    def mapped_lun(self, session: FakeSession, lun: int) -> MappedLun:
        """The counters of a LUN of a session. Raises ConnectionError if the session has ended."""
        if session not in self.sessions or lun not in session.luns:
            raise ConnectionError("the session has ended, or has no such LUN")
        tpg = self._core().root.children["iscsi"].children[session.target].children[session.tpgt]
        return self.counted[tpg.children["acls"].children[session.initiator].children[f"lun_{lun}"]]

    def close_sessions(self, target: str, tpgt: str, initiator: str | None = None) -> None:
        """End the sessions on a portal group, or those of one initiator."""
        self.sessions = [
            s for s in self.sessions if (s.target, s.tpgt) != (target, tpgt) or initiator not in (None, s.initiator)
        ]

    def sockets(self) -> str:
        """/proc/net/tcp: connections over TCP; iSER has none."""
        lines = ["  sl  local_address rem_address   st"]
        for number_, session in enumerate(one for one in self.sessions if one.transport == "TCP"):
            address, _, port = session.portal.rpartition(":")
            local = f"{_little(address)}:{int(port):04X}"
            lines.append(f"{number_:4}: {local} {_little(session.peer)}:9C40 01")
        return "\n".join(lines) + "\n"

    def login(
        self,
        initiator: str,
        target: str,
        portal: str,
        chap: tuple[str, str] | None = None,
        *,
        iser: bool = False,
        peer: str = "192.0.2.10",
    ) -> FakeSession:
        """Log in as an initiator does, over TCP or iSER. Raises PermissionError or ConnectionError with the reason."""
        fabric = self._core().root.children.get("iscsi")
        group = fabric.children.get(target) if fabric else None
        tpgs = [t for t in group.children.values() if t.kind == "tpg"] if group else []
        tpg = next((t for t in tpgs if portal in t.children["np"].children), None)
        if tpg is None:
            raise ConnectionError(f"no target {target} at {portal}")
        if iser:
            address, _, port = portal.rpartition(":")
            is_offered = _text(tpg.children["np"].children[portal].attributes["iser"]) == "1"
            if not is_offered or not self._iser.is_heard(address.strip("[]"), int(port)):
                raise ConnectionError(f"nobody listens over RDMA at {portal}")
        if _text(tpg.attributes["enable"]) != "1":
            raise ConnectionError("service unavailable (0x0301): the portal group is not enabled")
        acl = tpg.children["acls"].children.get(initiator)
        if acl is None:
            self.refused.append((self._now(), initiator.lower()))
            raise PermissionError("authorization failure (0x0202): no ACL for this initiator")
        self._authenticate(tpg, acl, chap)
        luns = {
            lun_number(mapped.name): next(iter(next(iter(mapped.links.values())).links.values())).name
            for mapped in acl.children.values()
            if mapped.kind == "mapped_lun" and mapped.links and next(iter(mapped.links.values())).links
        }
        self._sid += 1
        session = FakeSession(target, tpg.name, initiator, portal, self._sid, luns, "SCTP" if iser else "TCP", peer)
        self.sessions.append(session)
        return session

    def rejoin(self, session: FakeSession) -> None:
        """A host that was in comes back as it was, under another number."""
        self._sid += 1
        self.sessions.append(replace(session, sid=self._sid))

    def _authenticate(self, tpg: Group, acl: Group, chap: tuple[str, str] | None) -> None:
        wanted = _text(acl.children["attrib"].attributes["authentication"])
        if wanted == "-1":
            wanted = _text(tpg.children["attrib"].attributes["authentication"])
        if wanted == "0":
            return
        auth = acl.children["auth"].attributes
        known = (_text(auth["userid"]), _text(auth["password"]))
        if chap is None or "" in known or "NULL" in known or chap != known:
            raise PermissionError("authentication failure (0x0201)")

    def _info(self, target: str, tpgt: str, initiator: str) -> str:
        """Of the newest session (core_tpg's nacl_sess)."""
        found = [s for s in self.sessions if (s.target, s.tpgt, s.initiator) == (target, tpgt, initiator)]
        session = found[-1] if found else None
        if session is None:
            return f"No active iSCSI Session for Initiator Endpoint: {initiator}\n"
        return (
            f"InitiatorName: {initiator}\nInitiatorAlias: (none)\n"
            f"LIO Session ID: {session.sid}   ISID: 0x00 02 3d 00 00 01  TSIH: {session.sid}  SessionType: Normal\n"
            "Session State: TARG_SESS_STATE_LOGGED_IN\n"
            "---------------------[iSCSI Session Values]-----------------------\n"
            "  CmdSN/WR  :  CmdSN/WC  :  ExpCmdSN  :  MaxCmdSN  :     ITT    :     TTT\n"
            " 0x00000010   0x0000003f   0x00000010   0x0000004e   0x00000010   0x00000000\n"
            "----------------------[iSCSI Connections]-------------------------\n"
            "CID: 0  Connection State: TARG_CONN_STATE_LOGGED_IN\n"
            f"   Address {session.peer} {session.transport}  StatSN: 0x00000010\n"
        )


def _little(address: str) -> str:
    """An IPv4 address as the kernel prints it on a little-endian machine."""
    return ipaddress.IPv4Address(address).packed[::-1].hex().upper()


def lun_number(name: str) -> int:
    """N of a folder lun_N. Raises OSError(EINVAL) for another name."""
    if not re.fullmatch(r"lun_\d{1,5}", name) or int(name[4:]) > 65535:
        raise refuse(errno.EINVAL)
    return int(name[4:])


def _text(attribute: Attribute) -> str:
    return attribute.show().strip() if attribute.show else ""


def flag(value: str) -> Attribute:
    """0 or 1."""
    return setting(value, lambda text: _check_number(text, range(2)))


def _count(value: str) -> Attribute:
    return setting(value, lambda text: _check_number(text, None))


def _check_number(text: str, allowed: range | None) -> None:
    number(text, allowed)


def _depth(end_sessions: Callable[[], None]) -> Attribute:
    """A write of what it is already does nothing (core_tpg_set_initiator_node_queue_depth)."""
    held = [_DEPTH]

    def store(text: str) -> None:
        wanted = max(1, number(text, range(_DEEPEST + 1)))
        if wanted != held[0]:
            held[0] = wanted
            end_sessions()

    return Attribute(show=lambda: f"{held[0]}\n", store=store)


def _inherited() -> Attribute:
    """acls/*/attrib/authentication: -1 takes the portal group's, 0 and 1 are its own (since 6.1)."""

    def check(text: str) -> None:
        if text.strip() not in ("-1", "0", "1"):
            raise refuse(errno.EINVAL)

    return setting("-1", check)


def _chap() -> dict[str, Attribute]:
    held = {"userid": "", "password": "", "userid_mutual": "", "password_mutual": ""}

    def attribute(name: str) -> Attribute:
        def store(text: str) -> None:
            if len(text) >= _CHAP_LENGTH:
                raise refuse(errno.EINVAL)
            held[name] = text

        return Attribute(show=lambda: f"{held[name]}\n", store=store)

    def is_set(name: str) -> bool:
        return bool(held[name]) and not held[name].startswith("NULL")

    both = Attribute(show=lambda: f"{int(is_set('userid_mutual') and is_set('password_mutual'))}\n")
    return {name: attribute(name) for name in held} | {"authenticate_target": both}
