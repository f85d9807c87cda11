"""The Linux kit applied on a real host, over two portals, and what is said when one of them goes.

The host is a guest with systemd, open-iscsi and multipath-tools as Debian ships them. A relay in it stands for each
portal under the appliance's own address, so the kit is applied to the letter; ending a relay takes that path away.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lunette.client import JsonObject
from tests.e2e.waiting import wait_until
from tests.initiators import kit as kits
from tests.initiators.block_io import IN_GUEST, BlockIo, put_program
from tests.lab.appliance import Appliance, appliance
from tests.machines.model import CommandResult
from tests.machines.netns import GUEST_ADDRESS
from tests.machines.uml import Uml

pytestmark = [pytest.mark.timeout(900), pytest.mark.uml, pytest.mark.slow]
IQN = "iqn.2026-01.com.example:db"
CHAP = {"user": "db", "secret": "it's db secret", "mutual_user": "us", "mutual_secret": "our 2nd secret"}
PORTS = {"a": 3260, "b": 3270}
BLOCKS, SEED = 256, 20261121
_APPLIANCE_ONLY = (
    "rm -f /etc/systemd/system/multipathd.service /etc/systemd/system/multipathd.socket "
    "/etc/systemd/system/open-iscsi.service /etc/udev/rules.d/60-multipath.rules; systemctl daemon-reload; "
    "udevadm control --reload"
)
"""The image of the tests is that of an appliance, which uses no multipath of its own: as Debian ships it again."""


class Host(BlockIo):
    """A guest that is set up by its kit alone."""

    def __init__(self, machine: Uml, made: Appliance) -> None:
        self.machine: Uml = machine
        self.appliance = made

    def set_up(self) -> None:
        """A plain Debian, called as the appliance knows it, that reaches both portals."""
        self.machine.check(f"{_APPLIANCE_ONLY}; mkdir -p {IN_GUEST} /run/logs", timeout_s=120.0)
        self.machine.check(
            f"echo InitiatorName={IQN} > /etc/iscsi/initiatorname.iscsi; systemctl restart iscsid.socket"
        )
        put_program(self.machine, "pattern.py")
        kits.put_relay(self.machine)
        for name in PORTS:
            self.open(name)

    def open(self, portal: str) -> None:
        """The path over a portal is there."""
        port = PORTS[portal]
        forwarded = self.appliance.machine.forward(port)
        behind = self.machine.reach(forwarded, f"{self.appliance.machine.address}:{forwarded}")
        kits.open_relay(self.machine, GUEST_ADDRESS, port, behind)

    def close(self, portal: str) -> None:
        """The path over a portal is gone."""
        kits.close_relay(self.machine, PORTS[portal])

    def write_files(self, kit: JsonObject) -> None:
        kits.write_files(self.machine, kit)

    def run_commands(self, kit: JsonObject) -> str:
        return kits.run_commands(self.machine, kit)

    def paths(self) -> JsonObject:
        """The appliance's word."""
        return self.appliance.client.get("/hosts/db/paths")

    def kit(self) -> JsonObject:
        return self.appliance.client.get("/hosts/db/kit", secrets=True)

    def check(self, kit: JsonObject) -> CommandResult:
        return kits.check(self.machine, kit)


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """The appliance with two volumes for host db over two portals, and the host, not yet set up by its kit."""
    with appliance(Uml("kits", disks=2, disk_mib=256)) as made, Uml("kit-host", 0, product=False) as machine:
        client = made.client
        disks = made.disk_ids("ubd")
        client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid1", "disks": disks}))
        body = {"array": "tank", "name_pattern": "lun%02d", "count": 2, "size_bytes": "32MiB"}
        client.wait(client.post("/volumes:create-batch", body))
        client.post("/hosts", {"name": "db", "os_type": "linux", "iqns": [IQN], "chap": CHAP})
        for name, port in PORTS.items():
            client.post("/portals", {"name": name, "address": GUEST_ADDRESS, "port": port})
        for name in ("lun01", "lun02"):
            client.post("/mappings", {"volume": name, "host": "db"})
        wait_until("both are served", lambda: all(m["state"] == "open" for m in client.list("/mappings")))
        machine.start()
        machine.wait_for_shell(120.0)
        found = Host(machine, made)
        found.set_up()
        yield found


def test_a_kit_without_its_secrets_stops_before_it_changes_anything(host: Host) -> None:
    kit = host.appliance.client.get("/hosts/db/kit")
    host.write_files(kit)
    refused = host.machine.run(kit["commands"][0]["run"])
    assert refused.rc != 0
    assert "secrets are missing" in refused.stdout
    assert host.check(kit).rc != 0


def test_a_machine_of_another_name_is_reported_so(host: Host) -> None:
    kit = host.kit()
    host.write_files(kit)
    host.machine.check("sed -i s/:db/:other/ /etc/iscsi/initiatorname.iscsi")
    refused = host.machine.run(kit["commands"][0]["run"])
    host.machine.check("sed -i s/:other/:db/ /etc/iscsi/initiatorname.iscsi")
    assert refused.rc != 0
    assert "has the name iqn.2026-01.com.example:other" in refused.stdout
    assert host.machine.run(kit["commands"][0]["run"]).rc == 0


