"""Who LIO turned away, out of the kernel's log: `journalctl --output=json` of a Debian 13 machine."""

import json

import pytest

from backend.tests.fakemachine import FakeSystem
from lunette.domain.errors import ToolFailed
from lunette.domain.observations import RefusedLogin
from lunette.providers.exports.lio import refused

STRANGER = "iqn.2026-11.com.example:stranger"
REFUSED = "iSCSI Initiator Node: {} is not authorized to access iSCSI target portal group: 1."


def line(message: object, at: object = "1764102441000000") -> str:
    return json.dumps({"MESSAGE": message, "__REALTIME_TIMESTAMP": at, "_TRANSPORT": "kernel"})


def test_a_refused_login_is_its_name_and_its_moment() -> None:
    assert list(refused.parse(line(REFUSED.format(STRANGER)))) == [RefusedLogin(initiator=STRANGER, at=1764102441.0)]


@pytest.mark.parametrize(
    "message",
    [
        "iSCSI Login negotiation failed.",
        "Unable to locate Target IQN: iqn.2026-11.com.example:gone in Storage Node",
        REFUSED.format("no-iscsi-name"),
        REFUSED.format("iqn.2026-11.com.example:a is not authorized"),
        REFUSED.format(STRANGER) + " iqn.2026-11.com.example:another",
        REFUSED.format("iqn.2026-11.com.example:" + "x" * 223),
        [105, 83, 67],
        None,
    ],
)
def test_other_messages_than_rejected_names_are_omitted(message: object) -> None:
    """The name is what a stranger sent: it may hold anything, and journald tells bytes that are no text as a list."""
    assert list(refused.parse(line(message))) == []


def test_an_entry_without_its_moment_is_left_out() -> None:
    assert list(refused.parse(line(REFUSED.format(STRANGER), None))) == []


@pytest.mark.parametrize(
    "odd",
    [
        "Hint: You are currently not seeing messages from other users.",
        "",
        "[]",
        "null",
        "3",
        '{"MESSAGE"',
        "{}",
        line(REFUSED.format(STRANGER), "²"),
        line(REFUSED.format(STRANGER), "9" * 400),
    ],
)
def test_an_invalid_line_hides_no_other(odd: str) -> None:
    found = refused.parse(f"{odd}\n{line(REFUSED.format(STRANGER))}\n")
    assert [one.initiator for one in found] == [STRANGER]


def test_only_the_kernels_own_lines_of_this_boot_are_read() -> None:
    """Any program could write the same words."""
    assert "--dmesg" in refused.JOURNAL


def test_a_journal_that_fails_is_a_failure_and_one_without_such_lines_is_not() -> None:
    machine = FakeSystem()
    assert refused.observe(machine) == ()
    machine.tools.add("journalctl", lambda _argv: (2, "", "Failed to open files"))
    with pytest.raises(ToolFailed):
        refused.observe(machine)
