"""The kernel's NVMe target in configfs: subsystems, namespaces, hosts, ports, and the hosts that connect.

Rules of drivers/nvme/target/configfs.c, core.c and auth.c (Linux 6.12):
* a namespace refuses its device and identity while it is enabled (EBUSY), and is enabled only with a device that is
  there (ENOENT); the device is opened and not claimed, so a second engine would get it too.
* a port refuses its address while it listens (EACCES); its first link makes it listen (EADDRNOTAVAIL, EADDRINUSE; a
  Fibre Channel port that no driver registered ENXIO, one that is taken EALREADY).
* a referral takes no other address while it is enabled (EACCES).
* allowed_hosts takes hosts only (EINVAL), none while any host is allowed (EINVAL), each once (EEXIST).
* serial and model cannot change once a host has connected (EINVAL). A key must look like one (EINVAL); NUL clears it.
* whether a host is allowed is checked only when it connects; removing a subsystem from a port ends its connections.
* a subsystem the port does not serve and a host that is not allowed are refused for good (do not retry); a key that
  cannot be decoded is an internal error, which a host retries.
"""

import errno
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from pydantic import SecretStr

from backend.tests.fakemachine.files.configfs import Attribute, Group, constant, refuse, setting
from backend.tests.fakemachine.lio.core import number
from backend.tests.fakemachine.network.rdma import NVMET, RdmaCore
from lunette.domain.dhchap import check_secret

_TRANSPORTS, _FAMILIES = ("rdma", "fc", "tcp", "loop"), ("ipv4", "ipv6", "ib", "fc", "loop")
_DH_GROUPS = ("null", "ffdhe2048", "ffdhe3072", "ffdhe4096", "ffdhe6144", "ffdhe8192")
_HASHES = ("hmac(sha256)", "hmac(sha384)", "hmac(sha512)")
_ANA_STATES = ("optimized", "non-optimized", "inaccessible", "persistent-loss", "change")


class Refuse(Exception):
    """A host was refused; `retries` tells whether its kernel tries again (no Do Not Retry bit)."""

    def __init__(self, why: str, *, retries: bool) -> None:
        super().__init__(why)
        self.retries = retries


class SharedOpener(Protocol):
    """What nvmet asks of the block layer."""

    def open_shared(self, path: str, opener: str) -> str: ...

    def close_shared(self, kernel_name: str, opener: str) -> None: ...


@dataclass(eq=False)
class FakeController:
    """A connection: which host, to which subsystem, through which port."""

    host: str
    subsystem: str
    port: str
    events: list[str] = field(default_factory=list)
    """The asynchronous events that the host received."""


