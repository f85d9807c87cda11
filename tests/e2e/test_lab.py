"""`make lab` as a user runs it: what it prints is true, and it stays up until `make lab-down`."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.initiators.libiscsi import LibiscsiInitiator
from tests.lab.__main__ import machine as lab_machine
from tests.lab.access import PatientClient, first_login
from tests.lab.appliance import ONE_TIME_PASSWORD
from tests.lab.scene import PORTAL_PORT, planned_hosts
from tests.lab.web import fetch
from tests.machines.pace import within

pytestmark = [pytest.mark.timeout(1500), pytest.mark.qemu]
ROOT = Path(__file__).resolve().parents[2]
_LAB = [sys.executable, "-m", "tests.lab"]


@contextmanager
def _lab() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, and what it printed until it stays up. The lab is gone after the block."""
    with subprocess.Popen(
        [*_LAB, "up"],
        cwd=ROOT,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            yield process, _until_it_stays_up(process)
        finally:
            subprocess.run([*_LAB, "down"], cwd=ROOT, check=True, timeout=within(300))


def _until_it_stays_up(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    printed = ""
    for line in process.stdout:
        print(line, end="", flush=True)
        printed += line
        if "The lab stays up" in line:
            return printed
    last = " | ".join(printed.strip().splitlines()[-3:])
    raise AssertionError(f"make lab ended by itself with {process.wait()}: {last}")


def _table(printed: str) -> dict[str, str]:
    return {name.strip(): text for name, text in re.findall(r"^  (\w.{11}) (\S.*)$", printed, re.MULTILINE)}


def _check_page(url: str) -> None:
    """The page and its program come from the appliance."""
    page = fetch(f"{url}/")
    assert "Lunette" in page
    programs = re.findall(r'<script[^>]* src="(/[^"]+\.js)"', page)
    assert programs
    assert max(len(fetch(url + program)) for program in programs) > 10_000


def _stop_twice_at_once() -> list[str]:
    """What two `make lab-down` print that are started together; neither fails."""
    pipe = subprocess.PIPE
    both = [
        subprocess.Popen([*_LAB, "down"], cwd=ROOT, text=True, stdout=pipe, stderr=subprocess.STDOUT) for _ in range(2)
    ]
    said = [str(one.communicate(timeout=within(300))[0]) for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    return said


def test_it_serves_verified_volumes_says_how_to_get_in_and_stays_until_it_is_stopped() -> None:
    with _lab() as (process, printed):
        assert "4 hosts logged in, wrote 64 MiB, left, came back and verified every block" in printed
        reported = _table(printed)
        assert reported["array"].startswith("tank: raid5 of 8 NVMe disks, ")
        assert reported["volumes"] == "32 of tank"
        machine = lab_machine()
        machine.attach()
        assert reported["web address"] == machine.api_url
        one_time = reported["password"].split()[0]
        assert one_time == machine.check(["cat", ONE_TIME_PASSWORD]).strip()

        access = first_login(reported["web address"], one_time, token_name="visitor")
        assert reported["certificate"] == f"SHA-256 {access.endpoint.fingerprint}"
        assert machine.check("cat /sys/block/md*/md/chunk_size").split() == ["65536"]
        with PatientClient(access.endpoint) as client:
            transports = [disk["transport"] for disk in client.list("/disks")]
            assert (transports.count("nvme"), transports.count("scsi")) == (8, 4)
            assert len(list(client.list("/volumes"))) == 32
            assert {mapping["state"] for mapping in client.list("/mappings")} == {"open"}
        _check_page(reported["web address"])

        plain = next(host for host in planned_hosts() if host.chap is None)
        initiator = LibiscsiInitiator(plain.iqn, "127.0.0.1", machine.forward(PORTAL_PORT))
        target = reported[plain.name].rpartition(" ")[2]
        assert initiator.inquire(target, 8).ok
        assert not initiator.inquire(target, 9).ok

        second = subprocess.run(
            [*_LAB, "up"], cwd=ROOT, timeout=within(120), capture_output=True, text=True, check=False
        )
        assert second.returncode == 1
        assert f"a lab is running already, at {machine.api_url}" in second.stderr
        assert "Traceback" not in second.stderr

        said = _stop_twice_at_once()
        assert sorted(text.partition(" and its")[0].strip() for text in said)[-1] == "the lab is stopped"
        assert process.wait(timeout=within(120)) == 0
        assert process.stdout is not None
        assert "Traceback" not in process.stdout.read()
