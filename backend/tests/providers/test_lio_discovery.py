"""The login before discovery: set before any target opens, repaired, and left alone if it is foreign."""

import pytest

from backend.tests.agent.exports import CHAP
from backend.tests.providers.test_lio_converge import ROOT, ExportRig, states
from lunette.domain.exports import ServingState

NAMES = ("userid", "password", "userid_mutual", "password_mutual")
THEIRS = "iqn.2003-01.org.linux-iscsi:theirs"


@pytest.fixture
def rig() -> ExportRig:
    return ExportRig()


def asked(rig: ExportRig) -> list[str]:
    """Whether the login is asked for, and what it is."""
    names = ("enforce_discovery_auth", *NAMES)
    return [rig.read(f"iscsi/discovery_auth/{name}").replace("NULL", "") for name in names]


WHOLE = ["1", "alice", "secretsecret1", "target", "mutualmutual1"]
NONE = ["0", "", "", "", ""]


def test_it_is_requested_before_a_target_opens_and_nothing_is_written_twice(rig: ExportRig) -> None:
    rig.serve(rig.desired(discovery=CHAP))
    assert asked(rig) == WHOLE
    order = [line for line in rig.changes() if "discovery_auth" in line or line.endswith("/enable")]
    assert "enforce_discovery_auth" in order[len(NAMES)]
    assert [line for line in order[: len(NAMES) + 1] if "discovery_auth" not in line and "tpgt" in line] == []
    assert rig.serve(rig.desired(discovery=CHAP)).changed == 0


def test_a_secret_is_in_no_word_of_a_refusal(rig: ExportRig) -> None:
    rig.machine.faults.break_calls(lambda call: call.changes and "discovery_auth/password" in call.detail)
    report = rig.serve(rig.desired(discovery=CHAP))
    assert set(states(report).values()) == {ServingState.BLOCKED}
    assert "discovery_auth" in str(report.targets[0].reason)
    assert "secret" not in str(report.model_dump())
    rig.machine.faults.disarm()
    assert set(states(rig.serve(rig.desired(discovery=CHAP))).values()) == {ServingState.OPEN}


def test_foreign_changes_are_corrected(rig: ExportRig) -> None:
    rig.serve(rig.desired(discovery=CHAP))
    rig.machine.write(f"{ROOT}/iscsi/discovery_auth/enforce_discovery_auth", "0")
    rig.machine.write(f"{ROOT}/iscsi/discovery_auth/password", "another")
    assert rig.serve(rig.desired(discovery=CHAP)).changed == 2
    assert asked(rig) == WHOLE


def test_it_is_removed_when_it_is_no_longer_needed(rig: ExportRig) -> None:
    rig.serve(rig.desired(discovery=CHAP))
    rig.serve(rig.desired())
    assert asked(rig) == NONE
    assert rig.serve(rig.desired()).changed == 0


def test_one_way_and_mutual_change_into_each_other(rig: ExportRig) -> None:
    one_way = CHAP.model_copy(update={"mutual_user": None, "mutual_secret": None})
    rig.serve(rig.desired(discovery=CHAP))
    rig.serve(rig.desired(discovery=one_way))
    assert asked(rig) == [*WHOLE[:3], "", ""]
    rig.serve(rig.desired(discovery=CHAP))
    assert asked(rig) == WHOLE


def test_that_of_others_who_serve_here_is_left_alone_unless_one_is_wanted(rig: ExportRig) -> None:
    rig.machine.mkdir(f"{ROOT}/iscsi/{THEIRS}")
    rig.machine.write(f"{ROOT}/iscsi/discovery_auth/userid", "theirs")
    rig.machine.write(f"{ROOT}/iscsi/discovery_auth/enforce_discovery_auth", "1")
    rig.serve(rig.desired())
    assert asked(rig)[:2] == ["1", "theirs"]
    rig.serve(rig.desired(discovery=CHAP))
    assert asked(rig) == WHOLE
