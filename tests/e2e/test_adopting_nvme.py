"""A subsystem that was made by hand in the kernel's NVMe target is taken over while a host is connected and writes.

The subsystem, its host with keys and its port were written to configfs, as nvmetcli does, before Lunette is asked.
"""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from lunette.providers.volumes.lvm.plan import group_name
from tests.e2e.fabric import ARRAY, Fabric
from tests.e2e.test_adopting import LUNETTE, WRITER
from tests.e2e.waiting import wait_until
from tests.initiators.nvme import ConnectFailed, DhChap, NvmeInitiator
from tests.lab.appliance import Appliance

pytestmark = [pytest.mark.timeout(2400), pytest.mark.qemu, pytest.mark.fabric, pytest.mark.slow]
NQN, DEMO = "nqn.2020-01.com.example:old-db", "nqn.2020-01.com.example:old-demo"
HOST = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-4000-8000-0000000000a1"
PORT, DEMO_PORT = 4430, 4431
DISKS = {3: "old0", 7: "old1"}
UUID, NGUID = "11111111-2222-4333-8444-555555555555", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
BLOCKS, SEED = 1024, 20261125
NVMET = "/sys/kernel/config/nvmet"
EVENTS = "rescanning|reconnect|error recovery|timeout|removing ctrl"
"""What the initiator says of a namespace that changed, and of a connection that was lost."""


def group_of(made: Appliance) -> str:
    """The volume group on the appliance's array."""
    return group_name(str(made.client.get(f"/arrays/{ARRAY}")["id"]))


def made_by_hand(made: Appliance, keys: DhChap) -> None:
    """Three logical volumes that are no volumes of Lunette, a subsystem over two of them, and one for any host."""
    machine = made.machine
    group = group_of(made)
    for name in (*DISKS.values(), "demo"):
        machine.check(f"lvcreate -y --wipesignatures y --name {name} --size 32m {group}", timeout_s=120.0)
    machine.check(
        f"""set -e; cd {NVMET}
        mkdir hosts/{HOST} subsystems/{NQN} subsystems/{DEMO} ports/1 ports/2
        echo {keys.secret} > hosts/{HOST}/dhchap_key
        echo {keys.mutual_secret} > hosts/{HOST}/dhchap_ctrl_key
        echo OLD-0001 > subsystems/{NQN}/attr_serial
        echo "Old box" > subsystems/{NQN}/attr_model
        mkdir subsystems/{NQN}/namespaces/3 subsystems/{NQN}/namespaces/7 subsystems/{DEMO}/namespaces/1
        echo /dev/{group}/old0 > subsystems/{NQN}/namespaces/3/device_path
        echo {UUID} > subsystems/{NQN}/namespaces/3/device_uuid
        echo {NGUID} > subsystems/{NQN}/namespaces/3/device_nguid
        readlink -f /dev/{group}/old1 > subsystems/{NQN}/namespaces/7/device_path
        echo /dev/{group}/demo > subsystems/{DEMO}/namespaces/1/device_path
        for one in subsystems/{NQN}/namespaces/3 subsystems/{NQN}/namespaces/7 subsystems/{DEMO}/namespaces/1; do
            echo 1 > $one/enable
        done
        ln -s {NVMET}/hosts/{HOST} subsystems/{NQN}/allowed_hosts/{HOST}
        echo 1 > subsystems/{DEMO}/attr_allow_any_host
        for pair in 1:{PORT}:{NQN} 2:{DEMO_PORT}:{DEMO}; do
            number=${{pair%%:*}}; rest=${{pair#*:}}; at=ports/$number
            echo tcp > $at/addr_trtype; echo ipv4 > $at/addr_adrfam; echo 0.0.0.0 > $at/addr_traddr
            echo ${{rest%%:*}} > $at/addr_trsvcid; ln -s {NVMET}/subsystems/${{rest#*:}} $at/subsystems/${{rest#*:}}
        done""",
        timeout_s=120.0,
    )