class NvmeTarget:
    """nvmet/."""

    def __init__(
        self, blocks: SharedOpener, addresses: set[str], rdma: RdmaCore, fc_ports: Collection[str] = ()
    ) -> None:
        self._blocks, self._addresses, self._rdma, self._fc_ports = blocks, addresses, rdma, fc_ports
        self.controllers: list[FakeController] = []
        self._discovered: set[str] = set()
        nqn = setting("nqn.2014-08.org.nvmexpress.discovery")
        self.root = Group("nvmet", "nvmet", {"discovery_nqn": nqn})
        self.subsystems = self.root.add_default(Group("subsystems", "subsystems", make=self._make_subsystem))
        self.ports = self.root.add_default(Group("ports", "ports", make=self._make_port))
        self.hosts = self.root.add_default(Group("hosts", "hosts", make=self._make_host))

    def _make_host(self, name: str) -> Group:
        return Group(
            name,
            "host",
            {
                "dhchap_key": _key(),
                "dhchap_ctrl_key": _key(),
                "dhchap_hash": _choice("hmac(sha256)", _HASHES),
                "dhchap_dhgroup": _choice("null", _DH_GROUPS),
            },
        )

    def _make_subsystem(self, name: str) -> Group:
        group = Group(name, "subsystem")
        group.attributes = {
            "attr_allow_any_host": setting("0", lambda text: self._check_any_host(group, text)),
            "attr_serial": setting("b4e1f9d0a3c75826", lambda text: self._check_text(name, text, 20)),
            "attr_model": setting("Linux", lambda text: self._check_text(name, text, 40)),
            "attr_firmware": setting("6.12.0", lambda text: self._check_text(name, text, 8)),
            "attr_cntlid_min": setting("1", _count),
            "attr_cntlid_max": setting("65519", _count),
            "attr_version": setting("1.3"),
            "attr_qid_max": setting("128", _count),
        }
        namespaces = group.add_default(Group("namespaces", "namespaces"))
        namespaces.make = lambda nsid: self._make_namespace(name, nsid)
        allowed = group.add_default(Group("allowed_hosts", "allowed_hosts"))
        allowed.allow_link = lambda host: self._allow(group, allowed, host)
        group.add_default(Group("passthru", "passthru", {"device_path": setting(""), "enable": constant("0")}))
        return group

    def _check_any_host(self, subsystem: Group, text: str) -> None:
        if number(text, range(2)) and subsystem.children["allowed_hosts"].links:
            raise refuse(errno.EINVAL)

    def _check_text(self, subsystem: str, text: str, length: int) -> None:
        if subsystem in self._discovered or not 0 < len(text.rstrip("\n")) <= length:
            raise refuse(errno.EINVAL)

    def _allow(self, subsystem: Group, allowed: Group, host: Group) -> None:
        if host.kind != "host" or _text(subsystem, "attr_allow_any_host") == "1":
            raise refuse(errno.EINVAL)
        if any(known is host for known in allowed.links.values()):
            raise refuse(errno.EEXIST)

    def _make_namespace(self, subsystem: str, name: str) -> Group:
        if not number(name) or number(name) > 0xFFFFFFFE:
            raise refuse(errno.EINVAL)
        return _Namespace(self, self._blocks, subsystem, name).group

    def tell(self, subsystem: str, event: str) -> None:
        """Send an asynchronous event to every host that is connected."""
        for controller in self.controllers:
            if controller.subsystem == subsystem:
                controller.events.append(event)

    def _make_port(self, name: str) -> Group:
        if number(name) > 65535:
            raise refuse(errno.EINVAL)
        group = Group(name, "port")
        inside = group.add_default(Group("subsystems", "port_subsystems"))

        address = _addressing(lambda: bool(inside.links))
        group.attributes = _addresses(address) | {"addr_tsas": address("none"), "param_inline_data_size": address("-1")}
        inside.allow_link = lambda subsystem: self._serve(group, inside, subsystem)
        inside.drop_link = lambda subsystem: self._end(group, subsystem.name)
        group.add_default(Group("referrals", "referrals", make=_make_referral))
        ana = group.add_default(Group("ana_groups", "ana_groups"))
        ana.add_default(Group("1", "ana_group", {"ana_state": _choice("optimized", _ANA_STATES)}))
        return group

    def _serve(self, port: Group, inside: Group, subsystem: Group) -> None:
        if subsystem.kind != "subsystem":
            raise refuse(errno.EINVAL)
        if any(known is subsystem for known in inside.links.values()):
            raise refuse(errno.EEXIST)
        if inside.links:
            return
        where = _address(port)
        if where[0] not in ("tcp", "rdma", "fc"):
            raise refuse(errno.EINVAL)
        if where[0] == "rdma":
            self._rdma.listen(where[1], int(where[2]), NVMET)
            return
        taken = any(_address(p) == where and p.children["subsystems"].links for p in self.ports.children.values())
        if where[0] == "fc" and where[1] not in self._fc_ports:
            raise refuse(errno.ENXIO)
        if where[0] == "tcp" and where[1] not in (*self._addresses, "0.0.0.0", "::"):
            raise refuse(errno.EADDRNOTAVAIL)
        if taken:
            raise refuse(errno.EALREADY if where[0] == "fc" else errno.EADDRINUSE)

    def _end(self, port: Group, subsystem: str) -> None:
        self.controllers = [c for c in self.controllers if (c.port, c.subsystem) != (port.name, subsystem)]
        if _address(port)[0] == "rdma" and not port.children["subsystems"].links:
            self._rdma.close(*_place(port))

    def connect(
        self, host: str, subsystem: str, where: str, keys: tuple[str, str | None] | None, transport: str = "tcp"
    ) -> FakeController:
        """Connect as a host does; `keys` are its own and the one it requires of us.

        Raises ConnectionError where nothing listens, Refuse.
        """
        port = self._listening(where, transport)
        served = next((s for s in port.children["subsystems"].links.values() if s.name == subsystem), None)
        if served is None:
            raise Refuse("no such subsystem here", retries=False)
        known = next((h for h in served.children["allowed_hosts"].links.values() if h.name == host), None)
        if known is None:
            raise Refuse("this host is not allowed", retries=False)
        _authenticate(known, keys)
        controller = FakeController(host, subsystem, port.name)
        self.controllers.append(controller)
        self._discovered.add(subsystem)
        return controller

    def discover(self, host: str, where: str, transport: str = "tcp") -> set[str]:
        """What a host discovers at a port: subsystems by NQN, and referrals as transport:address:port.

        Raises ConnectionError where nothing listens.
        """
        port = self._listening(where, transport)
        served = port.children["subsystems"].links.values()
        found = {s.name for s in served if host in {h.name for h in s.children["allowed_hosts"].links.values()}}
        referrals = port.children["referrals"].children.values()
        return found | {":".join(_address(one)) for one in referrals if _text(one, "enable") == "1"}

    def _listening(self, where: str, transport: str) -> Group:
        named = f"{transport}:{where}" + (":" if transport == "fc" else "")
        ports = [port for port in self.ports.children.values() if port.children["subsystems"].links]
        port = next((port for port in ports if ":".join(_address(port)) == named), None)
        deaf = port is None or (transport == "rdma" and not self._rdma.is_heard(*_place(port)))
        if port is None or deaf or (transport == "fc" and where not in self._fc_ports):
            raise ConnectionError(f"nobody listens on {where}")
        return port

    def devices(self, controller: FakeController) -> dict[int, str]:
        """Device path by namespace id, as the host sees them now. Raises ConnectionError if the connection ended."""
        if controller not in self.controllers:
            raise ConnectionError("the connection has ended")
        found = self.subsystems.children[controller.subsystem].children["namespaces"].children.values()
        return {int(ns.name): _text(ns, "device_path") for ns in found if _text(ns, "enable") == "1"}


