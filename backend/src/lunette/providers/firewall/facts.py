"""Facts for the rules: roles of interfaces, their addresses, SSH, and listeners in the kernel."""

import re
from collections.abc import Collection, Iterator

from lunette.domain.firewall import Opening, PortProtocol, openings
from lunette.domain.interfaces import InterfaceRole
from lunette.domain.mappings import Protocol
from lunette.providers.exports.lio.configfs import ROOT as LIO
from lunette.providers.exports.nvmet.configfs import ROOT as NVMET
from lunette.providers.network import files
from lunette.providers.network.observe import links
from lunette.system.system_port import System

SSHD = ("/etc/ssh/sshd_config", "/etc/ssh/sshd_config.d")
_TARGETS = ("iqn.", "eui.", "naa.")
_PORT = re.compile(r"^\s*Port[\s=]+(\d+)\s*$", re.MULTILINE | re.IGNORECASE)


def storage_alone(system: System, folder: str) -> frozenset[str]:
    """Interfaces that serve only hosts, according to the files in a directory: `files.READ` or `files.KEPT`."""
    found = set()
    for name in system.listdir(folder):
        interface = files.interface_of(name)
        content = system.read_file(f"{folder}/{name}") if interface else None
        settings = files.parse(content) if content else None
        if interface and settings is not None and settings.role is InterfaceRole.STORAGE and settings.bond is None:
            found.add(interface)
    return frozenset(found)


def is_reached_otherwise(system: System, storage: Collection[str]) -> bool:
    """True if an interface other than these has an address. One without a role counts with a carrier: an empty bridge
    of a container engine has an address too.
    """
    return any(
        link["ifname"] not in storage
        and "LOOPBACK" not in link.get("flags", ())
        and ("LOWER_UP" in link.get("flags", ()) or system.exists(f"{files.READ}/{files.file_name(link['ifname'])}"))
        and any(entry.get("scope") == "global" for entry in link.get("addr_info", ()))
        for link in links(system)
    )


def management(system: System, api_port: int) -> frozenset[Opening]:
    """Web page and API, and SSH if its server is installed, on the ports of its own configuration."""
    ports = {api_port}
    if system.find_tool("sshd") is not None:
        texts = [system.read_file(SSHD[0])]
        texts += [system.read_file(f"{SSHD[1]}/{name}") for name in system.listdir(SSHD[1]) if name.endswith(".conf")]
        found = {int(port) for text in texts if text for port in _PORT.findall(text.decode(errors="replace"))}
        ports |= found or {22}
    return frozenset(Opening(protocol=PortProtocol.TCP, port=port) for port in ports)


def standing(system: System, known: Collection[str] = ()) -> frozenset[Opening]:
    """Listeners in the kernel, of any system, except LIO's targets of these names."""
    return frozenset(one for found in (_lio(system, known), _nvmet(system)) for one in found)


def _lio(system: System, known: Collection[str]) -> Iterator[Opening]:
    for target in system.listdir(f"{LIO}/iscsi"):
        if target in known or not target.startswith(_TARGETS):
            continue
        for group in system.listdir(f"{LIO}/iscsi/{target}"):
            for place in system.listdir(f"{LIO}/iscsi/{target}/{group}/np"):
                address, _, port = place.rpartition(":")
                if port.isdigit():
                    protocol = _lio_protocol(system, f"{LIO}/iscsi/{target}/{group}/np/{place}")
                    yield from _opened(protocol, address.strip("[]"), port)


def _lio_protocol(system: System, path: str) -> Protocol:
    try:
        return Protocol.ISER if system.read(f"{path}/iser").strip() == "1" else Protocol.ISCSI
    except OSError:
        return Protocol.ISCSI


def _nvmet(system: System) -> Iterator[Opening]:
    for number in system.listdir(f"{NVMET}/ports"):
        reported = {}
        for name in ("addr_trtype", "addr_traddr", "addr_trsvcid"):
            try:
                reported[name] = system.read(f"{NVMET}/ports/{number}/{name}").strip()
            except OSError:
                break
        else:
            protocol = {"tcp": Protocol.NVME_TCP, "rdma": Protocol.NVME_RDMA}.get(reported["addr_trtype"])
            if protocol is not None and reported["addr_trsvcid"].isdigit():
                yield from _opened(protocol, reported["addr_traddr"], reported["addr_trsvcid"])


def _opened(protocol: Protocol, address: str, port: str) -> Iterator[Opening]:
    try:
        yield from openings(protocol, address, int(port))
    except ValueError:
        return
