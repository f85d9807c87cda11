"""A path is taken away from one host, watched, and given back, whatever happens on the way."""

import pytest

from backend.tests.fakemachine import Crash, When
from backend.tests.providers.path_rig import AWAY_S, IQN, A, B, PathRig
from lunette.domain.errors import Conflict, LunetteError, ToolFailed, Unavailable
from lunette.providers.exports.paths import barrier
from lunette.providers.exports.paths.trial import ask, attempt, give_back

BOTH = ["192.0.2.1:3260", "198.51.100.1:3260"]


@pytest.fixture
def rig() -> PathRig:
    return PathRig()


def test_each_path_is_down_for_its_time_while_the_host_continues_and_is_then_restored(rig: PathRig) -> None:
    for link in (A, B):
        changed, words = attempt(rig.machine, rig.step(link, trial=link.portal))
        assert changed
        assert words.startswith(f"{link.shown} was blocked for {AWAY_S} s: the host continued over its other paths")
        assert "a longest pause of 3 s" in words or "a longest pause of 4 s" in words, words
        assert (rig.paths(), rig.away()) == (BOTH, False)
        assert rig.longest_away_s >= AWAY_S
        rig.longest_away_s = 0.0


def test_a_repeated_trial_reports_the_same_and_removes_nothing(rig: PathRig) -> None:
    _, words = attempt(rig.machine, rig.step())
    since = len(rig.machine.faults.calls)
    assert attempt(rig.machine, rig.step()) == (False, words)
    assert [call.detail for call in rig.machine.faults.calls[since:] if call.changes] == []
    assert attempt(rig.machine, rig.step(trial="t2"))[0]


def test_another_host_on_the_same_portal_retains_its_session(rig: PathRig) -> None:
    other = rig.machine.login(IQN, rig.iqn, BOTH[0], peer="192.0.2.77")
    seen: list[bool] = []
    rig.machine.later(AWAY_S / 2, lambda: seen.append(other in rig.sessions and rig.away()))
    attempt(rig.machine, rig.step().model_copy(update={"sessions": {}}))
    assert seen == [True]
    assert other in rig.sessions


@pytest.mark.parametrize(
    ("silent", "words"),
    [("192.0.2.10", "nothing was received on portal a"), ("198.51.100.10", "nothing was received on portal b")],
)
def test_an_unnoticed_dead_path_leaves_every_path_unchanged(rig: PathRig, silent: str, words: str) -> None:
    rig.machine.wires.silent_ms[silent] = 45_000
    with pytest.raises(Conflict, match=words):
        ask(rig.machine, rig.ask())
    with pytest.raises(Conflict, match=words):
        attempt(rig.machine, rig.step())
    assert (rig.paths(), rig.longest_away_s) == (BOTH, 0.0)


def test_a_host_whose_other_path_is_missing_retains_its_only_path(rig: PathRig) -> None:
    rig.machine.logout(next(one for one in rig.sessions if one.portal == BOTH[1]))
    with pytest.raises(Conflict, match="no connection on portal b"):
        attempt(rig.machine, rig.step(A))
    assert rig.paths() == BOTH[:1]


@pytest.mark.parametrize("commands", [0, 1])
def test_without_io_other_than_checks_of_multipath_no_path_is_taken_down(rig: PathRig, commands: int) -> None:
    rig.commands = 0
    if commands:
        rig.machine.later(1.0, lambda: setattr(rig, "commands", 1))
        rig.machine.later(2.0, lambda: setattr(rig, "commands", 0))
    with pytest.raises(Conflict, match="almost no I/O"):
        attempt(rig.machine, rig.step())
    assert (rig.paths(), rig.longest_away_s) == (BOTH, 0.0)


def test_a_host_without_io_gets_its_path_back_before_the_time_is_over(rig: PathRig) -> None:
    rig.moves_after_s = None
    with pytest.raises(ToolFailed, match="stopped for 30 s while portal a"):
        attempt(rig.machine, rig.step(away_s=120))
    assert not rig.away()
    rig.machine.advance(10.0)
    assert (rig.paths(), rig.longest_away_s < 45) == (BOTH, True)


def test_a_host_still_without_io_at_the_end_has_not_passed(rig: PathRig) -> None:
    rig.moves_after_s = 25.0
    with pytest.raises(ToolFailed, match="stopped for"):
        attempt(rig.machine, rig.step())
    assert not rig.away()


def test_if_another_path_breaks_meanwhile_the_one_that_is_away_is_given_back_at_once(rig: PathRig) -> None:
    def cut() -> None:
        rig.machine.wires.returns_s = 4.0
        rig.machine.logout(next(one for one in rig.sessions if one.portal == BOTH[1]))

    rig.machine.later(9.0, cut)
    begun = rig.machine.clock
    with pytest.raises(ToolFailed, match=r"portal b .* failed while portal a .* restored immediately"):
        attempt(rig.machine, rig.step(away_s=120))
    assert (rig.away(), rig.machine.clock - begun < 20) == (False, True)


