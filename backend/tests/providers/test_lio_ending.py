"""The sessions of one initiator are ended by its queue depth, which is restored; all others stay."""

import pytest

from backend.tests.agent.exports import APPLIANCE
from backend.tests.fakemachine import Crash, When
from backend.tests.providers.test_lio_converge import ROOT, ExportRig
from lunette.domain.errors import Conflict, ToolFailed
from lunette.domain.steps import SessionEnd
from lunette.providers.exports.lio.ending import end
from lunette.providers.exports.lio.sessions import observe_sessions

FIRST, SECOND = (f"iqn.2026-11.io.lunette:{APPLIANCE}.{number:08x}" for number in (31, 32))


@pytest.fixture
def rig() -> ExportRig:
    return prepared()


def prepared() -> ExportRig:
    """Three hosts are logged in: two to one target, one to another."""
    made = ExportRig()
    made.serve(made.desired())
    made.log_in("h41", FIRST)
    made.log_in("h42", FIRST, ("alice", "secretsecret1"))
    made.log_in("h43", SECOND)
    return made


def step(rig: ExportRig, host: str = "h41") -> SessionEnd:
    """What a plan made now would do."""
    (seen,) = [one for one in observe_sessions(rig.machine) if one.initiator.endswith(host)]
    assert seen.tag is not None
    assert seen.number is not None
    assert seen.queue_depth is not None
    return SessionEnd(
        target=seen.target, tag=seen.tag, initiator=seen.initiator, number=seen.number, queue_depth=seen.queue_depth
    )


def logged_in(rig: ExportRig) -> list[str]:
    return [one.initiator.rpartition(":")[2] for one in observe_sessions(rig.machine)]


def depth(rig: ExportRig, host: str = "h41", target: str = FIRST) -> str:
    return rig.read(f"iscsi/{target}/tpgt_1/acls/iqn.2026-01.com.example:{host}/cmdsn_depth")


def test_the_sessions_of_one_initiator_end_and_no_other_does(rig: ExportRig) -> None:
    wanted = step(rig)
    assert end(rig.machine, wanted) is not None
    assert logged_in(rig) == ["h42", "h43"]
    assert (depth(rig), depth(rig, "h42")) == ("64", "64")
    assert rig.serve(rig.desired()).changed == 0


def test_a_second_time_nothing_is_done(rig: ExportRig) -> None:
    wanted = step(rig)
    end(rig.machine, wanted)
    assert end(rig.machine, wanted) is None


def test_a_host_that_has_logged_in_again_retains_its_new_session(rig: ExportRig) -> None:
    wanted = step(rig)
    end(rig.machine, wanted)
    rig.log_in("h41", FIRST)
    assert end(rig.machine, wanted) is None
    assert "h41" in logged_in(rig)


@pytest.mark.parametrize("found", [1, 2, 64, 512])
def test_whatever_the_depth_is_it_is_the_same_afterwards(rig: ExportRig, found: int) -> None:
    rig.machine.write(f"{ROOT}/iscsi/{FIRST}/tpgt_1/acls/iqn.2026-01.com.example:h41/cmdsn_depth", str(found))
    if found != 64:
        rig.log_in("h41", FIRST)
    end(rig.machine, step(rig))
    assert (depth(rig), "h41" in logged_in(rig)) == (str(found), False)


@pytest.mark.parametrize("when", list(When))
@pytest.mark.parametrize("move", [0, 1])
def test_an_agent_killed_midway_restores_the_depth_when_the_step_is_repeated(when: When, move: int) -> None:
    numbers = moves(prepared())
    assert len(numbers) == 2
    at = prepared()
    wanted = step(at)
    at.machine.faults.crash_at(numbers[move], when)
    with pytest.raises(Crash):
        end(at.machine, wanted)
    at.machine.faults.restart_process()
    end(at.machine, wanted)
    assert (depth(at), logged_in(at)) == ("64", ["h42", "h43"])
    assert end(at.machine, wanted) is None


def moves(at: ExportRig) -> list[int]:
    """Which of the step's calls write something, counted from 1."""
    wanted, since = step(at), len(at.machine.faults.calls)
    end(at.machine, wanted)
    return [number for number, call in enumerate(at.machine.faults.calls[since:], 1) if call.changes]


def test_a_foreign_target_is_left_alone_unless_it_was_adopted(rig: ExportRig) -> None:
    theirs = "iqn.2003-01.org.linux-iscsi:theirs"
    rig.machine.mkdir(f"{ROOT}/iscsi/{theirs}")
    wanted = step(rig).model_copy(update={"target": theirs})
    with pytest.raises(Conflict, match="does not belong to Lunette"):
        end(rig.machine, wanted)
    assert end(rig.machine, wanted, [theirs]) is None


@pytest.mark.parametrize("gone", [{"target": f"{FIRST}0"}, {"initiator": "iqn.2026-01.com.example:nobody"}, {"tag": 7}])
def test_what_is_not_there_any_more_has_ended(rig: ExportRig, gone: dict[str, object]) -> None:
    assert end(rig.machine, step(rig).model_copy(update=gone)) is None
    assert len(logged_in(rig)) == 3


def test_a_refusal_of_the_kernel_is_reported_and_the_depth_stays(rig: ExportRig) -> None:
    wanted = step(rig)
    rig.machine.faults.break_calls(lambda call: call.name == "write" and "cmdsn_depth" in call.detail)
    with pytest.raises(ToolFailed, match="were not ended"):
        end(rig.machine, wanted)
    assert len(logged_in(rig)) == 3
