"""An impossible unattended installation: the reason is on the console, and no disk was written to."""

from typing import Any

import pytest
import yaml

from backend.tests.installer.server import Server
from lunette.installer.__main__ import install, reported
from lunette.installer.document import parse

LINK = {"eth0": "1"}
DISK, SMALL = "FAKE0001", "FAKE0003"
"""Serials of a Server's disks: one that will do, and one that is too small."""


def attempt(system: Server, content: bytes) -> tuple[int, str]:
    """The exit status and all messages."""
    lines: list[str] = []

    def tell(*more: str) -> None:
        lines.extend(more)

    status = reported(lambda: install(system, parse(content), tell, check=False), tell)
    return status, "\n".join(lines)


def words(**more: Any) -> bytes:
    text: str = yaml.safe_dump({"version": 1, **more})
    return text.encode()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"disk: [", "is not valid YAML"),
        (b"", "is not a list of `word: value` lines"),
        (words(disk=DISK, hostnam="a"), "hostnam: is not a key of an installation document"),
        (words(disk="/dev/sda"), "disk: must be a name below /dev/disk/by-id or a serial number"),
        (words(disk="ABSENT"), "disk ABSENT was not found"),
        (words(disk=SMALL), "the system needs 6.25 GiB: choose a larger disk"),
        (words(disk=DISK, network={"interface": "eth9"}), "network interface eth9 does not exist"),
    ],
)
def test_the_reason_is_reported_and_nothing_is_written(content: bytes, why: str) -> None:
    system = Server(LINK)
    begun = len(system.faults.calls)
    status, said = attempt(system, content)
    assert status == 1
    assert said.startswith("not installed:")
    assert why in said
    assert [call for call in system.faults.calls[begun:] if call.changes and not call.detail.startswith("lsblk")] == []


def test_without_a_link_nothing_is_written() -> None:
    system = Server({"eth0": "0"})
    status, said = attempt(system, words(disk=DISK))
    assert (status, "no interface of this machine has a link" in said) == (1, True)


def test_a_valid_document_shows_its_plan_first() -> None:
    system = Server(LINK)
    status, said = attempt(system, words(disk=DISK, dry_run=True))
    assert status == 0
    assert said.startswith("installation:")
    assert said.endswith("this was a dry run: nothing has been written")
