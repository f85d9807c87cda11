"""A path is taken away from one host, watched, and given back, whatever happens on the way."""

import pytest

from backend.tests.fakemachine import Crash, When
from backend.tests.providers.path_stage import AWAY_S, IQN, A, B, PathStage
from lunette.domain.errors import Conflict, LunetteError, ToolFailed, Unavailable
from lunette.providers.exports.paths import barrier
from lunette.providers.exports.paths.trial import ask, attempt, give_back

BOTH = ["192.0.2.1:3260", "198.51.100.1:3260"]


@pytest.fixture
def stage() -> PathStage:
    return PathStage()


def test_each_path_is_away_for_its_time_while_the_host_goes_on_and_is_back_afterwards(stage: PathStage) -> None:
    for link in (A, B):
        changed, words = attempt(stage.machine, stage.step(link, trial=link.portal))
        assert changed
        assert words.startswith(f"{link.shown} was blocked for {AWAY_S} s: the host continued over its other paths")
        assert "a longest pause of 3 s" in words or "a longest pause of 4 s" in words, words
        assert (stage.paths(), stage.away()) == (BOTH, False)
        assert stage.longest_away_s >= AWAY_S
        stage.longest_away_s = 0.0


def test_asked_again_for_the_same_trial_it_tells_the_same_and_takes_nothing_away(stage: PathStage) -> None:
    _, words = attempt(stage.machine, stage.step())
    since = len(stage.machine.faults.calls)
    assert attempt(stage.machine, stage.step()) == (False, words)
    assert [call.detail for call in stage.machine.faults.calls[since:] if call.changes] == []
    assert attempt(stage.machine, stage.step(trial="t2"))[0]


def test_another_host_on_the_same_portal_keeps_its_session(stage: PathStage) -> None:
    other = stage.machine.login(IQN, stage.iqn, BOTH[0], peer="192.0.2.77")
    seen: list[bool] = []
    stage.machine.later(AWAY_S / 2, lambda: seen.append(other in stage.sessions and stage.away()))
    attempt(stage.machine, stage.step().model_copy(update={"sessions": {}}))
    assert seen == [True]
    assert other in stage.sessions


@pytest.mark.parametrize(
    ("silent", "words"),
    [("192.0.2.10", "nothing was received on portal a"), ("198.51.100.10", "nothing was received on portal b")],
)
def test_a_path_that_is_dead_unseen_keeps_every_path_as_it_is(stage: PathStage, silent: str, words: str) -> None:
    stage.machine.wires.silent_ms[silent] = 45_000
    with pytest.raises(Conflict, match=words):
        ask(stage.machine, stage.ask())
    with pytest.raises(Conflict, match=words):
        attempt(stage.machine, stage.step())
    assert (stage.paths(), stage.longest_away_s) == (BOTH, 0.0)


def test_a_host_whose_other_path_is_missing_keeps_the_one_it_has(stage: PathStage) -> None:
    stage.machine.logout(next(one for one in stage.sessions if one.portal == BOTH[1]))
    with pytest.raises(Conflict, match="no connection on portal b"):
        attempt(stage.machine, stage.step(A))
    assert stage.paths() == BOTH[:1]


@pytest.mark.parametrize("commands", [0, 1])
def test_where_nothing_but_the_checks_of_multipath_comes_no_path_is_taken_away(stage: PathStage, commands: int) -> None:
    stage.commands = 0
    if commands:
        stage.machine.later(1.0, lambda: setattr(stage, "commands", 1))
        stage.machine.later(2.0, lambda: setattr(stage, "commands", 0))
    with pytest.raises(Conflict, match="almost no I/O"):
        attempt(stage.machine, stage.step())
    assert (stage.paths(), stage.longest_away_s) == (BOTH, 0.0)


def test_a_host_that_stands_still_gets_its_path_back_before_the_time_is_over(stage: PathStage) -> None:
    stage.moves_after_s = None
    with pytest.raises(ToolFailed, match="stopped for 30 s while portal a"):
        attempt(stage.machine, stage.step(away_s=120))
    assert not stage.away()
    stage.machine.advance(10.0)
    assert (stage.paths(), stage.longest_away_s < 45) == (BOTH, True)


def test_a_host_that_still_stands_still_at_the_end_has_not_passed(stage: PathStage) -> None:
    stage.moves_after_s = 25.0
    with pytest.raises(ToolFailed, match="stopped for"):
        attempt(stage.machine, stage.step())
    assert not stage.away()


def test_if_another_path_breaks_meanwhile_the_one_that_is_away_is_given_back_at_once(stage: PathStage) -> None:
    def cut() -> None:
        stage.machine.wires.returns_s = 4.0
        stage.machine.logout(next(one for one in stage.sessions if one.portal == BOTH[1]))

    stage.machine.later(9.0, cut)
    begun = stage.machine.clock
    with pytest.raises(ToolFailed, match=r"portal b .* failed while portal a .* restored immediately"):
        attempt(stage.machine, stage.step(away_s=120))
    assert (stage.away(), stage.machine.clock - begun < 20) == (False, True)


