"""RDMA devices: what sysfs and the rdma tool tell, and where a portal can listen."""

import json
from collections.abc import Sequence
from ipaddress import ip_address

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.recorded import recorded
from lunette.domain.errors import ToolFailed
from lunette.domain.rdma import NO_DEVICE, RdmaAddress, RdmaDevice, blocker
from lunette.providers.fabrics import rdma


def device(*addresses: str, state: str = "active", name: str = "rxe0", interface: str = "eth1") -> RdmaDevice:
    return RdmaDevice(
        name=name,
        port=1,
        interface=interface,
        link_layer="Ethernet",
        state=state,
        physical_state="linkup",
        rate=None,
        mtu_bytes=1500,
        firmware=None,
        node_guid=None,
        addresses=tuple(
            RdmaAddress(address=one, gid_index=n, gid="", kind="RoCE v2", interface=interface)
            for n, one in enumerate(addresses)
        ),
    )


@pytest.mark.parametrize(
    ("gid", "address"),
    [
        ("0000:0000:0000:0000:0000:ffff:c0a8:4d01", "192.168.77.1"),
        ("2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"),
        ("fe80:0000:0000:0000:5054:00ff:fe4c:5502", None),
        ("0000:0000:0000:0000:0000:0000:0000:0000", None),
    ],
)
def test_a_gid_is_an_address_unless_it_is_empty_or_what_every_port_has(gid: str, address: str | None) -> None:
    assert rdma.parse_gid(gid) == address


def test_listeners_are_reported_with_their_places() -> None:
    reported = rdma.parse_listeners(recorded("iproute2-6.15/rdma-resource-cm_id.json"))
    assert reported == {(ip_address(a), p) for a, p in (("192.168.77.1", 3261), ("0.0.0.0", 3263), ("127.0.0.1", 3262))}
    assert rdma.parse_listeners("") == frozenset()


@pytest.mark.parametrize(("state", "is_alive"), [("CONNECT", True), ("DISCONNECT", False)])
def test_a_connected_host_needs_no_presence_on_the_fabric(state: str, is_alive: bool) -> None:
    reported = [{"state": state, "src-addr": "2001:db8::1:4420", "dst-addr": "2001:db8::9:40000"}]
    assert rdma.parse_listeners(json.dumps(reported)) == ({(ip_address("2001:db8::1"), 4420)} if is_alive else set())


def test_a_device_is_seen_with_its_link_and_its_addresses() -> None:
    machine = FakeSystem()
    assert rdma.observe(machine) == ()
    machine.plug_rdma("rxe0")
    (seen,) = rdma.observe(machine)
    assert (seen.id, seen.interface, seen.link_layer, seen.mtu_bytes) == ("rxe0/1", "eth0", "Ethernet", 1500)
    assert (seen.state, seen.physical_state, seen.rate) == ("active", "linkup", "10 Gb/sec (1X QDR)")
    assert [(one.address, one.gid_index, one.kind) for one in seen.addresses] == [
        ("192.0.2.1", 1, "RoCE v2"),
        ("2001:db8::1", 2, "RoCE v2"),
    ]
    assert (seen.firmware, seen.reason) == (None, None)


def test_what_prevents_all_access_to_a_device_is_reported_with_what_to_do() -> None:
    assert "check the cable" in (device("192.0.2.1", state="down").reason or "")
    assert "assign one to eth1" in (device().reason or "")


def test_only_addresses_of_rdma_devices_can_be_listened_on() -> None:
    there = [device("192.0.2.1"), device("2001:db8::1", name="mlx5_0", interface="eth2")]
    assert blocker("192.0.2.1", there) is None
    assert blocker("2001:db8:0::1", there) is None
    assert blocker("0.0.0.0", there) is None
    refusal = blocker("10.0.2.15", there)
    assert refusal == (
        "no RDMA device has the address 10.0.2.15: use one of 192.0.2.1 (rxe0/1), 2001:db8::1 (mlx5_0/1)"
    )
    assert blocker("10.0.2.15", [device()]) == "no RDMA device has the address 10.0.2.15: assign it to eth1 of rxe0/1"
    assert blocker("0.0.0.0", []) == NO_DEVICE


def pfc(*on: int) -> str:
    """As dcb prints it without -s; the shape is that of print_on_off and dcb_print_named_array in iproute2."""
    return json.dumps(
        {"pfc_cap": 8, "macsec_bypass": True, "delay": 0, "prio_pfc": [priority in on for priority in range(8)]}
    )


@pytest.mark.parametrize("on", [(), (3,), (0, 7)])
def test_priorities_with_flow_control_are_reported(on: tuple[int, ...]) -> None:
    assert rdma.parse_pfc(pfc(*on)) == on


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"prio_pfc": null}', '{"prio_pfc": ["x"]}'])
def test_an_answer_of_another_form_is_not_accepted(text: str) -> None:
    with pytest.raises(ToolFailed, match="cannot read"):
        rdma.parse_pfc(text)


def test_flow_control_is_shown_if_the_driver_reports_it_and_absent_otherwise() -> None:
    machine = FakeSystem()
    machine.plug_rdma("rxe0")
    assert [(one.lossless, one.hint) for one in rdma.with_flow_control(machine)] == [(None, None)], "no tool"
    answers = [(1, "", "Attribute read: Operation not supported"), (0, pfc(), ""), (0, pfc(3), "")]
    asked: list[Sequence[str]] = []

    def dcb(argv: Sequence[str]) -> tuple[int, str, str]:
        asked.append(argv)
        return answers[len(asked) - 1]

    machine.tools.add("dcb", dcb)
    hints = [rdma.with_flow_control(machine)[0].hint or "" for _ in answers]
    assert asked[0] == ["dcb", "-j", "pfc", "show", "dev", "eth0"]
    assert hints[0] == ""
    assert hints[1].startswith("flow control (PFC) is not enabled for any priority of eth0")
    assert hints[2] == "flow control (PFC) is enabled for priority 3 of eth0: the switch must use the same priority"
