"""The ISO, started as a user starts it: by BIOS from a disc and by UEFI from a stick, without a kernel from outside.

What the user needs is read where they read it: on the console.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import pytest

from lunette.client import Client, JsonObject
from tests.e2e.waiting import wait_until
from tests.lab.access import PatientClient, first_login
from tests.machines.disks import ROOT_SERIAL
from tests.machines.images import iso_image
from tests.machines.qemu_command import Media
from tests.machines.qemu_firmware import FirmwareQemu

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.iso, pytest.mark.timeout(2400)]

DEADLINE_S = 1800.0
"""From the power button to the API, through firmware and GRUB, where much else runs; two minutes where nothing does."""
LABEL = "not-ours"
GUEST_ADDRESS = "10.0.2.15"
"""What QEMU's own DHCP server gives to its one guest."""


@pytest.fixture(params=["bios-disc", "uefi-stick"])
def machine(request: pytest.FixtureRequest) -> Iterator[FirmwareQemu]:
    """A machine with one disk with a file system of another system and one blank disk."""
    uefi, stick = request.param.startswith("uefi"), request.param.endswith("stick")
    with FirmwareQemu(f"iso-{request.param}", Media(iso_image(), uefi=uefi, stick=stick)) as made:
        made.make_disks()
        foreign = made.disk_file(made.disks[0].serial)
        subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-L", LABEL, str(foreign)], check=True)
        yield made


def test_live_mode_serves_the_api_and_writes_to_no_disk(machine: FirmwareQemu) -> None:
    before = machine.disk_digests()
    machine.start()
    machine.wait_for_api(DEADLINE_S)
    password = machine.wait_for_text(r"One-time password +([A-Za-z0-9-]+) +\(to be changed")[1]
    halves = machine.wait_for_text(r"Certificate +SHA-256 ([0-9A-F:]{48})\s+([0-9A-F:]{47})")
    shown = halves[1] + halves[2]

    access = first_login(machine.api_url, password, "iso")
    assert access.endpoint.fingerprint is not None
    assert re.sub("[^0-9a-f]", "", access.endpoint.fingerprint.lower()) == shown.replace(":", "").lower()
    with PatientClient(access.endpoint) as client:
        status = wait_until("the agent answers", lambda: _observed(client), 300)
        disks = {disk["serial"]: disk for disk in client.list("/disks")}
    machine.wait_for_text(rf"Web address +https://{re.escape(GUEST_ADDRESS)}:8443", 60)
    machine.wait_for_text(rf"Health +{re.escape(status['sentence'][:50])}", 120)
    machine.wait_for_text(r"Mode +live: ", 60)

    assert disks[ROOT_SERIAL]["state"] == "free"
    foreign = disks[machine.disks[0].serial]
    assert foreign["state"] == "occupied"
    assert LABEL in [signature["label"] for signature in foreign["observed"]["signatures"]]
    sticks = [disk for disk in disks.values() if disk["transport"] == "other" or "usb" in disk["id"]]
    assert [disk["state"] for disk in sticks] == (["system"] if machine.media.stick else [])

    machine.press_power_button()
    assert machine.disk_digests() == before


def _observed(client: Client) -> JsonObject | None:
    status = client.get("/status")
    return status if status["agent"]["answers"] and GUEST_ADDRESS in status["addresses"] else None


def test_the_checksums_next_to_the_iso_are_right() -> None:
    argv = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    found = subprocess.run(argv, cwd=iso_image().parent, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert f"{iso_image().name}: OK" in found.stdout
