"""Several interfaces in an installation document: VLANs, bonds, MTU and roles, by the rules of the product."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from backend.tests.installer.server import Server
from lunette.domain.errors import Conflict, Invalid, LunetteError
from lunette.domain.interfaces import InterfaceRole
from lunette.installer.document import Document, parse
from lunette.installer.judge import judge, network_of
from lunette.installer.layout import Plan
from lunette.installer.settings import addresses, write_settings
from lunette.providers.network import files

WEB = {
    "name": "eth0",
    "addresses": ["192.0.2.7/24"],
    "gateway": "192.0.2.254",
    "dns": ["192.0.2.53"],
    "ntp": ["192.0.2.123"],
}
BOND = {
    "name": "bond0",
    "kind": "bond",
    "members": ["eth1", "eth2"],
    "mode": "802.3ad",
    "lacp_rate": "fast",
    "mtu_bytes": 9000,
    "role": "storage",
    "addresses": ["198.51.100.7/24"],
}
VLAN = {
    "name": "storage20",
    "kind": "vlan",
    "parent": "bond0",
    "vlan_id": 20,
    "mtu_bytes": 9000,
    "role": "storage",
    "addresses": ["203.0.113.7/24"],
}


@pytest.fixture
def system() -> Server:
    made = Server({"eth0": "1", "eth1": "1", "eth2": "0"})
    made.network.add("eth2")
    made.addresses.clear()
    return made


def document(system: Server, *interfaces: dict[str, Any], **words: Any) -> Document:
    """A document with these interfaces."""
    raw = {"version": 1, "disk": system.large.serial, "interfaces": list(interfaces), **words}
    return parse(yaml.safe_dump(raw).encode())


def refused(system: Server, *interfaces: dict[str, Any], **words: Any) -> str:
    """All that is said against it."""
    with pytest.raises(LunetteError) as found:
        judge(system, document(system, *interfaces, **words))
    return "; ".join([found.value.detail, *(f"{one.field}: {one.message}" for one in found.value.errors)])


def test_a_bond_of_jumbo_frames_with_a_vlan_is_stored_as_the_agent_would_store_it(
    system: Server, tmp_path: Path
) -> None:
    words = document(system, WEB, BOND, VLAN)
    disks = judge(system, words)
    network = network_of(system, words)
    plan = Plan.make(words, disks, network)
    lines = "\n".join(plan.lines())
    assert "interface bond0: bond of eth1, eth2 (802.3ad), 198.51.100.7/24, MTU 9000, for storage" in lines
    assert "interface storage20: VLAN 20 of bond0, 203.0.113.7/24, MTU 9000, for storage" in lines
    write_settings(tmp_path, words, plan.network)
    kept = tmp_path / files.KEPT.lstrip("/")
    names = sorted(one.name for one in kept.iterdir())
    assert names == sorted(
        [
            "05-lunette-eth0.network",
            "05-lunette-eth1.network",
            "05-lunette-eth2.network",
            "05-lunette-bond0.network",
            "05-lunette-bond0.netdev",
            "05-lunette-storage20.network",
            "05-lunette-storage20.netdev",
        ]
    )
    bond = (kept / "05-lunette-bond0.network").read_text().splitlines()
    for line in ("Name=bond0", "MTUBytes=9000", "VLAN=storage20", "Address=198.51.100.7/24"):
        assert line in bond
    assert "Bond=bond0" in (kept / "05-lunette-eth2.network").read_text().splitlines()
    assert "LACPTransmitRate=fast" in (kept / "05-lunette-bond0.netdev").read_text().splitlines()
    web = (kept / "05-lunette-eth0.network").read_text().splitlines()
    assert {"Gateway=192.0.2.254", "NTP=192.0.2.123"} <= set(web)
    found = files.parse((kept / "05-lunette-storage20.network").read_bytes())
    assert found is not None
    assert (found.role, found.made.vlan_id if found.made else None) == (InterfaceRole.STORAGE, 20)
    assert not (tmp_path / "settings/etc/systemd/network/10-lunette.network").exists()
    assert addresses(words) == ["192.0.2.7"]


def test_the_machine_brings_it_up_at_its_first_start(system: Server) -> None:
    """The stored settings are what settle-network and networkd read."""
    network = network_of(system, document(system, WEB, BOND, VLAN))
    system.mkdir(files.KEPT)
    for name, settings in network:
        for file, content in files.every(name, settings).items():
            if content is not None:
                system.write_durably(f"{files.KEPT}/{file}", content)
    system.power_cut()
    up = system.network.interfaces
    assert (up["bond0"].mtu, up["bond0"].set_up) == (9000, {"198.51.100.7/24"})
    assert (up["eth1"].master, up["eth2"].master) == ("bond0", "bond0")
    assert (up["storage20"].parent, up["storage20"].vlan_id) == ("bond0", 20)
    assert up["eth0"].set_up == {"192.0.2.7/24"}


def test_a_card_may_be_named_by_its_hardware_address(system: Server) -> None:
    words = document(system, {**WEB, "name": system.network.interfaces["eth0"].mac})
    judge(system, words)
    assert [name for name, _ in network_of(system, words)] == ["eth0"]


@pytest.mark.parametrize(
    ("interfaces", "why"),
    [
        ([BOND], "no interface serves the web page"),
        ([{"name": "eth0", "role": "management"}], "no interface serves the web page"),
        ([{**WEB, "name": "eth9"}], "network interface eth9 does not exist"),
        ([{**WEB, "mtu_bytes": 99}], "supports an MTU of 1280"),
        ([{**WEB, "mtu_bytes": 70000}], "less than or equal to 65535"),
        ([{**WEB, "mtu": 9000}], "is not a key of an installation document"),
        ([{**WEB, "role": "data"}], "role"),
        ([{**WEB, "gateway": "203.0.113.1"}], "is not in the network of any of its addresses"),
        ([WEB, WEB], "is specified twice"),
        ([WEB, {**BOND, "members": ["eth1", "eth9"]}], "network interface eth9 was not found"),
        ([WEB, {**BOND, "members": []}], "a bond needs members"),
        ([WEB, {**BOND, "members": ["eth1"]}, {**BOND, "name": "bond1", "members": ["eth1"]}], "it belongs to bond0"),
        ([WEB, VLAN], "network interface bond0 was not found"),
        ([WEB, BOND, {**VLAN, "vlan_id": 4095}], "less than or equal to 4094"),
        ([WEB, BOND, VLAN, {**VLAN, "name": "again"}], "already exists as interface storage20"),
        ([WEB, {**BOND, "mtu_bytes": 1500}, VLAN], "has an MTU of 1500 bytes"),
        ([WEB, {**BOND, "addresses": ["192.0.2.7/24"]}], "is already an address of interface eth0"),
    ],
)
def test_what_the_product_refuses_is_refused(system: Server, interfaces: list[dict[str, Any]], why: str) -> None:
    assert why in refused(system, *interfaces)


def test_network_and_interfaces_are_not_both_named(system: Server) -> None:
    assert "either network or interfaces" in refused(system, WEB, network={"interface": "eth0"})


def test_the_web_page_needs_a_link_below_its_bond(system: Server) -> None:
    bond = {**BOND, "role": "management"}
    judge(system, document(system, bond))
    system.links["eth1"] = "0"
    with pytest.raises(Conflict, match=r"bond0, for the web page, has no link. Interfaces with one: eth0"):
        judge(system, document(system, bond))


def test_a_refusal_is_of_the_kinds_that_the_installer_reports(system: Server) -> None:
    with pytest.raises(Invalid):
        judge(system, document(system, {**WEB, "name": "eth9"}))
