"""The console, typed at as a person does: the menu, a password reset, an installation by questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from lunette.client import Client, Endpoint
from tests.e2e.test_install import digest, make_ext4
from tests.lab.access import PatientClient, fingerprint_of
from tests.machines.disks import ROOT_SERIAL
from tests.machines.images import iso_image
from tests.machines.qemu_command import Media
from tests.machines.qemu_firmware import FirmwareQemu

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.iso, pytest.mark.timeout(3400)]

DEADLINE_S = 1800.0
"""As in test_iso.py: two minutes where nothing else runs."""
PROMPT = r"Type a number or letter, then Enter: "
BACK = r"-- Enter: back to the menu -- "
PASSWORD = "correct horse battery"


@pytest.fixture
def machine() -> Iterator[FirmwareQemu]:
    """A blank system disk of 8 GiB, and a disk with a file system of another system."""
    with FirmwareQemu("console", Media(iso_image()), system_mib=8192, typed=True) as made:
        made.make_disks()
        make_ext4(made.disk_file(made.disks[0].serial), "not-ours")
        yield made


def start_live(machine: FirmwareQemu) -> None:
    """Live mode, up to its menu."""
    machine.start()
    machine.wait_for_api(DEADLINE_S)
    machine.wait_for_text(r"One-time password +[a-z0-9-]{19} \(to be changed[^$]*6 or i  install on this machine", 600)


def logged_in(machine: FirmwareQemu, password: str) -> tuple[Client, bool]:
    """A session of the user admin, and whether the password has to be changed."""
    endpoint = Endpoint(url=machine.api_url, fingerprint=fingerprint_of(machine.api_url))
    client = PatientClient(endpoint)
    return client, client.login("admin", password)["password_change_required"]


def test_odd_keys_do_nothing_and_a_reset_password_opens_the_web_page(machine: FirmwareQemu) -> None:
    start_live(machine)
    machine.type_keys("\x03\x1c\x1a; /bin/sh\r")
    machine.answer(r"is not one of the choices[^$]*" + PROMPT, "s", 120)
    machine.answer(r"No shell is available[^$]*" + BACK, "", 120)
    machine.answer(PROMPT, "p", 120)
    machine.answer(r"Type reset to continue: ", "reset", 120)
    password = machine.answer(r"One-time password  ([a-z0-9-]{19})\s[^$]*" + BACK, "", 300)[1]
    client, must_change = logged_in(machine, password)
    client.__exit__()
    assert must_change


def test_questions_install_an_appliance_that_shows_the_menu(machine: FirmwareQemu) -> None:
    foreign = machine.disk_file(machine.disks[0].serial)
    before = digest(foreign)
    start_live(machine)
    shown = install(machine)
    machine.answer(PROMPT, "r", 300)
    machine.answer(r"Which one\? [^:]*: ", "2", 300)
    machine.answer(r"Type off to continue: ", "off", 300)
    machine.wait_for_power_off(900)
    assert digest(foreign) == before

    machine.media = replace(machine.media, iso=None)
    machine.console_log.unlink()
    machine.start()
    machine.wait_for_api(DEADLINE_S)
    screen = machine.wait_for_text(r"Certificate +SHA-256 ([0-9A-F:]{48})\s+([0-9A-F:]{47})[^$]*5 or s  shell", 600)
    assert screen[1] + screen[2] == shown
    assert "install on this machine" not in machine.console_log.read_text(errors="replace")
    client, must_change = logged_in(machine, PASSWORD)
    with client:
        assert not must_change
        assert client.endpoint.fingerprint == shown.replace(":", "").lower()
        assert client.get("/status")["name"] == "shelf-7"
        assert client.get("/settings")["time_zone"] == "Europe/Berlin"
    machine.press_power_button()
    assert digest(foreign) == before


def install(machine: FirmwareQemu) -> str:
    """Answers the installer; returns the fingerprint it shows at its end."""
    machine.answer(PROMPT, "i", 300)
    listed = machine.answer(r"(?s)Disks of this machine(.*?)Disk to install to \([^)]*\): ", "1", 300)[1]
    assert re.search(rf"1 +\S+ GiB .*serial {ROOT_SERIAL}", listed)
    machine.answer(r"Host name \(Enter: lunette\): ", "shelf-7", 300)
    machine.answer(r"Time zone[^:]*: UTC\): ", "Europe/Berlin", 300)
    machine.answer(r"Interface of the web page \([^)]*\): ", "", 300)
    machine.answer(r"Password \(Enter: one-time password\): ", PASSWORD, 300)
    machine.answer(r"Repeat the password: ", PASSWORD, 300)
    machine.answer(r"Password \(Enter: no shell\): ", PASSWORD, 300)
    machine.answer(r"Repeat the password: ", PASSWORD, 300)
    machine.answer(r"Type install to start: ", "install", 300)
    found = machine.answer(r"(?s)Installed\..*?SHA-256 ([0-9A-F:]{48})\s+([0-9A-F:]{47}).*?" + BACK, "", DEADLINE_S)
    return found[1] + found[2]
