"""Tests a host's paths: checks that all of them answer, then blocks one and watches the host's I/O.

I/O is read from LIO's counters of the host's commands. They also count the path checks of the host's multipath, so only
what exceeds these counts as I/O. A repeated request for the same test returns the first result.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence

from lunette.domain.errors import Conflict, ToolFailed, Unavailable
from lunette.domain.steps import HostLink, PathsAsk, PathTry
from lunette.domain.steps.paths import BACK_S
from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.exports.paths import barrier, sockets
from lunette.providers.exports.paths.packets import full_size
from lunette.system.system_port import System
from lunette.system.tools import missing_tool

NOTE = "/run/lunette/path-trial.json"
"""The last test that passed, with its result."""
QUIET_S = 20.0
"""LIO pings a connection that was idle for 15 s (nopin_timeout), initiators ping more often."""
BEFORE_S = 5.0
"""How long the host's I/O is watched before."""
CHECK_S = 5.0
"""How often multipath checks each volume on each path, at most (polling_interval, multipath.conf(5))."""
STALLED_S = 30.0
"""A host without I/O for this long gets its path back immediately."""
ENDING_S = 10.0
"""How long it may have been without I/O when the time is over."""
POLL_S, GONE_S, MARGIN_S = 1.0, 10.0, 5


def ask(system: System, step: PathsAsk) -> str:
    """The result for each path, in words. Raises Conflict for one that does not answer, or passes no full packet, and
    if the host performs no I/O; Unavailable if no path can be blocked here.
    """
    for tool in ("ss", "nft"):
        if system.find_tool(tool) is None:
            raise Unavailable(missing_tool(tool))
    _await(system, step.links, {}, QUIET_S)
    words = [f"{link.shown} answers, {full_size(system, link)}" for link in step.links]
    _Load(system, step.initiators, len(step.links)).await_some(step.host)
    return "; ".join(words)


def attempt(system: System, step: PathTry) -> tuple[bool, str]:
    """Whether anything was done, and what came of it. Raises Conflict before the path is taken away, ToolFailed if the
    host does not go on or the path does not return; it is given back in any case."""
    noted = _noted(system, step)
    if noted is not None:
        return False, noted
    barrier.lift(system)  # left behind by an interrupted test
    _await(system, (step.link, *step.others), step.sessions, BACK_S)
    load = _Load(system, step.initiators, len(step.others) + 1)
    load.await_some(step.host)
    before = len(sockets.of_link(sockets.established(system), step.link))
    try:
        barrier.put(system, step.link, step.away_s + MARGIN_S)
        _end(system, step.link)
        pause_s = _watch(system, step, load)
    finally:
        barrier.lift(system)
    back_s = _await_back(system, step, before)
    words = (
        f"{step.link.shown} was blocked for {step.away_s} s: the host continued over its other paths, with a longest "
        f"pause of {pause_s:.0f} s; the path was restored after {back_s:.0f} s"
    )
    system.write_durably(NOTE, json.dumps({"trial": step.trial_id, "words": words}).encode())
    return True, words


def give_back(system: System, step: PathTry) -> str | None:
    """Undoes an interrupted test. None if the path is not blocked."""
    return f"{step.link.shown} was restored" if barrier.lift(system) else None


def _noted(system: System, step: PathTry) -> str | None:
    content = system.read_file(NOTE)
    try:
        reported = json.loads(content) if content else {}
    except ValueError:
        return None
    return reported.get("words") if reported.get("trial") == step.trial_id else None


def _await(system: System, links: Sequence[HostLink], sessions: dict[str, int], deadline_s: float) -> None:
    """Waits until every path answers. Raises Conflict for the first that does not: nothing was blocked."""
    until = system.monotonic() + deadline_s
    while (fault := _fault(system, links, sessions)) is not None:
        if system.monotonic() >= until:
            raise Conflict(f"{fault}. No path was blocked: correct this, then run the test again")
        system.sleep(POLL_S)


def _fault(system: System, links: Sequence[HostLink], sessions: dict[str, int]) -> str | None:
    seen = sockets.established(system)
    for link in links:
        found = sockets.of_link(seen, link)
        if not found:
            return f"no connection on {link.shown}"
        if any(one.silent_s is None or one.silent_s > QUIET_S for one in found):
            return (
                f"nothing was received on {link.shown} for {QUIET_S:.0f} s: the connection may have failed without "
                "being noticed"
            )
    for iqn, wanted in sessions.items():
        if (there := _sessions(system, iqn)) < wanted:
            return f"target {iqn} has {there} sessions of the {wanted} it had when the plan was made"
    return None


def _sessions(system: System, iqn: str) -> int:
    text = LioConfigfs(system).read(f"iscsi/{iqn}/fabric_statistics/iscsi_instance/sessions").strip()
    return int(text) if text.isdigit() else 0


