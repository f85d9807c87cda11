"""An encrypted mirror on a whole appliance: no disk shows what a host wrote, and it is back once it is unlocked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lunette.client import Client, JsonObject, Refused
from tests.e2e.waiting import wait_until
from tests.initiators.libiscsi import LibiscsiInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(900), pytest.mark.slow]
IQN = "iqn.2026-01.com.example:vault"
PASSPHRASE, NEW = "correct horse battery", "staple battery horse"
PATTERN = 0x5A
SEARCH_S = 240.0


@dataclass
class Vault:
    """An encrypted mirror of two disks, and an initiator outside that may use its volume."""

    made: Appliance
    machine: Uml
    disks: list[str]
    target: str = ""

    @property
    def client(self) -> Client:
        return self.made.client

    @property
    def initiator(self) -> LibiscsiInitiator:
        return LibiscsiInitiator(IQN, "127.0.0.1", self.machine.forward(PORTAL_PORT))

    def array(self) -> JsonObject:
        found: JsonObject = self.client.get("/arrays/vault")
        return found

    def mapping(self) -> JsonObject:
        (found,) = self.client.list("/mappings")
        return found

    def is_served(self) -> bool:
        return bool(self.mapping()["state"] == "open")

    def shows(self, device: str) -> bool:
        """True if a run of the pattern lies on the device."""
        asked = f"LC_ALL=C grep -aqP '\\x{PATTERN:02x}{{64}}' {device}"
        return self.machine.run(asked, timeout_s=SEARCH_S).rc == 0

    def carries_luks(self, disk: str) -> bool:
        """True if the magic number of a LUKS header lies in the first 64 MiB."""
        asked = f"echo 3 >/proc/sys/vm/drop_caches; head -c 64M {disk} | LC_ALL=C grep -aqP 'LUKS\\xba\\xbe'"
        return self.machine.run(asked, timeout_s=SEARCH_S).rc == 0

    def restart(self) -> None:
        """The machine is reset in the middle of whatever it does."""
        self.machine.check("sync")
        self.machine.reset()
        self.made.wait_for_api()


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    machine = Uml("encrypted", disks=3, disk_mib=256)
    with appliance(machine) as made:
        stands = Vault(made, machine, made.disk_ids("ubd")[:2])
        client = made.client
        spec = {
            "name": "vault",
            "level": "raid1",
            "disks": stands.disks,
            "encryption": "luks2",
            "passphrase": PASSPHRASE,
        }
        client.wait(client.post("/arrays", spec))
        client.wait(client.post("/volumes", {"name": "lun", "array": "vault", "size_bytes": 64 * MIB}))
        client.post("/hosts", {"name": "h", "iqns": [IQN]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "lun", "host": "h", "lun": 1})
        wait_until("the mapping is served", stands.is_served)
        stands.target = str(client.get("/hosts/h")["target_iqn"])
        yield stands


def test_it_waits_for_its_key_after_a_reset_and_serves_the_same_data_once_it_has_it(
    vault: Vault,
) -> None:
    written = vault.initiator.write(vault.target, 1, PATTERN, 16 * MIB)
    assert written.ok, written.output
    vault.machine.check("sync; echo 3 >/proc/sys/vm/drop_caches")
    device = vault.client.get("/volumes/lun")["observed"]["device"]
    assert vault.shows(device), "the search finds what is there"
    assert not any(vault.shows(f"/dev/disk/by-id/{disk}") for disk in vault.disks)
    vault.restart()
    wait_until("the array is locked", lambda: vault.array()["locked"] is True, deadline_s=240)
    wait_until(
        "it says so",
        lambda: vault.mapping()["reason"] == "waiting for key of array vault",
        deadline_s=60,
    )
    with pytest.raises(Refused, match="does not unlock array vault"):
        vault.client.post("/arrays/vault:unlock", {"passphrase": "not the passphrase"})
    assert vault.array()["locked"] is True
    assert vault.client.post("/arrays/vault:unlock", {"passphrase": PASSPHRASE})["locked"] is False
    wait_until("the mapping is served", vault.is_served, deadline_s=120)
    verified = vault.initiator.verify(vault.target, 1, PATTERN, 16 * MIB)
    assert verified.ok, verified.output


def test_a_changed_passphrase_and_a_kept_key_open_it(vault: Vault) -> None:
    body = {"passphrase": PASSPHRASE, "new_passphrase": NEW, "keep_key": True}
    assert vault.client.post("/arrays/vault:change-key", body)["keep_key"] is True
    slots = vault.machine.check(f"cryptsetup luksDump {vault.array()['observed']['device']} | grep -c ': luks2$'")
    assert slots.strip() == "2", "the new passphrase and the kept key"
    vault.restart()
    wait_until("the mapping is served by itself", vault.is_served, deadline_s=240)
    assert vault.initiator.verify(vault.target, 1, PATTERN, 16 * MIB).ok


def test_it_is_closed_before_its_disks_are_let_go(vault: Vault) -> None:
    """What the last service does when the machine goes down."""
    vault.machine.check("systemctl stop lunette-agent", timeout_s=120)
    try:
        said = vault.machine.check("/opt/lunette/bin/lunette-agent shutdown 2>&1", timeout_s=120)
        assert "lunette" not in vault.machine.check("ls /dev/mapper"), said
        assert "active" not in vault.machine.check("grep ^md /proc/mdstat || true"), said
    finally:
        vault.machine.check("systemctl start lunette-agent", timeout_s=120)
    # What the API knows may be of before the stop: the host itself tells.
    wait_until("the host reads it again", lambda: vault.initiator.verify(vault.target, 1, PATTERN, 16 * MIB).ok, 240)


def test_its_keys_are_erased_with_it(vault: Vault) -> None:
    disks = [f"/dev/disk/by-id/{disk}" for disk in vault.disks]
    assert all(vault.carries_luks(disk) for disk in disks)
    vault.client.delete(f"/mappings/{vault.mapping()['id']}", confirm=["lun"])
    vault.client.wait(vault.client.delete("/volumes/lun", confirm=["lun"]))
    vault.client.wait(vault.client.delete("/arrays/vault"))
    assert not any(vault.carries_luks(disk) for disk in disks)
    assert "array-" not in vault.machine.check("ls /var/lib/lunette/agent")
    assert "lunette" not in vault.machine.check("ls /dev/mapper")
