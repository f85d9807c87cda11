"""The system drive is lost and the data drives are not: a backup brings the appliance back as its hosts knew it."""

from __future__ import annotations

import json

import pytest

from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator, LoginFailed
from tests.initiators.libiscsi import Chap
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(1500)]
IQN = "iqn.2026-01.com.example:backup"
CHAP = Chap("backup", "backup-secret-1")
BLOCKS, SEED = 16 * MIB // 4096, 71
LUNETTE = "/opt/lunette/bin/lunette"


def provision(made: Appliance) -> str:
    """An array with two volumes for one host with credentials, all served. Returns the target's name."""
    client = made.client
    disks = made.disk_ids("ubd")
    client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid5", "disks": disks}))
    for name in ("first", "second"):
        client.wait(client.post("/volumes", {"name": name, "array": "tank", "size_bytes": 64 * MIB}))
    client.post("/hosts", {"name": "h", "iqns": [IQN], "chap": {"user": CHAP.user, "secret": CHAP.secret}})
    client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
    for name, lun in (("first", 3), ("second", 7)):
        client.post("/mappings", {"volume": name, "host": "h", "lun": lun})
    wait_until("all is served", lambda: all(m["state"] == "open" for m in client.list("/mappings")))
    return str(client.get("/hosts/h")["target_iqn"])


def login(made: Appliance, host: KernelInitiator, target: str) -> dict[int, str]:
    """The host's devices by LUN."""
    host.login(target, f"{made.machine.address}:{made.machine.forward(PORTAL_PORT)}", IQN, CHAP)
    return host.devices(target, expected=2)


def wwids(host: KernelInitiator, devices: dict[int, str]) -> dict[int, str]:
    """What the host's kernel takes for the identity of each disk."""
    shown = {lun: f"/sys/block/{device.removeprefix('/dev/')}/device/wwid" for lun, device in devices.items()}
    return {lun: host.machine.check(f"cat {path}").strip() for lun, path in shown.items()}


def lose_the_control_plane(made: Appliance) -> None:
    """As after an installation on a new system drive: no database, no keys, no certificate, no boot ledger."""
    machine = made.machine
    machine.check("systemctl stop lunette-api lunette-agent", timeout_s=120)
    machine.check("rm -rf /var/lib/lunette/api/* /var/lib/lunette/agent/*; sync")
    machine.stop()
    machine.start()
    made.wait_for_api()


def api_process(made: Appliance) -> str:
    """Its PID, or 0 while it is not running. After a restore the API answers for a moment longer, and then restarts."""
    return made.machine.check("systemctl show --property=MainPID --value lunette-api").strip()


def test_a_new_installation_serves_the_old_volumes_under_their_old_names() -> None:
    with appliance(Uml("backup", disks=3, disk_mib=192)) as made, KernelInitiator("backup-host") as host:
        machine, target = made.machine, provision(made)
        devices = login(made, host, target)
        for lun, device in devices.items():
            host.write_pattern(device, SEED + lun, BLOCKS)
            host.verify_pattern(device, SEED + lun, BLOCKS)
        before = wwids(host, devices)
        assert {lun for lun in before if before[lun].startswith("naa.")} == {3, 7}
        host.logout(target)
        machine.check("printf %s 'correct horse battery' >/root/passphrase")
        machine.check(f"{LUNETTE} backup /root/state --passphrase-file /root/passphrase", timeout_s=300)

        lose_the_control_plane(made)
        assert machine.check(f"{LUNETTE} volume list --json", timeout_s=120).strip() == "[]"
        wrong = machine.run(f"echo wrong-passphrase | {LUNETTE} restore /root/state --passphrase-file - --yes", 300)
        assert wrong.rc != 0
        assert "the passphrase does not match this backup" in wrong.stdout
        shown = machine.check(f"{LUNETTE} restore /root/state --passphrase-file /root/passphrase --dry-run", 300)
        assert "returns volume first" in shown
        assert machine.check(f"{LUNETTE} volume list --json", timeout_s=120).strip() == "[]"
        process = api_process(made)
        machine.check(f"{LUNETTE} restore /root/state --passphrase-file /root/passphrase --yes", timeout_s=300)

        wait_until("the API has started anew", lambda: api_process(made) not in {process, "0"})
        made.wait_for_api()
        wait_until(
            "all is served again",  # by the token and the certificate of the backup
            lambda: (found := list(made.client.list("/mappings"))) and all(one["state"] == "open" for one in found),
            deadline_s=300,
        )
        devices = login(made, host, target)
        assert wwids(host, devices) == before
        for lun, device in devices.items():
            host.verify_pattern(device, SEED + lun, BLOCKS)
        machine.check("systemctl restart lunette-api")
        made.wait_for_api()
        assert [alert for alert in made.client.list("/alerts") if alert["resolved_at"] is None] == []


def written_since(made: Appliance, moment: str) -> bool:
    """True once the array carries a copy of what was committed by then; its header can be read by anyone."""
    shown = "head -c 1000 /dev/lunette-*/sealed; tail -c +4194305 /dev/lunette-*/sealed | head -c 1000"
    found = made.machine.run(f'({shown}) | grep -ao \'"written_at":"[^.Z"]*\' | cut -d\'"\' -f4').stdout.split()
    return any(one > moment for one in found)


@pytest.mark.slow
def test_a_new_installation_without_a_backup_is_rebuilt_from_the_data_disks() -> None:
    with appliance(Uml("rebuild", disks=3, disk_mib=192)) as made, KernelInitiator("rebuild-host") as host:
        machine, target = made.machine, provision(made)
        devices = login(made, host, target)
        for lun, device in devices.items():
            host.write_pattern(device, SEED + lun, BLOCKS)
        before = wwids(host, devices)
        host.logout(target)
        moment = machine.check("date -u +%Y-%m-%dT%H:%M:%S; sleep 2").strip()  # copies tell whole seconds here
        made.client.post("/hosts", {"name": "late", "iqns": ["iqn.2026-01.com.example:late"]})
        wait_until("the array carries all of it", lambda: written_since(made, moment))

        lose_the_control_plane(made)
        assert machine.check(f"{LUNETTE} array list --json", timeout_s=120).strip() == "[]"
        found = json.loads(machine.check(f"{LUNETTE} rebuild --dry-run --json", timeout_s=300))
        assert [(one["name"], one["volumes"], one["problem"]) for one in found["arrays"]] == [("tank", 2, None)]
        assert found["secrets_missing"] == ["h"]
        assert machine.check(f"{LUNETTE} array list --json", timeout_s=120).strip() == "[]"
        machine.check(f"{LUNETTE} rebuild --yes --adopt", timeout_s=300)

        def states() -> list[str]:
            return [one["state"] for one in json.loads(machine.check(f"{LUNETTE} mapping list --json", timeout_s=120))]

        wait_until("all is served again", lambda: states() == ["open", "open"], deadline_s=300)
        with pytest.raises(LoginFailed):
            login(made, host, target)
        machine.check("printf %s backup-secret-1 >/root/secret")
        machine.check(f"{LUNETTE} host set h --chap-user {CHAP.user} --chap-secret-file /root/secret --yes", 120)

        def back() -> dict[int, str] | None:
            try:
                return login(made, host, target)
            except LoginFailed:
                return None

        devices = wait_until("the host is let in", back)
        assert wwids(host, devices) == before
        for lun, device in devices.items():
            host.verify_pattern(device, SEED + lun, BLOCKS)