def _addressing(is_held: Callable[[], bool]) -> Callable[..., Attribute]:
    """A factory for the attributes of an address, which cannot change while it is held."""

    def address(value: str, allowed: tuple[str, ...] | None = None) -> Attribute:
        def check(text: str) -> None:
            if is_held():
                raise refuse(errno.EACCES)
            if allowed is not None and text.strip() not in allowed:
                raise refuse(errno.EINVAL)

        return setting(value, check)

    return address


def _addresses(address: Callable[..., Attribute]) -> dict[str, Attribute]:
    return {
        "addr_trtype": address("", _TRANSPORTS),
        "addr_adrfam": address("", _FAMILIES),
        "addr_traddr": address(""),
        "addr_trsvcid": address(""),
        "addr_treq": address("not specified"),
    }


def _make_referral(name: str) -> Group:
    group = Group(name, "referral")
    address = _addressing(lambda: _text(group, "enable") == "1")
    enable = setting("0", lambda text: _refuse_unless(text.strip() in ("0", "1")))
    group.attributes = _addresses(address) | {"addr_portid": address("0"), "enable": enable}
    return group


class _Namespace:
    """One namespace and, once enabled, the device it has open."""

    def __init__(self, target: NvmeTarget, blocks: SharedOpener, subsystem: str, name: str) -> None:
        self._target, self._blocks, self._subsystem = target, blocks, subsystem
        self._opened: str | None = None
        self._opener = f"nvmet:{subsystem}/{name}"
        self.group = Group(
            name,
            "namespace",
            {
                "device_path": setting("(null)", self._check_path),
                "device_uuid": self._identity(),
                "device_nguid": self._identity(),
                "ana_grpid": setting("1", lambda text: _refuse_unless(number(text) in range(1, 129))),
                "enable": Attribute(show=lambda: f"{int(self._opened is not None)}\n", store=self._enable),
                "buffered_io": setting("0", lambda _: _refuse_unless(self._opened is None)),
                "revalidate_size": Attribute(store=lambda _: _refuse_unless(self._opened is not None)),
            },
            drop=self._disable,
        )

    def _identity(self) -> Attribute:
        held = [str(UUID(int=0))]

        def store(text: str) -> None:
            self._refuse_while_enabled()
            try:
                held[0] = str(UUID(text.strip()))
            except ValueError:
                raise refuse(errno.EINVAL) from None

        return Attribute(show=lambda: f"{held[0]}\n", store=store)

    def _refuse_while_enabled(self) -> None:
        if self._opened is not None:
            raise refuse(errno.EBUSY)

    def _check_path(self, text: str) -> None:
        self._refuse_while_enabled()
        _refuse_unless(bool(text.strip()))

    def _enable(self, text: str) -> None:
        if not number(text, range(2)):
            self._disable()
        elif self._opened is None:
            self._opened = self._blocks.open_shared(_text(self.group, "device_path"), self._opener)
            self._target.tell(self._subsystem, f"namespace {self.group.name} changed")

    def _disable(self) -> None:
        if self._opened is not None:
            self._blocks.close_shared(self._opened, self._opener)
            self._opened = None
            self._target.tell(self._subsystem, f"namespace {self.group.name} changed")


