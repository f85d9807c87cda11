"""Faults strike where they are armed, and what survives a crash, a reboot and a power cut is what would in life."""

from contextlib import suppress

import pytest

from backend.tests.fakemachine import Crash, FakeSystem, When
from lunette.domain.errors import ToolFailed

LEDGER = "/var/lib/lunette/agent/ledger"


def test_a_failed_command_is_a_tool_failure_and_a_failed_file_call_an_os_error() -> None:
    machine = FakeSystem()
    machine.faults.fail_at(1)
    machine.faults.fail_at(2)
    with pytest.raises(ToolFailed):
        machine.run(["udevadm", "settle"])
    with pytest.raises(OSError, match="injected"):
        machine.write_durably(LEDGER, b"1")
    machine.write_durably(LEDGER, b"2")
    assert [(call.name, call.changes) for call in machine.faults.calls] == [
        ("run", False),
        ("write_durably", True),
        ("write_durably", True),
    ]


@pytest.mark.parametrize(("when", "content"), [(When.BEFORE, b"1"), (When.DURING, b"1"), (When.AFTER, b"2")])
def test_a_crash_strikes_before_half_way_or_after(when: When, content: bytes) -> None:
    machine = FakeSystem()
    machine.write_durably(LEDGER, b"1")
    machine.faults.crash_at(1, when)
    with pytest.raises(Crash):
        machine.write_durably(LEDGER, b"2")
    with pytest.raises(Crash, match="dead already"):
        machine.read_file(LEDGER)
    machine.restart_process()
    assert machine.read_file(LEDGER) == content


def test_a_crash_is_not_an_exception_that_code_could_swallow() -> None:
    machine = FakeSystem()
    machine.faults.crash_at(1)

    def careless() -> None:
        with suppress(Exception):
            machine.listdir("/dev")

    with pytest.raises(Crash):
        careless()


def test_calls_break_until_they_are_repaired() -> None:
    machine = FakeSystem()
    machine.faults.break_calls(lambda call: call.detail.startswith("udevadm"))
    for _ in range(2):
        with pytest.raises(ToolFailed):
            machine.run(["udevadm", "settle"])
    machine.faults.disarm()
    machine.run(["udevadm", "settle"])


def test_a_power_cut_drops_what_was_not_written_durably() -> None:
    machine = FakeSystem()
    machine.write_durably(LEDGER, b"1")
    machine.write_durably("/run/lunette/pid", b"1")
    machine.write(LEDGER, "2")
    machine.power_cut()
    assert machine.read_file(LEDGER) == b"1"
    assert machine.read_file("/run/lunette/pid") is None
    machine.write(LEDGER, "3")
    machine.reboot()
    machine.power_cut()
    assert machine.read_file(LEDGER) == b"3"


def test_a_create_that_is_killed_half_way_leaves_what_mdadm_would() -> None:
    command = [
        "mdadm",
        "--create",
        "/dev/md/a1",
        "--run",
        "--uuid=" + "1" * 32,
        "--homehost=lunette",
        "--name=a1",
        "--level=raid1",
        "--raid-devices=2",
        "/dev/nvme1n1",
        "/dev/nvme2n1",
    ]
    for point, held in ((1, False), (2, True)):
        machine = FakeSystem()
        machine.add_disks(2)
        machine.faults.crash_at(1, When.DURING, point)
        with pytest.raises(Crash):
            machine.run(command)
        machine.restart_process()
        assert machine.run(["mdadm", "--examine", "/dev/nvme1n1"]).returncode == 0
        assert machine.is_held("/dev/nvme1n1") == held
        if held:
            assert machine.read("/sys/block/md127/md/array_state") == "inactive\n"
