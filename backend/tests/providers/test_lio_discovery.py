"""The login before discovery: there before any target opens, put right, and left alone where it is somebody else's."""

import pytest

from backend.tests.agent.exports import CHAP
from backend.tests.providers.test_lio_converge import ROOT, Stage, states
from lunette.domain.exports import ServingState

NAMES = ("userid", "password", "userid_mutual", "password_mutual")
THEIRS = "iqn.2003-01.org.linux-iscsi:theirs"


@pytest.fixture
def stage() -> Stage:
    return Stage()


def asked(stage: Stage) -> list[str]:
    """Whether the login is asked for, and what it is."""
    names = ("enforce_discovery_auth", *NAMES)
    return [stage.read(f"iscsi/discovery_auth/{name}").replace("NULL", "") for name in names]


WHOLE = ["1", "alice", "secretsecret1", "target", "mutualmutual1"]
NONE = ["0", "", "", "", ""]


def test_it_is_asked_for_before_a_target_opens_and_nothing_is_written_twice(stage: Stage) -> None:
    stage.serve(stage.desired(discovery=CHAP))
    assert asked(stage) == WHOLE
    order = [line for line in stage.changes() if "discovery_auth" in line or line.endswith("/enable")]
    assert "enforce_discovery_auth" in order[len(NAMES)]
    assert [line for line in order[: len(NAMES) + 1] if "discovery_auth" not in line and "tpgt" in line] == []
    assert stage.serve(stage.desired(discovery=CHAP)).changed == 0


def test_a_secret_is_in_no_word_of_a_refusal(stage: Stage) -> None:
    stage.machine.faults.break_calls(lambda call: call.changes and "discovery_auth/password" in call.detail)
    report = stage.serve(stage.desired(discovery=CHAP))
    assert set(states(report).values()) == {ServingState.BLOCKED}
    assert "discovery_auth" in str(report.targets[0].reason)
    assert "secret" not in str(report.model_dump())
    stage.machine.faults.disarm()
    assert set(states(stage.serve(stage.desired(discovery=CHAP))).values()) == {ServingState.OPEN}


def test_what_somebody_changed_is_put_right(stage: Stage) -> None:
    stage.serve(stage.desired(discovery=CHAP))
    stage.machine.write(f"{ROOT}/iscsi/discovery_auth/enforce_discovery_auth", "0")
    stage.machine.write(f"{ROOT}/iscsi/discovery_auth/password", "another")
    assert stage.serve(stage.desired(discovery=CHAP)).changed == 2
    assert asked(stage) == WHOLE


def test_it_goes_when_nobody_wants_it_any_more(stage: Stage) -> None:
    stage.serve(stage.desired(discovery=CHAP))
    stage.serve(stage.desired())
    assert asked(stage) == NONE
    assert stage.serve(stage.desired()).changed == 0


def test_one_way_and_mutual_change_into_each_other(stage: Stage) -> None:
    one_way = CHAP.model_copy(update={"mutual_user": None, "mutual_secret": None})
    stage.serve(stage.desired(discovery=CHAP))
    stage.serve(stage.desired(discovery=one_way))
    assert asked(stage) == [*WHOLE[:3], "", ""]
    stage.serve(stage.desired(discovery=CHAP))
    assert asked(stage) == WHOLE


def test_that_of_others_who_serve_here_is_left_alone_unless_one_is_wanted(stage: Stage) -> None:
    stage.machine.mkdir(f"{ROOT}/iscsi/{THEIRS}")
    stage.machine.write(f"{ROOT}/iscsi/discovery_auth/userid", "theirs")
    stage.machine.write(f"{ROOT}/iscsi/discovery_auth/enforce_discovery_auth", "1")
    stage.serve(stage.desired())
    assert asked(stage)[:2] == ["1", "theirs"]
    stage.serve(stage.desired(discovery=CHAP))
    assert asked(stage) == WHOLE
