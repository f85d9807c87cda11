"""The installer: from the ISO and a document on a second medium to an appliance that starts from its own disk."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lunette.client import Client, Endpoint, JsonObject
from tests.e2e.waiting import wait_until
from tests.lab.access import PatientClient, fingerprint_of
from tests.machines.disks import ROOT_SERIAL
from tests.machines.images import iso_image
from tests.machines.qemu_command import Media
from tests.machines.qemu_firmware import FirmwareQemu

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.iso, pytest.mark.timeout(3400)]

DEADLINE_S = 1800.0
"""As in test_iso.py: two minutes where nothing else runs."""
GUEST_ADDRESS = "10.0.2.15"
"""Where QEMU looks for its one guest, whether or not it asked DHCP."""
BOOT_CODE_BYTES = 440
PASSWORD = "correct horse battery"
DOCUMENT = f"""\
version: 1
disk: {ROOT_SERIAL}
hostname: shelf-7
administrator:
  password: {PASSWORD}
"""
STATIC = f"""\
network:
  interface: 52:54:00:4c:55:01
  address: {GUEST_ADDRESS}/24
  gateway: 10.0.2.2
"""


class Site:
    """A machine with a system disk of 8 GiB, a disk with a file system of another system, and one with the document."""

    def __init__(self, machine: FirmwareQemu) -> None:
        self.machine = machine
        machine.make_disks()
        self.system = machine.disk_file(ROOT_SERIAL)
        self.foreign, self._document = (machine.disk_file(disk.serial) for disk in machine.disks)
        make_ext4(self.foreign, "not-ours")
        self.before = digest(self.foreign)

    def provide(self, document: str) -> None:
        """Put the document on its medium."""
        text = self._document.with_suffix(".yaml")
        text.write_text(document)
        at = ("-i", str(self._document))
        for argv in (("mformat", *at, "-v", "LUNETTE_CFG", "::"), ("mcopy", "-o", *at, str(text), "::/install.yaml")):
            subprocess.run(argv, check=True)

    def start_from_disk(self) -> None:
        """Take the ISO and the document away, and press the power button."""
        self.machine.media = replace(self.machine.media, iso=None)
        self._document.write_bytes(b"")
        os.truncate(self._document, self.machine.disks[1].size_bytes)
        self.machine.console_log.unlink()
        self.machine.start()
        self.machine.wait_for_api(DEADLINE_S)


def make_ext4(file: Path, label: str) -> None:
    """A file system that must be preserved."""
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-L", label, str(file)], check=True)


def digest(file: Path) -> str:
    """SHA-256 of the whole content."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@pytest.fixture(params=["bios-disc", "uefi-stick"])
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    """The machine, off."""
    uefi, stick = request.param.startswith("uefi"), request.param.endswith("stick")
    media = Media(iso_image(), uefi=uefi, stick=stick)
    with FirmwareQemu(f"install-{request.param}", media, nvme=2, system_mib=8192) as made:
        yield Site(made)


def test_an_installed_disk_starts_with_what_the_document_says_and_keeps_it(site: Site) -> None:
    machine = site.machine
    if machine.media.uefi:
        cut_off_while_it_writes(site)
    else:
        refused_while_the_disk_has_data(site)
        site.provide(DOCUMENT + f"wipe: {ROOT_SERIAL}\n")
    machine.start()
    shown = machine.wait_for_text(r"installer: certificate +SHA-256 ([0-9A-F:]{95})", DEADLINE_S)[1]
    machine.wait_for_power_off(600)
    assert digest(site.foreign) == site.before

    site.start_from_disk()
    fingerprint = fingerprint_of(machine.api_url)
    assert re.sub("[^0-9a-f]", "", fingerprint.lower()) == shown.replace(":", "").lower()
    with PatientClient(Endpoint(url=machine.api_url, fingerprint=fingerprint)) as client:
        assert not client.login("admin", PASSWORD)["password_change_required"]
        token = client.post("/tokens", {"name": "kept", "role": "administrator"})["token"]
        status = wait_until("the agent answers", lambda: observed(client), 300)
        assert status["name"] == "shelf-7"
        disks = {disk["serial"]: disk for disk in client.list("/disks")}
    assert disks[ROOT_SERIAL]["state"] == "system"
    assert disks[machine.disks[0].serial]["state"] == "occupied"
    machine.press_power_button()

    machine.start()
    machine.wait_for_api(DEADLINE_S)
    with PatientClient(Endpoint(url=machine.api_url, fingerprint=fingerprint, token=token)) as client:
        assert wait_until("the agent answers", lambda: observed(client), 300)["name"] == "shelf-7"
    machine.press_power_button()
    assert digest(site.foreign) == site.before


def observed(client: Client) -> JsonObject | None:
    """The status, once the agent has reported the machine to the API."""
    status = client.get("/status")
    return status if status["agent"]["answers"] and GUEST_ADDRESS in status["addresses"] else None


def cut_off_while_it_writes(site: Site) -> None:
    """The machine loses its memory while the system is copied: the disk has no boot code, and is not blank any more."""
    site.provide(DOCUMENT + STATIC)
    site.machine.start()
    site.machine.wait_for_text(r"installer: copying the system", DEADLINE_S)
    site.machine.kill()
    with site.system.open("rb") as opened:
        assert opened.read(BOOT_CODE_BYTES) == bytes(BOOT_CODE_BYTES)
        assert opened.read(512) != bytes(512)


def refused_while_the_disk_has_data(site: Site) -> None:
    """The same document without `wipe`, and a file system on the disk: a message, and nothing is written."""
    make_ext4(site.system, "precious")
    before = digest(site.system)
    site.provide(DOCUMENT)
    site.machine.start()
    site.machine.wait_for_text(r"installer: disk \S+ is not blank: .*\(label precious\)", DEADLINE_S)
    site.machine.press_power_button()
    assert digest(site.system) == before
    assert digest(site.foreign) == site.before