def _authenticate(host: Group, keys: tuple[str, str | None] | None) -> None:
    wanted, mutual = _text(host, "dhchap_key"), _text(host, "dhchap_ctrl_key")
    if not wanted:
        return
    for key in (wanted, mutual):
        if key and not _can_be_decoded(key):
            raise Refuse("internal error: the key cannot be decoded", retries=True)
    if keys is None or keys[0] != wanted:
        raise Refuse("authentication failed", retries=False)
    if keys[1] is not None and keys[1] != mutual:
        raise Refuse("the host does not recognise the controller", retries=False)


def _can_be_decoded(key: str) -> bool:
    try:
        check_secret(SecretStr(key))
    except ValueError:
        return False
    return True


def _key() -> Attribute:
    held = [""]

    def store(text: str) -> None:
        if text.startswith("\0"):
            held[0] = ""
        elif re.match(r"DHHC-1:0?[0-3]:", text):
            held[0] = text.strip()
        else:
            raise refuse(errno.EINVAL)

    return Attribute(show=lambda: f"{held[0]}\n", store=store)


def _choice(value: str, allowed: tuple[str, ...]) -> Attribute:
    return setting(value, lambda text: _refuse_unless(text.strip() in allowed))


def _count(text: str) -> None:
    _refuse_unless(0 < number(text) < 65536)


def _refuse_unless(right: bool) -> None:
    if not right:
        raise refuse(errno.EINVAL)


def _address(port: Group) -> tuple[str, str, str]:
    return _text(port, "addr_trtype"), _text(port, "addr_traddr"), _text(port, "addr_trsvcid")


def _place(port: Group) -> tuple[str, int]:
    _, address, number_of_port = _address(port)
    return address, int(number_of_port)


def _text(group: Group, name: str) -> str:
    show: Callable[[], str] | None = group.attributes[name].show
    return show().strip() if show else ""