def noticed(hosts: NvmeInitiator) -> list[str]:
    """The initiator's controllers by number, and how often it said that something happened to one."""
    return hosts.machine.check(f"ls /sys/class/nvme; dmesg | grep nvme | grep -c -E '{EVENTS}' || true").split()


def shown(hosts: NvmeInitiator, devices: dict[int, str]) -> list[str]:
    """What the host reads of the subsystem and of each namespace; a namespace without an NGUID has no such file."""
    of = [f"/sys/block/{PurePosixPath(device).name}" for device in devices.values()]
    files = [f"{at}/{name}" for at in of for name in ("uuid", "nguid", "wwid", "nsid", "size")]
    files += [f"{at}/device/{name}" for at in of for name in ("serial", "model", "firmware_rev", "subsysnqn")]
    reported = hosts.machine.check(f"for path in {' '.join(files)}; do cat $path 2>&1 || true; done", timeout_s=120.0)
    return [line.strip() for line in reported.splitlines()]


def states(made: Appliance) -> list[str]:
    return sorted(str(one["state"]) for one in made.client.list("/mappings"))


def taken_over(made: Appliance, secret: str) -> None:
    """A look first; then all that can be, while hosts go on."""
    looked = made.machine.check(f"{LUNETTE} adopt --dry-run", timeout_s=300)
    assert f"✓ /nvmet/subsystems/{NQN}" in looked
    assert f"✗ /nvmet/subsystems/{DEMO}" in looked
    assert "attr_allow_any_host" in looked
    assert secret not in looked
    made.machine.check(f"{LUNETTE} adopt --yes", timeout_s=300)
    wait_until("all is served", lambda: states(made) == ["open", "open"])
    made.machine.check("sleep 15")  # some rounds of the agent
    assert made.machine.check(f"ls {NVMET}/ports").split() == ["1", "2"], "its port stands where it stood"
    assert made.machine.check(f"ls -d {NVMET}/subsystems/{DEMO}").strip()


def test_a_running_subsystem_is_adopted_while_a_host_writes_and_comes_back_after_a_reset(
    fabric: Fabric, hosts: NvmeInitiator
) -> None:
    with fabric.cleared() as made:
        keys = DhChap(hosts.new_key(), hosts.new_key())
        made_by_hand(made, keys)
        port = made.machine.forward(PORT)
        hosts.connect(NQN, port, HOST, keys)
        devices = hosts.namespaces(NQN, set(DISKS))
        hosts.write_pattern(devices[7], SEED, BLOCKS)
        seen, before = shown(hosts, devices), noticed(hosts)
        assert {UUID, NGUID, "OLD-0001", "Old box"} <= set(seen)
        hosts.machine.check(f"rm -f /run/stop; cat > /run/writer.py <<'WRITER'\n{WRITER}\nWRITER")
        hosts.machine.check(f"python3 /run/writer.py {devices[3]} > /run/logs/writer 2>&1 &")
        taken_over(made, keys.secret)

        hosts.machine.check("touch /run/stop; sleep 3")
        assert int(hosts.machine.check("cat /run/logs/writer")) > 0
        assert noticed(hosts) == before
        assert hosts.namespaces(NQN) == devices
        assert shown(hosts, devices) == seen
        hosts.verify_pattern(devices[7], SEED, BLOCKS)

        made.machine.reset()
        made.wait_for_api()
        wait_until("it is served again", lambda: states(made) == ["open", "open"], deadline_s=300)
        hosts.wait_live(NQN, 300.0)
        assert shown(hosts, hosts.namespaces(NQN, set(DISKS))) == seen
        hosts.verify_pattern(devices[7], SEED, BLOCKS)
        hosts.disconnect(NQN)
        with pytest.raises(ConnectFailed), hosts.waiting_at_most(15):
            hosts.connect(NQN, port, HOST, DhChap(hosts.new_key(), keys.mutual_secret))
    for volume in DISKS.values():
        made.client.wait(made.client.delete(f"/volumes/{volume}", confirm=[volume]))
    made.machine.check(f"lvremove -y {group_of(made)}/demo", timeout_s=120.0)
