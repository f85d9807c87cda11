"""An appliance on two system disks: it serves without one of them, and starts from the other alone.

By BIOS the first disk is lost, by UEFI the second, so that each is started alone once. The blank disk that takes its
place is taken out of the boot order: the BIOS of QEMU tries one disk and no other.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from lunette.client import Client, Endpoint, JsonObject
from tests.e2e.waiting import wait_until
from tests.initiators.libiscsi import LibiscsiInitiator
from tests.lab.access import PatientClient, fingerprint_of
from tests.machines.disks import ROOT_SERIAL, make_empty
from tests.machines.images import iso_image
from tests.machines.qemu_command import Media
from tests.machines.qemu_firmware import FirmwareQemu

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.iso, pytest.mark.timeout(3400)]

DEADLINE_S = 1800.0
"""As in test_iso.py: two minutes where nothing else runs."""
MIB = 1 << 20
SYSTEM, DATA = ("LUN-NVME-01", "LUN-NVME-02"), ("LUN-NVME-03", "LUN-NVME-04")
PASSWORD = "correct horse battery"
DOCUMENT = f"""\
version: 1
disk: [{", ".join(SYSTEM)}]
administrator:
  password: {PASSWORD}
"""
IQN, PORTAL_PORT = "iqn.2026-01.com.example:writer", 3260
BYTE, LENGTH = 0xA5, 4 * MIB


@dataclass
class Pair:
    """A machine with two disks for the system and two for data; `lost` is the system disk that will fail."""

    machine: FirmwareQemu
    lost: str

    @property
    def left(self) -> str:
        """The other one."""
        return next(serial for serial in SYSTEM if serial != self.lost)

    def provide(self) -> None:
        """The document, on what is a stick to the machine."""
        medium = self.machine.disk_file(ROOT_SERIAL)
        text = medium.with_suffix(".yaml")
        text.write_text(DOCUMENT)
        at = ("-i", str(medium))
        for argv in (("mformat", *at, "-v", "LUNETTE_CFG", "::"), ("mcopy", *at, str(text), "::/install.yaml")):
            subprocess.run(argv, check=True)

    def take_media_away(self) -> None:
        """The machine has its disks only."""
        self.machine.media = replace(self.machine.media, iso=None)
        self.blank(ROOT_SERIAL)

    def blank(self, serial: str) -> None:
        """A new disk in the place of this one."""
        file = self.machine.disk_file(serial)
        size_bytes = file.stat().st_size
        file.unlink()
        make_empty(file, size_bytes)

    def client(self, token: str | None = None) -> Client:
        """An administrator's, once the API answers."""
        self.machine.wait_for_api(DEADLINE_S)
        fingerprint = fingerprint_of(self.machine.api_url)
        made = PatientClient(Endpoint(url=self.machine.api_url, fingerprint=fingerprint, token=token))
        if token is None:
            made.login("admin", PASSWORD)
        wait_until("the agent answers", lambda: made.get("/status")["agent"]["answers"], 300)
        return made

    def host(self) -> LibiscsiInitiator:
        """The one host."""
        return LibiscsiInitiator(IQN, self.machine.address, self.machine.forward(PORTAL_PORT))


@pytest.fixture(params=["bios", "uefi"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    """The machine, off."""
    uefi = request.param == "uefi"
    media = Media(iso_image(), uefi=uefi)
    with FirmwareQemu(f"mirror-{request.param}", media, nvme=4, disk_mib=8192, bootable=SYSTEM) as made:
        made.make_disks()
        yield Pair(made, lost=SYSTEM[1 if uefi else 0])


def test_the_system_serves_without_one_of_its_disks_and_starts_from_the_other_alone(pair: Pair) -> None:
    machine = pair.machine
    pair.provide()
    machine.start()
    machine.wait_for_text(r"installer: certificate +SHA-256", DEADLINE_S)
    machine.wait_for_power_off(600)
    pair.take_media_away()

    machine.start()
    with pair.client() as client:
        token = str(client.post("/tokens", {"name": "kept", "role": "administrator"})["token"])
        known = {disk["serial"]: disk for disk in client.list("/disks")}
        assert [known[serial]["state"] for serial in SYSTEM] == ["system", "system"]
        assert system_alerts(client) == []
        assert list(client.list("/arrays")) == []
        assert "lunette-data" not in str(client.get("/drift"))
        target = serve(client, [str(known[serial]["id"]) for serial in DATA])
        assert_holds(pair, target, written=True)

        machine.pull(pair.lost)
        (alert,) = wait_until("the loss is told", lambda: system_alerts(client), 300)
        assert str(known[pair.left]["id"]) in alert["message"]
        assert_holds(pair, target)
    machine.press_power_button()

    pair.blank(pair.lost)
    machine.bootable = (pair.left,)
    machine.start()
    with pair.client(token) as client:
        (alert,) = wait_until("the loss is still told", lambda: system_alerts(client), 300)
        assert str(known[pair.left]["id"]) in alert["message"]
        wait_until("the mapping is served", lambda: is_open(client), 600)
        assert_holds(pair, target)
        states = {disk["serial"]: disk["state"] for disk in client.list("/disks")}
        assert (states[pair.left], states[pair.lost]) == ("system", "free")
    machine.press_power_button()


def system_alerts(client: Client) -> list[JsonObject]:
    """The alerts about the system disks."""
    return [alert for alert in client.list("/alerts", active="true") if alert["key"].startswith("system.")]


def is_open(client: Client) -> bool:
    """Whether the one mapping is served."""
    return [mapping["state"] for mapping in client.list("/mappings")] == ["open"]


def serve(client: Client, disks: list[str]) -> str:
    """A volume of an array over the disks, served to the one host; raid0 has nothing to resync. The target's name."""
    client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid0", "disks": disks}))
    client.wait(client.post("/volumes", {"name": "lun", "array": "tank", "size_bytes": 64 * MIB}))
    client.post("/hosts", {"name": "writer", "iqns": [IQN]})
    client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
    client.post("/mappings", {"volume": "lun", "host": "writer"})
    wait_until("the mapping is served", lambda: is_open(client), 300)
    return str(client.get("/hosts/writer")["target_iqn"])


def assert_holds(pair: Pair, target: str, *, written: bool = False) -> None:
    """The host reads what it wrote, or writes it first."""
    if written:
        done = pair.host().write(target, 1, BYTE, LENGTH)
        assert done.ok, done.output
    found = pair.host().verify(target, 1, BYTE, LENGTH)
    assert found.ok, found.output