def test_a_host_that_does_not_come_back_is_told_and_no_further_path_is_taken_away(stage: PathStage) -> None:
    stage.machine.wires.returns_s = None
    with pytest.raises(ToolFailed, match="did not reconnect on portal a"):
        attempt(stage.machine, stage.step())
    with pytest.raises(Conflict, match="no connection on portal a"):
        attempt(stage.machine, stage.step(B, trial="t2"))
    assert stage.paths() == BOTH[1:]


def test_the_kernel_gives_the_path_back_though_the_agent_is_dead(stage: PathStage) -> None:
    put = next(n for n, call in enumerate(_calls(PathStage()), 1) if call.startswith("run nft --file"))
    stage.machine.faults.crash_at(put + 3, When.AFTER)
    with pytest.raises(Crash):
        attempt(stage.machine, stage.step())
    assert stage.away()
    stage.machine.advance(AWAY_S + 15)
    assert stage.paths() == BOTH
    stage.machine.faults.restart_process()
    assert attempt(stage.machine, stage.step())[0]
    assert (stage.paths(), stage.away()) == (BOTH, False)


@pytest.mark.parametrize("when", list(When))
def test_an_agent_that_is_killed_anywhere_leaves_nothing_that_undo_does_not_give_back(when: When) -> None:
    changing = [n for n, call in enumerate(PathStageCalls.of(), 1) if call]
    for number in changing:
        stage = PathStage()
        stage.machine.faults.crash_at(number, when)
        with pytest.raises(Crash):
            attempt(stage.machine, stage.step())
        stage.machine.faults.restart_process()
        give_back(stage.machine, stage.step())
        assert not stage.away()
        stage.machine.advance(10.0)
        assert stage.paths() == BOTH
        assert give_back(stage.machine, stage.step()) is None


def test_where_the_kernel_ends_no_connection_the_host_keeps_its_path(stage: PathStage) -> None:
    stage.machine.wires.can_destroy = False
    with pytest.raises(ToolFailed, match="INET_DIAG_DESTROY"):
        attempt(stage.machine, stage.step())
    assert (stage.paths(), stage.away()) == (BOTH, False)


@pytest.mark.parametrize("tool", ["ss", "nft"])
def test_a_missing_tool_is_named_with_its_package_before_anything_is_done(stage: PathStage, tool: str) -> None:
    stage.machine.tools.remove(tool)
    with pytest.raises(Unavailable, match="install the Debian package"):
        ask(stage.machine, stage.ask())


@pytest.mark.parametrize("lacks", ["is_in_kernel", "has_netlink"])
def test_a_kernel_without_nftables_is_told(stage: PathStage, lacks: str) -> None:
    setattr(stage.machine.network.firewall, lacks, False)
    with pytest.raises(LunetteError, match="no nftables"):
        attempt(stage.machine, stage.step())
    assert stage.paths() == BOTH


def test_packets_of_full_size_are_tried_and_told(stage: PathStage) -> None:
    assert ask(stage.machine, stage.ask()).count("packets of 1500 bytes get through") == 2
    stage.machine.wires.largest["192.0.2.10"] = 0
    assert "portal a (192.0.2.1:3260) from 192.0.2.10 answers, packets of 1500 bytes were not tested" in ask(
        stage.machine, stage.ask()
    )
    stage.machine.wires.largest["192.0.2.10"] = 1400
    with pytest.raises(Conflict, match="packets of 1500 bytes, the MTU of eth0, do not reach"):
        ask(stage.machine, stage.ask())
    stage.machine.tools.remove("ping")
    assert "not tested: ping is not installed" in ask(stage.machine, stage.ask())


def test_the_rule_is_for_one_address_and_one_portal_and_has_an_end() -> None:
    text = barrier.render(A, 50)
    assert "elements = { 192.0.2.10 . 192.0.2.1 . 3260 timeout 50s }" in text
    assert text.count("elements") == 1
    six = A.model_copy(update={"address": "2001:db8::1", "peer": "2001:db8::10"})
    assert "elements = { 2001:db8::10 . 2001:db8::1 . 3260 timeout 7s }" in barrier.render(six, 7)


def _calls(stage: PathStage) -> list[str]:
    since = len(stage.machine.faults.calls)
    attempt(stage.machine, stage.step())
    return [f"{call.name} {call.detail}" for call in stage.machine.faults.calls[since:]]


class PathStageCalls:
    """Which calls of a trial change something."""

    @staticmethod
    def of() -> list[bool]:
        stage = PathStage()
        since = len(stage.machine.faults.calls)
        attempt(stage.machine, stage.step())
        return [call.changes for call in stage.machine.faults.calls[since:]]
