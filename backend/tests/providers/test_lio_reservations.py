"""Persistent reservations are handed back to the kernel before anybody can write, and end with the mapping."""

import pytest

from backend.tests.agent.exports import id_of, initiator, lun, target
from backend.tests.providers.test_lio_converge import Stage, states
from lunette.domain.exports import ConvergeReport, ServingState
from lunette.providers.exports.lio.converge import withdraw
from lunette.providers.exports.lio.reservations import file_of, kept

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
def stage() -> Stage:
    return Stage()


def write(stage: Stage, text: str, number: int = 11) -> str:
    """What the kernel left, with the NUL it writes after it. The file."""
    path = file_of(stage.volumes[number - 11].identity.serial)
    stage.machine.write_durably(path, text.encode() + b"\0")
    return path


def taken(stage: Stage, number: int = 11) -> list[tuple[str, str]]:
    """Keys and types that the kernel was handed back for a volume."""
    assert stage.machine.target is not None
    (store,) = [one for one in stage.machine.target.backstores.values() if one.name == f"lunette-{id_of(number)}"]
    return [(found["sa_res_key"], found.get("res_type", "")) for found in store.reservations]


def test_they_come_back_before_the_volume_is_enabled_and_once(stage: Stage) -> None:
    write(stage, HOLDER + OTHER)
    report = stage.serve(stage.desired())
    assert set(states(report).values()) == {ServingState.OPEN}
    assert (taken(stage), taken(stage, 12)) == ([("10", "8"), ("11", "")], [])
    written = [line for line in stage.changes() if id_of(11) in line and line.startswith("write")]
    order = [next(n for n, line in enumerate(written) if word in line) for word in ("res_aptpl", "/enable")]
    assert order == sorted(order)
    assert stage.serve(stage.desired()).changed == 0


@pytest.mark.parametrize(
    "text", ["", "No Registrations or Reservations\n", HOLDER.partition("target_fabric")[0], OTHER[16:]]
)
def test_what_says_nothing_or_was_cut_off_by_a_power_cut_gives_nothing_back(stage: Stage, text: str) -> None:
    path = write(stage, text)
    assert set(states(stage.serve(stage.desired())).values()) == {ServingState.OPEN}
    assert taken(stage) == []
    assert stage.machine.exists(path)


def test_of_a_file_that_ends_too_early_the_whole_registrations_count(stage: Stage) -> None:
    write(stage, HOLDER + OTHER[:60])
    stage.serve(stage.desired())
    assert taken(stage) == [("10", "8")]


@pytest.mark.parametrize("wrong", [("sa_res_key", "another_key"), ("res_type=08", "res_type=zz")])
def test_a_volume_whose_reservation_is_not_taken_back_is_not_served_until_the_file_is_gone(
    stage: Stage, wrong: tuple[str, str]
) -> None:
    path = write(stage, HOLDER.replace(*wrong))
    for _ in range(2):
        report = stage.serve(stage.desired())
        assert list(states(report).values()) == [ServingState.BLOCKED, ServingState.OPEN]
        assert path in reason(report)
        assert "a fenced host could write" in reason(report)
    stage.machine.unlink(path)
    assert set(states(stage.serve(stage.desired())).values()) == {ServingState.OPEN}


def test_a_file_that_cannot_be_read_blocks_its_volume_and_no_other(stage: Stage) -> None:
    path = write(stage, HOLDER)
    stage.machine.faults.break_calls(lambda one: (one.name, one.detail) == ("read_file", path))
    report = stage.serve(stage.desired())
    assert list(states(report).values()) == [ServingState.BLOCKED, ServingState.OPEN]
    assert path in reason(report)
    stage.machine.faults.break_calls(None)
    assert set(states(stage.serve(stage.desired())).values()) == {ServingState.OPEN}
    assert taken(stage) == [("10", "8")]


def test_they_outlive_a_shutdown_and_a_reset(stage: Stage) -> None:
    path = write(stage, HOLDER)
    stage.serve(stage.desired())
    withdraw(stage.machine)
    assert stage.machine.exists(path)
    stage.serve(stage.desired())
    assert taken(stage) == [("10", "8")]


def test_they_end_when_nobody_is_mapped_to_the_volume_any_more_and_no_other_ends(stage: Stage) -> None:
    gone, stays = write(stage, HOLDER), write(stage, HOLDER, 12)
    stage.serve(stage.desired())
    stage.serve(stage.desired(targets=(target(31, [initiator(41)], [lun(52, 2, 12)]),)))
    assert (stage.machine.exists(gone), stage.machine.exists(stays)) == (False, True)
    stage.serve(stage.desired())
    assert (taken(stage), taken(stage, 12)) == ([], [("10", "8")])


def test_the_words_are_those_of_the_kernel(stage: Stage) -> None:
    write(stage, OTHER)
    (words,) = kept(stage.machine, stage.volumes[0].identity.serial)
    assert words == ",".join(OTHER.splitlines()[1:-1])


def reason(report: ConvergeReport) -> str:
    """Why the first volume is not served."""
    return str(next(one.reason for one in report.volumes if one.volume_id == id_of(11)))