def test_a_host_that_applies_its_kit_has_every_volume_over_every_path_and_says_which_is_gone(host: Host) -> None:
    client = host.appliance.client
    kit = host.kit()
    host.write_files(kit)
    host.run_commands(kit)
    wait_until("the check passes", lambda: host.check(kit).rc == 0, deadline_s=60.0)
    reported = host.check(kit).stdout
    assert reported.count(": 2 paths") == 2, reported
    assert (host.paths()["state"], [v["seen"] for v in host.paths()["volumes"]]) == ("up", [2, 2]), host.paths()
    host.run_commands(kit)  # the second time nothing is left to do, and nothing breaks
    device = f"/dev/mapper/3{client.get('/volumes/lun01')['naa']}"
    host.write_pattern(device, SEED, BLOCKS)
    host.close("b")
    gone = f"no connection to portal {GUEST_ADDRESS}:{PORTS['b']}"
    wait_until("the check says what is gone", lambda: gone in host.check(kit).stdout, deadline_s=120.0)
    assert host.check(kit).rc == 1
    assert f"portal {GUEST_ADDRESS}:{PORTS['a']}: logged in" in host.check(kit).stdout
    reported_here = wait_until("the appliance says so too", lambda: (p := host.paths())["state"] == "down" and p)
    missing = f"expected 2 paths, seen 1: no connection to portal b ({GUEST_ADDRESS}:{PORTS['b']})"
    assert missing in reported_here["sentence"]
    host.verify_pattern(device, SEED, BLOCKS)
    host.write_pattern(device, SEED + 1, BLOCKS)
    host.open("b")
    wait_until("the check passes again", lambda: host.check(kit).rc == 0, deadline_s=120.0)
    assert host.paths()["state"] == "up"
    host.verify_pattern(device, SEED + 1, BLOCKS)


@pytest.mark.parametrize("lun", [0, 9])
def test_a_volume_that_is_gone_leaves_no_disk_on_the_host(host: Host, lun: int) -> None:
    """Its number may be the next volume's: an old disk would write into that. LUN 0 answers without a volume too."""
    client, machine = host.appliance.client, host.machine
    name = f"brief{lun}"
    client.wait(client.post("/volumes", {"name": name, "array": "tank", "size_bytes": "32MiB"}))
    mapping = client.post("/mappings", {"volume": name, "host": "db", "lun": lun})
    wait_until("it is served", lambda: client.get(f"/mappings/{mapping['id']}")["state"] == "open")
    naa = client.get(f"/volumes/{name}")["naa"]
    disks = f"grep -lix naa.{naa} /sys/class/scsi_device/*/device/wwid | wc -l"
    kit = host.kit()
    host.write_files(kit)
    host.run_commands(kit)
    wait_until("it has both paths", lambda: machine.check(disks).strip() == "2", deadline_s=60.0)
    client.delete(f"/mappings/{mapping['id']}", confirm=[name])
    wait_until("it is served no longer", lambda: name not in {m["volume"] for m in client.list("/mappings")})
    kit = host.kit()
    host.write_files(kit)
    printed = host.run_commands(kit)
    assert machine.check(disks).strip() == "0", printed
    maps = "multipathd show maps raw format '%w'"
    wait_until("multipath has let go of it", lambda: f"3{naa}" not in machine.check(maps), deadline_s=60.0)
    wait_until("the others are all there", lambda: host.check(kit).rc == 0, deadline_s=60.0)


def test_the_disks_of_a_path_that_is_down_stay(host: Host) -> None:
    """Only the target's own answer says that a volume is gone."""
    disks = "for at in /sys/class/scsi_device/*/device; do grep -q ^LUNETTE $at/vendor && readlink -f $at; done"
    before = host.machine.check(disks)
    assert len(before.split()) == 4, before
    host.close("b")
    wait_until("the path is down", lambda: host.check(host.kit()).rc == 1, deadline_s=120.0)
    host.machine.run("sh /etc/lunette-host/connect.sh", timeout_s=300.0)
    assert host.machine.check(disks) == before
    host.open("b")
    wait_until("the check passes again", lambda: host.check(host.kit()).rc == 0, deadline_s=120.0)


def test_no_secret_of_a_kit_can_be_read_by_others(host: Host) -> None:
    kit = host.kit()
    host.write_files(kit)
    held = host.machine.check('grep -rlF "it\'s db secret" /etc/lunette-host /var/lib/iscsi /etc/iscsi || true').split()
    assert "/etc/lunette-host/iscsi-node.conf" in held
    assert kit["has_secrets"]
    modes = host.machine.check(f"stat -c %a {' '.join(held)}").split()
    assert set(modes) == {"600"}, dict(zip(held, modes, strict=True))
