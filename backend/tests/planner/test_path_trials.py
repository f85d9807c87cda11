"""Which trials of paths are planned, and which refused before any path is taken away."""

from typing import Any

import pytest

from backend.tests.planner import kit_facts as known
from backend.tests.planner.kit_facts import facts, nvme_facts
from backend.tests.planner.test_paths import MINE, OTHER_IQN, OTHER_NET, OTHER_TARGET, STRANGER, on_a, on_b, session
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.exports import SessionCount, UnseenSessions
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import Family
from lunette.domain.observations import SessionsObservation
from lunette.domain.paths import HostVerifyPaths
from lunette.domain.plans import Plan
from lunette.domain.steps import PathsAsk, PathTry
from lunette.planner.diagnosis.path_trials import TrialFacts, plan_trial
from lunette.planner.diagnosis.paths import PathFacts, verify

NVME_UNSEEN = UnseenSessions(family=Family.NVME, reason="the kernel does not tell")


def plan(
    *connections: Any,
    count: int | None = 2,
    newest: Any = None,
    unfit: tuple[str, ...] = (),
    confirm: str = "h1",
    unseen: tuple[UnseenSessions, ...] = (NVME_UNSEEN,),
    **changes: Any,
) -> Plan:
    """The plan for host h1 on two portals."""
    sessions = SessionsObservation(
        taken_at=0,
        sessions=(session(),) if newest is None else newest,
        unseen=unseen,
        counts=() if count is None else (SessionCount(target=known.TARGET, sessions=count),),
        connections=connections or (on_a(MINE), on_b(MINE)),
    )
    reported: dict[str, Any] = {"host": facts(), "blocked": {}, "others": frozenset(), "sessions": sessions}
    paths = PathFacts(**(reported | changes))
    spec = HostVerifyPaths(confirm=confirm, away_s=30)
    return plan_trial(TrialFacts(paths=paths, found=verify(paths), unfit=unfit), spec, IdentitySource())


def tries(made: Plan) -> list[PathTry]:
    return [step for step in made.steps if isinstance(step, PathTry)]


def test_all_are_checked_first_and_then_each_is_taken_down_once_with_the_others_up() -> None:
    made = plan()
    assert isinstance(made.steps[0], PathsAsk)
    assert [step.kind for step in made.steps] == ["paths.ask", "path.try", "path.try"]
    assert [(one.link.portal, [other.portal for other in one.others]) for one in tries(made)] == [
        ("a", ["b"]),
        ("b", ["a"]),
    ]
    assert {(one.away_s, one.initiators, tuple(one.sessions.items())) for one in tries(made)} == {
        (30, (known.IQN,), ((known.TARGET, 2),))
    }
    assert len({one.trial_id for one in tries(made)}) == 2
    assert made.hosts_interrupted == ("h1",)
    assert [change.detail for change in made.changes] == [
        f"portal a (192.0.2.1:3260) from {MINE} is interrupted for 30 s",
        f"portal b (198.51.100.1:3260) from {MINE} is interrupted for 30 s",
    ]
    assert made.bytes_destroyed() == 0


def test_a_host_with_an_address_on_each_network_is_tried_on_both() -> None:
    made = plan(on_a(MINE), on_b(OTHER_NET))
    assert [one.link.peer for one in tries(made)] == [MINE, OTHER_NET]


def test_two_addresses_of_the_host_on_one_portal_are_two_paths() -> None:
    second = f"{known.IQN}-second"
    newest = (session(MINE), session(OTHER_NET, initiator=second))
    host = facts(iqns=(known.IQN, second))
    made = plan(on_a(MINE), on_a(OTHER_NET), on_b(MINE), newest=newest, count=3, host=host)
    assert [(one.link.portal, one.link.peer) for one in tries(made)] == [("a", MINE), ("a", OTHER_NET), ("b", MINE)]
    assert all(len(one.others) == 2 for one in tries(made))


def test_the_host_must_be_named() -> None:
    with pytest.raises(Invalid, match="confirm: it must be the host's name, h1"):
        plan(confirm="h2")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"host": facts(portals=(known.A,)), "count": 1}, "has one path over iSCSI .* add a second path"),
        ({"host": facts(targets=())}, "nothing is mapped to it"),
        ({"host": nvme_facts()}, "only paths over iSCSI can be tested, and it has none. nvme-tcp: .* connected hosts"),
        ({"host": facts(portals=())}, "only paths over iSCSI can be tested, and it has none. no portal exists"),
        ({"sessions": None}, "agent"),
        ({"unfit": ("array tank is degraded",)}, "array tank is degraded: wait until this is resolved"),
        ({"newest": (), "count": 0}, "no connection to portal a .* all its paths must be connected first"),
        (
            {"blocked": {"b": "no such address"}, "connections": (on_a(MINE),), "count": 1},
            "portal b .* is not listening",
        ),
    ],
)
def test_an_impossible_trial_is_refused_with_the_reason(changes: dict[str, Any], words: str) -> None:
    connections = changes.pop("connections", ())
    with pytest.raises(Conflict, match=words):
        plan(*connections, **changes)


def test_a_missing_path_is_named() -> None:
    with pytest.raises(Conflict, match=r"no connection to portal b \(198.51.100.1:3260\)"):
        plan(on_a(MINE), count=1)


def test_an_address_that_two_hosts_have_is_not_cut_off() -> None:
    newest = (session(), session(MINE, OTHER_IQN, OTHER_TARGET))
    with pytest.raises(Conflict, match="is also an address of another host"):
        plan(newest=newest)


def test_a_connection_that_may_be_a_strangers_is_not_cut_off() -> None:
    newest = (session(), session(STRANGER, OTHER_IQN, OTHER_TARGET))
    with pytest.raises(Conflict, match="it is not known which connection on portal b is its own"):
        plan(on_a(MINE), on_b("203.0.113.7"), on_b("203.0.113.8"), newest=newest)


def test_sessions_of_a_target_that_is_shared_are_not_counted() -> None:
    newest = (session(), session(STRANGER, OTHER_IQN, known.TARGET))
    made = plan(on_a(MINE), on_b(MINE), newest=newest, count=3, others=frozenset({OTHER_IQN}))
    assert {tuple(one.sessions) for one in tries(made)} == {()}


def test_paths_of_other_fabrics_are_named_as_not_tried() -> None:
    both = facts(
        nqns=(known.NQN,), targets=(known.SCSI_TARGET, known.NVME_TARGET), portals=(known.A, known.B, known.NVME)
    )
    made = plan(host=both)
    assert len(tries(made)) == 2
    assert any(
        text.startswith("Paths over nvme-tcp are not tested: the kernel's NVMe target") for text in made.warnings
    )
    over_spdk = plan(host=both, unseen=())
    assert any(
        text.startswith("Paths over nvme-tcp are not tested: SPDK does not count") for text in over_spdk.warnings
    )