def _end(system: System, link: HostLink) -> None:
    """Ends the connections of the path. Raises ToolFailed if the kernel does not."""
    for connection in sockets.of_link(sockets.established(system), link):
        sockets.end(system, connection)
    until = system.monotonic() + GONE_S
    while sockets.of_link(sockets.established(system), link):
        if system.monotonic() >= until:
            raise ToolFailed(
                f"the connections on {link.shown} could not be ended (ss -K): boot a kernel with INET_DIAG_DESTROY. "
                "The host keeps its path"
            )
        system.sleep(POLL_S)


def _watch(system: System, step: PathTry, load: "_Load") -> float:
    """Watches the host's I/O while the path is blocked. Returns its longest pause. Raises ToolFailed."""
    until = system.monotonic() + step.away_s
    load.begin()
    while system.monotonic() < until:
        system.sleep(POLL_S)
        seen = sockets.established(system)
        lost = next((other for other in step.others if not sockets.of_link(seen, other)), None)
        if lost is not None:
            raise ToolFailed(f"{lost.shown} failed while {step.link.shown} was blocked, which was restored immediately")
        if sockets.of_link(seen, step.link):
            raise ToolFailed(f"{step.link.shown} could not be blocked: the host reconnected")
        if load.look() > STALLED_S:
            raise ToolFailed(_stood_still(step, STALLED_S))
    if (pause_s := load.look()) > ENDING_S:
        raise ToolFailed(_stood_still(step, pause_s))
    return load.longest_s


def _stood_still(step: PathTry, seconds: float) -> str:
    return (
        f"I/O of host {step.host} stopped for {seconds:.0f} s while {step.link.shown} was blocked; the path was "
        "restored. Check the host's multipath configuration, and apply its setup kit, which lets I/O move to another "
        "path after 15 s"
    )


def _await_back(system: System, step: PathTry, connections: int) -> float:
    """Waits until the host is connected as before. Returns the seconds. Raises ToolFailed."""
    begun = system.monotonic()

    def is_back() -> bool:
        there = len(sockets.of_link(sockets.established(system), step.link)) >= connections
        return there and all(_sessions(system, iqn) >= wanted for iqn, wanted in step.sessions.items())

    _until(
        system,
        is_back,
        BACK_S,
        (
            f"host {step.host} did not reconnect on {step.link.shown} within {BACK_S} s after the path was restored: "
            "log it in there, and make sure that its initiator retries indefinitely. No other path is blocked"
        ),
    )
    return system.monotonic() - begun


def _until(system: System, holds: Callable[[], bool], deadline_s: float, words: str) -> None:
    until = system.monotonic() + deadline_s
    while not holds():
        if system.monotonic() >= until:
            raise ToolFailed(words)
        system.sleep(POLL_S)


class _Load:
    """The I/O of some initiators. `paths` is the number of paths that their multipath checks."""

    def __init__(self, system: System, initiators: Sequence[str], paths: int) -> None:
        self._system, self._files, self._paths = system, LioConfigfs(system), paths
        self._luns = tuple(self._mapped([one.lower() for one in initiators]))
        self.longest_s = 0.0
        self._last: dict[str, int] = {}
        self._at = 0.0

    def await_some(self, host: str) -> None:
        """Raises Conflict if there is none, because then nothing would be shown."""
        self.begin()
        self._system.sleep(BEFORE_S)
        if self.look() > 0:
            raise Conflict(
                f"host {host} performs almost no I/O, so the test cannot tell whether its I/O continues: let it read "
                "or write continuously, then run the test again. No path was blocked"
            )

    def begin(self) -> None:
        self._last, self._at, self.longest_s = self._count(), self._system.monotonic(), 0.0

    def look(self) -> float:
        """How long there has been no I/O, in seconds."""
        found, still_s = self._count(), self._system.monotonic() - self._at
        checks = len(self._luns) * self._paths * (1 + still_s / CHECK_S)
        self.longest_s = max(self.longest_s, still_s)
        # A LUN that is unmapped meanwhile no longer counts, and does not reduce the sum of the others.
        if sum(max(0, number - self._last.get(lun, 0)) for lun, number in found.items()) > checks:
            self._last, self._at = found, self._system.monotonic()
            return 0.0
        return still_s

    def _count(self) -> dict[str, int]:
        """Commands so far, by mapped LUN (target_core_stat.c, Linux 6.12)."""
        shown = {lun: self._files.read(f"{lun}/statistics/scsi_auth_intr/num_cmds").strip() for lun in self._luns}
        return {lun: int(text) for lun, text in shown.items() if text.isdigit()}

    def _mapped(self, initiators: Collection[str]) -> Iterator[str]:
        files = self._files
        for iqn in files.names("iscsi"):
            for group in (name for name in files.names(f"iscsi/{iqn}") if name.startswith("tpgt_")):
                acls = f"iscsi/{iqn}/{group}/acls"
                for name in (one for one in files.names(acls) if one.lower() in initiators):
                    yield from (
                        f"{acls}/{name}/{lun}" for lun in files.names(f"{acls}/{name}") if lun.startswith("lun_")
                    )