def test_a_host_that_does_not_come_back_is_reported_and_no_further_path_is_taken_away(rig: PathRig) -> None:
    rig.machine.wires.returns_s = None
    with pytest.raises(ToolFailed, match="did not reconnect on portal a"):
        attempt(rig.machine, rig.step())
    with pytest.raises(Conflict, match="no connection on portal a"):
        attempt(rig.machine, rig.step(B, trial="t2"))
    assert rig.paths() == BOTH[1:]


def test_the_kernel_gives_the_path_back_though_the_agent_is_dead(rig: PathRig) -> None:
    put = next(n for n, call in enumerate(_calls(PathRig()), 1) if call.startswith("run nft --file"))
    rig.machine.faults.crash_at(put + 3, When.AFTER)
    with pytest.raises(Crash):
        attempt(rig.machine, rig.step())
    assert rig.away()
    rig.machine.advance(AWAY_S + 15)
    assert rig.paths() == BOTH
    rig.machine.faults.restart_process()
    assert attempt(rig.machine, rig.step())[0]
    assert (rig.paths(), rig.away()) == (BOTH, False)


@pytest.mark.parametrize("when", list(When))
def test_an_agent_that_is_killed_anywhere_leaves_nothing_that_undo_does_not_give_back(when: When) -> None:
    changing = [n for n, call in enumerate(PathRigCalls.of(), 1) if call]
    for number in changing:
        rig = PathRig()
        rig.machine.faults.crash_at(number, when)
        with pytest.raises(Crash):
            attempt(rig.machine, rig.step())
        rig.machine.faults.restart_process()
        give_back(rig.machine, rig.step())
        assert not rig.away()
        rig.machine.advance(10.0)
        assert rig.paths() == BOTH
        assert give_back(rig.machine, rig.step()) is None


def test_if_the_kernel_ends_no_connection_the_host_retains_its_path(rig: PathRig) -> None:
    rig.machine.wires.can_destroy = False
    with pytest.raises(ToolFailed, match="INET_DIAG_DESTROY"):
        attempt(rig.machine, rig.step())
    assert (rig.paths(), rig.away()) == (BOTH, False)


@pytest.mark.parametrize("tool", ["ss", "nft"])
def test_a_missing_tool_is_named_with_its_package_before_anything_is_done(rig: PathRig, tool: str) -> None:
    rig.machine.tools.remove(tool)
    with pytest.raises(Unavailable, match="install the Debian package"):
        ask(rig.machine, rig.ask())


@pytest.mark.parametrize("lacks", ["is_in_kernel", "has_netlink"])
def test_a_kernel_without_nftables_is_reported(rig: PathRig, lacks: str) -> None:
    setattr(rig.machine.network.firewall, lacks, False)
    with pytest.raises(LunetteError, match="no nftables"):
        attempt(rig.machine, rig.step())
    assert rig.paths() == BOTH


def test_packets_of_full_size_are_tried_and_reported(rig: PathRig) -> None:
    assert ask(rig.machine, rig.ask()).count("packets of 1500 bytes get through") == 2
    rig.machine.wires.largest["192.0.2.10"] = 0
    assert "portal a (192.0.2.1:3260) from 192.0.2.10 answers, packets of 1500 bytes were not tested" in ask(
        rig.machine, rig.ask()
    )
    rig.machine.wires.largest["192.0.2.10"] = 1400
    with pytest.raises(Conflict, match="packets of 1500 bytes, the MTU of eth0, do not reach"):
        ask(rig.machine, rig.ask())
    rig.machine.tools.remove("ping")
    assert "not tested: ping is not installed" in ask(rig.machine, rig.ask())


def test_the_rule_is_for_one_address_and_one_portal_and_has_an_end() -> None:
    text = barrier.render(A, 50)
    assert "elements = { 192.0.2.10 . 192.0.2.1 . 3260 timeout 50s }" in text
    assert text.count("elements") == 1
    six = A.model_copy(update={"address": "2001:db8::1", "peer": "2001:db8::10"})
    assert "elements = { 2001:db8::10 . 2001:db8::1 . 3260 timeout 7s }" in barrier.render(six, 7)


def _calls(rig: PathRig) -> list[str]:
    since = len(rig.machine.faults.calls)
    attempt(rig.machine, rig.step())
    return [f"{call.name} {call.detail}" for call in rig.machine.faults.calls[since:]]


class PathRigCalls:
    """Which calls of a trial change something."""

    @staticmethod
    def of() -> list[bool]:
        rig = PathRig()
        since = len(rig.machine.faults.calls)
        attempt(rig.machine, rig.step())
        return [call.changes for call in rig.machine.faults.calls[since:]]
