"""Persistent reservations are handed back to the kernel before anybody can write, and end with the mapping."""

import pytest

from backend.tests.agent.exports import id_of, initiator, lun, target
from backend.tests.providers.test_lio_converge import ExportRig, states
from lunette.domain.exports import ConvergeReport, ServingState
from lunette.providers.exports.lio.converge import withdraw
from lunette.providers.exports.lio.reservations import file_of, stored

HOLDER = """\
PR_REG_START: 0
initiator_fabric=iSCSI
initiator_node=iqn.2026-01.com.example:h41
initiator_sid=800000000000
sa_res_key=10
res_holder=1
res_type=08
res_scope=00
res_all_tg_pt=0
mapped_lun=1
target_fabric=iSCSI
target_node=iqn.2026-11.io.lunette:x
tpgt=1
port_rtpi=1
target_lun=1
PR_REG_END: 0
"""
OTHER = """\
PR_REG_START: 1
initiator_fabric=iSCSI
initiator_node=iqn.2026-01.com.example:h42
sa_res_key=11
res_holder=0
res_all_tg_pt=0
mapped_lun=1
target_fabric=iSCSI
target_node=iqn.2026-11.io.lunette:x
tpgt=1
port_rtpi=1
target_lun=1
PR_REG_END: 1
"""


@pytest.fixture
def rig() -> ExportRig:
    return ExportRig()


def write(rig: ExportRig, text: str, number: int = 11) -> str:
    """What the kernel left, with the NUL it writes after it. The file."""
    path = file_of(rig.volumes[number - 11].identity.serial)
    rig.machine.write_durably(path, text.encode() + b"\0")
    return path


def taken(rig: ExportRig, number: int = 11) -> list[tuple[str, str]]:
    """Keys and types that the kernel was handed back for a volume."""
    assert rig.machine.target is not None
    (store,) = [one for one in rig.machine.target.backstores.values() if one.name == f"lunette-{id_of(number)}"]
    return [(found["sa_res_key"], found.get("res_type", "")) for found in store.reservations]


def test_they_come_back_before_the_volume_is_enabled_and_once(rig: ExportRig) -> None:
    write(rig, HOLDER + OTHER)
    report = rig.serve(rig.desired())
    assert set(states(report).values()) == {ServingState.OPEN}
    assert (taken(rig), taken(rig, 12)) == ([("10", "8"), ("11", "")], [])
    written = [line for line in rig.changes() if id_of(11) in line and line.startswith("write")]
    order = [next(n for n, line in enumerate(written) if word in line) for word in ("res_aptpl", "/enable")]
    assert order == sorted(order)
    assert rig.serve(rig.desired()).changed == 0


@pytest.mark.parametrize(
    "text", ["", "No Registrations or Reservations\n", HOLDER.partition("target_fabric")[0], OTHER[16:]]
)
def test_what_says_nothing_or_was_cut_off_by_a_power_cut_gives_nothing_back(rig: ExportRig, text: str) -> None:
    path = write(rig, text)
    assert set(states(rig.serve(rig.desired())).values()) == {ServingState.OPEN}
    assert taken(rig) == []
    assert rig.machine.exists(path)


def test_of_a_file_that_ends_too_early_the_whole_registrations_count(rig: ExportRig) -> None:
    write(rig, HOLDER + OTHER[:60])
    rig.serve(rig.desired())
    assert taken(rig) == [("10", "8")]


@pytest.mark.parametrize("wrong", [("sa_res_key", "another_key"), ("res_type=08", "res_type=zz")])
def test_a_volume_with_an_unremoved_reservation_is_not_served_until_the_file_is_deleted(
    rig: ExportRig, wrong: tuple[str, str]
) -> None:
    path = write(rig, HOLDER.replace(*wrong))
    for _ in range(2):
        report = rig.serve(rig.desired())
        assert list(states(report).values()) == [ServingState.BLOCKED, ServingState.OPEN]
        assert path in reason(report)
        assert "a fenced host could write" in reason(report)
    rig.machine.unlink(path)
    assert set(states(rig.serve(rig.desired())).values()) == {ServingState.OPEN}


def test_a_file_that_cannot_be_read_blocks_its_volume_and_no_other(rig: ExportRig) -> None:
    path = write(rig, HOLDER)
    rig.machine.faults.break_calls(lambda one: (one.name, one.detail) == ("read_file", path))
    report = rig.serve(rig.desired())
    assert list(states(report).values()) == [ServingState.BLOCKED, ServingState.OPEN]
    assert path in reason(report)
    rig.machine.faults.break_calls(None)
    assert set(states(rig.serve(rig.desired())).values()) == {ServingState.OPEN}
    assert taken(rig) == [("10", "8")]


def test_while_the_files_cannot_be_listed_no_volume_is_opened(rig: ExportRig) -> None:
    folder = write(rig, HOLDER).rpartition("/")[0]
    rig.machine.faults.break_calls(lambda one: (one.name, one.detail) == ("listdir", folder))
    report = rig.serve(rig.desired())
    assert set(states(report).values()) == {ServingState.BLOCKED}
    assert folder in reason(report)
    rig.machine.faults.break_calls(None)
    assert set(states(rig.serve(rig.desired())).values()) == {ServingState.OPEN}
    assert taken(rig) == [("10", "8")]


def test_they_outlive_a_shutdown_and_a_reset(rig: ExportRig) -> None:
    path = write(rig, HOLDER)
    rig.serve(rig.desired())
    withdraw(rig.machine)
    assert rig.machine.exists(path)
    rig.serve(rig.desired())
    assert taken(rig) == [("10", "8")]


def test_they_end_when_the_volume_is_no_longer_mapped_and_no_other_ends(rig: ExportRig) -> None:
    gone, stays = write(rig, HOLDER), write(rig, HOLDER, 12)
    rig.serve(rig.desired())
    rig.serve(rig.desired(targets=(target(31, [initiator(41)], [lun(52, 2, 12)]),)))
    assert (rig.machine.exists(gone), rig.machine.exists(stays)) == (False, True)
    rig.serve(rig.desired())
    assert (taken(rig), taken(rig, 12)) == ([], [("10", "8")])


def test_the_words_are_those_of_the_kernel(rig: ExportRig) -> None:
    write(rig, OTHER)
    (words,) = stored(rig.machine, rig.volumes[0].identity.serial)
    assert words == ",".join(OTHER.splitlines()[1:-1])


def reason(report: ConvergeReport) -> str:
    """Why the first volume is not served."""
    return str(next(one.reason for one in report.volumes if one.volume_id == id_of(11)))
