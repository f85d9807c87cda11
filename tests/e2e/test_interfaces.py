"""A change of the network on a real appliance: reverted unless confirmed, despite kills, and retained over a reset.

The interfaces are dummies inside the guest, created by files as an administrator would write; the guest's own uplink
is not managed by Lunette, so that no test can lose it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lunette.client import Refused
from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, appliance
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(900), pytest.mark.slow]
CARD, OTHER, KEPT, TRIED = "lab0", "vec0", "192.0.2.10", "192.0.2.99"
MEMBERS, BOND, VLAN = ("lab1", "lab2"), "bond7", "bond7.100"
TRIAL_S = 60.0


@pytest.fixture(scope="module")
def made() -> Iterator[Appliance]:
    with appliance(Uml("interfaces", disks=1, disk_mib=64)) as standing:
        for name in (CARD, *MEMBERS):
            device = f"[NetDev]\\nName={name}\\nKind=dummy\\n"
            standing.machine.check(f"printf '{device}' > /etc/systemd/network/30-{name}.netdev")
        standing.machine.check("sync; networkctl reload")  # a reset is a power cut
        wait_until("the interfaces are there", lambda: all(is_there(standing, one) for one in (CARD, *MEMBERS)))
        yield standing


def is_there(made: Appliance, name: str) -> bool:
    return made.machine.run(f"ip link show {name}").rc == 0


def masters(made: Appliance) -> list[str]:
    """The bond that each member belongs to, as the kernel has it."""
    return [made.machine.run(f"basename $(readlink /sys/class/net/{one}/master)").stdout.strip() for one in MEMBERS]


def on_trial(made: Appliance, path: str, body: dict[str, Any] | None = None) -> None:
    job = made.client.post(path, body)
    assert made.client.wait(job, deadline_s=120.0)["state"] == "succeeded"


def addresses(made: Appliance) -> str:
    return made.machine.check(f"ip -o address show dev {CARD} scope global")


def try_(made: Appliance, address: str, **more: object) -> None:
    job = made.client.post(f"/interfaces/{CARD}:change", {"addresses": [f"{address}/24"], **more})
    assert made.client.wait(job, deadline_s=120.0)["state"] == "succeeded"
    wait_until(f"{CARD} has {address}", lambda: address in addresses(made))


def test_the_guests_own_way_out_is_left_alone(made: Appliance) -> None:
    own = made.client.get(f"/interfaces/{OTHER}")
    assert own["configured_by"].endswith("10-vec0.network")
    with pytest.raises(Refused, match="not Lunette's"):
        made.client.post(f"/interfaces/{OTHER}:change", {"addresses": ["192.0.2.77/24"]})


def test_a_change_that_nobody_confirms_is_reverted_also_without_agent_and_api(made: Appliance) -> None:
    try_(made, TRIED, mtu_bytes=9000, role="storage")
    assert made.machine.check(f"cat /sys/class/net/{CARD}/mtu").strip() == "9000"
    made.machine.check(
        "systemctl stop lunette-api; systemctl kill --signal=KILL lunette-agent; systemctl stop lunette-agent"
    )
    wait_until("it is taken back", lambda: TRIED not in addresses(made), deadline_s=TRIAL_S + 60)
    assert made.machine.check(f"cat /sys/class/net/{CARD}/mtu").strip() == "1500"
    assert TRIED not in made.machine.check("ip rule")
    made.machine.check("systemctl start lunette-agent lunette-api", timeout_s=180.0)
    made.wait_for_api()
    shown = made.client.get(f"/interfaces/{CARD}")
    assert (shown["wanted"], shown["trial_left_s"], shown["mtu_bytes"]) == (None, None, 1500)


def test_what_is_confirmed_is_there_after_a_reset_and_what_is_on_trial_is_not(made: Appliance) -> None:
    try_(made, KEPT, mtu_bytes=9000, role="storage")
    made.client.post(f"/interfaces/{CARD}:confirm")
    assert f"from {KEPT} lookup 1001" in made.machine.check("ip rule")
    assert "192.0.2.0/24" in made.machine.check("ip route show table 1001")
    try_(made, TRIED)
    made.machine.reset()
    made.wait_for_api()
    wait_until("the address is back", lambda: KEPT in addresses(made))
    assert TRIED not in addresses(made)
    shown = made.client.get(f"/interfaces/{CARD}")
    assert (shown["mtu_bytes"], shown["wanted"]["role"], shown["trial_left_s"]) == (9000, "storage", None)
    assert made.machine.check("sysctl -n net.ipv4.conf.all.arp_ignore net.ipv4.conf.all.arp_announce").split() == [
        "1",
        "2",
    ]


def test_a_change_is_reverted_at_once_where_a_person_says_so(made: Appliance) -> None:
    before = addresses(made)
    try_(made, TRIED)
    made.client.post(f"/interfaces/{CARD}:revert")
    wait_until("it is taken back", lambda: TRIED not in addresses(made))
    assert addresses(made) == before


def test_a_bond_that_nobody_confirms_is_reverted_without_agent_and_api(made: Appliance) -> None:
    on_trial(made, "/interfaces", {"name": BOND, "kind": "bond", "members": list(MEMBERS)})
    wait_until("both belong to the bond", lambda: masters(made) == [BOND, BOND])
    assert "active-backup" in made.machine.check(f"cat /sys/class/net/{BOND}/bonding/mode")
    made.machine.check(
        "systemctl stop lunette-api; systemctl kill --signal=KILL lunette-agent; systemctl stop lunette-agent"
    )
    wait_until("the bond is gone", lambda: not is_there(made, BOND), deadline_s=TRIAL_S + 60)
    wait_until("nobody belongs to it", lambda: BOND not in masters(made))
    assert made.machine.check("ls /run/systemd/network").count("bond7") == 0
    made.machine.check("systemctl start lunette-agent lunette-api", timeout_s=180.0)
    made.wait_for_api()


def test_a_bond_and_a_vlan_on_it_are_kept_over_a_reset(made: Appliance) -> None:
    spec = {"name": BOND, "kind": "bond", "members": list(MEMBERS), "mode": "balance-xor", "mtu_bytes": 9000}
    on_trial(made, "/interfaces", spec)
    made.client.post(f"/interfaces/{BOND}:confirm")
    spec = {"name": VLAN, "kind": "vlan", "parent": BOND, "vlan_id": 100, "addresses": ["198.51.100.5/24"]}
    on_trial(made, "/interfaces", spec)
    wait_until(
        "the VLAN has its address", lambda: "198.51.100.5" in made.machine.run(f"ip -o address show {VLAN}").stdout
    )
    made.client.post(f"/interfaces/{VLAN}:confirm")
    made.machine.reset()
    made.wait_for_api()
    wait_until("the VLAN is back", lambda: is_there(made, VLAN) and masters(made) == [BOND, BOND])
    assert "balance-xor" in made.machine.check(f"cat /sys/class/net/{BOND}/bonding/mode")
    assert made.machine.check(f"cat /sys/class/net/{BOND}/mtu").strip() == "9000"
    shown = made.client.get(f"/interfaces/{VLAN}")
    assert (shown["kind"], shown["parent"], shown["vlan_id"], shown["reason"]) == ("vlan", BOND, 100, None)
    with pytest.raises(Refused, match=r"VLAN 100 .* runs on"):
        made.client.post(f"/interfaces/{BOND}:remove")


def test_a_removal_is_reverted_and_then_kept(made: Appliance) -> None:
    on_trial(made, f"/interfaces/{VLAN}:remove")
    assert not is_there(made, VLAN)
    made.client.post(f"/interfaces/{VLAN}:revert")
    wait_until("the VLAN is back", lambda: "198.51.100.5" in made.machine.run(f"ip -o address show {VLAN}").stdout)
    for name in (VLAN, BOND):
        on_trial(made, f"/interfaces/{name}:remove")
        made.client.post(f"/interfaces/{name}:confirm")
        assert not is_there(made, name)
    assert BOND not in masters(made)
    assert "05-lunette-bond7" not in made.machine.check("ls /run/systemd/network /var/lib/lunette/agent/network")


def test_the_host_name_is_set_corrected_and_retained_over_a_reset(made: Appliance) -> None:
    def name() -> str:
        return made.machine.run("uname -n").stdout.strip()

    made.client.patch("/settings", {"host_name": "san-1"})
    wait_until("the host name is set", lambda: name() == "san-1")
    wait_until("the file is written", lambda: made.machine.check("cat /etc/hostname").strip() == "san-1")
    made.machine.check("hostname other")
    wait_until("the host name is corrected", lambda: name() == "san-1")
    made.machine.check("echo other > /etc/hostname; sync")
    wait_until("the file is corrected", lambda: made.machine.check("cat /etc/hostname").strip() == "san-1")
    made.machine.reset()
    made.wait_for_api()
    wait_until("the host name is set again", lambda: name() == "san-1")
    assert made.client.get("/status")["name"] == "san-1"
