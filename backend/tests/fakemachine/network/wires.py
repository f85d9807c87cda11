"""TCP between hosts and the machine: what `ss`, `ping` and the log tell, and hosts that come back after a cut.

`ss -K` ends a connection on both sides. A host tries every few seconds and comes back as soon as no rule refuses it.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from backend.tests.fakemachine.lio.iscsi import FakeSession, IscsiFabric
from backend.tests.fakemachine.md.manage import Answer
from backend.tests.fakemachine.network.firewall import Nftables

TABLE = "lunette_path"


@dataclass
class Wires:
    """`fabric` is LIO's iSCSI half, None until it is loaded."""

    fabric: Callable[[], IscsiFabric | None]
    firewall: Nftables
    later: Callable[[float, Callable[[], None]], None]
    changed: Callable[[], None]
    returns_s: float | None = 4.0
    """How long a host waits before it tries again; None: it never does."""
    silent_ms: dict[str, int] = field(default_factory=dict)
    """By a host's address how long it has said nothing."""
    largest: dict[str, int] = field(default_factory=dict)
    """By a host's address the largest packet that reaches it; 0: it answers no ping."""
    can_destroy: bool = True
    """INET_DIAG_DESTROY."""

    @property
    def commands(self) -> dict[str, Callable[[Sequence[str]], Answer]]:
        return {"ss": self.ss, "ping": self.ping, "journalctl": self.journalctl}

    def ss(self, argv: Sequence[str]) -> Answer:
        """`ss … state established`, and `ss -K … src OURS dst THEIRS`."""
        if "-K" in argv:
            return self._destroy(argv[-3], argv[-1])
        lines = [
            f"0      0      {one.portal}  {one.peer}:{40000 + one.sid} cubic wscale:7,7 rto:204 "
            f"lastsnd:16 lastrcv:{self.silent_ms.get(one.peer, 16)} lastack:16 minrtt:0.022"
            for one in self._over_tcp()
        ]
        return 0, "".join(f"{line}\n" for line in lines), ""

    def ping(self, argv: Sequence[str]) -> Answer:
        """Two packets; a large one is lost without a word, as where a switch drops it."""
        size, peer = int(argv[argv.index("-s") + 1]), argv[-1]
        came = size + 28 <= self.largest.get(peer, 1500)
        return (0 if came else 1), f"2 packets transmitted, {2 if came else 0} received\n", ""

    def journalctl(self, argv: Sequence[str]) -> Answer:
        """Of all logs the fake has what LIO says of logins; the first line is one that journald cannot show as text."""
        fabric = self.fabric()
        if fabric is None or not fabric.refused or not any(word.startswith("--grep=^iSCSI") for word in argv):
            return 1, "", ""
        entries = [{"MESSAGE": [105, 7], "__REALTIME_TIMESTAMP": "1"}] + [
            {
                "__REALTIME_TIMESTAMP": str(int(at * 1e6)),
                "MESSAGE": f"iSCSI Initiator Node: {name} is not authorized to access iSCSI target portal group: 1.",
            }
            for at, name in fabric.refused
        ]
        return 0, "".join(f"{json.dumps(entry)}\n" for entry in entries), ""

    def is_refused(self, session: FakeSession) -> bool:
        address, _, port = session.portal.rpartition(":")
        return self.firewall.holds(TABLE, "away4", f"{session.peer} . {address} . {port}")

    def _over_tcp(self) -> list[FakeSession]:
        fabric = self.fabric()
        return [one for one in fabric.sessions if one.transport == "TCP"] if fabric else []

    def _destroy(self, ours: str, theirs: str) -> Answer:
        for one in self._over_tcp() if self.can_destroy else ():
            if (one.portal, f"{one.peer}:{40000 + one.sid}") == (ours, theirs):
                self._drop(one)
        return 0, "", "" if self.can_destroy else "SOCK_DESTROY answers: Operation not supported\n"

    def _drop(self, session: FakeSession) -> None:
        fabric = self.fabric()
        if fabric is not None:
            fabric.sessions.remove(session)
            self._come_back(fabric, session)
            self.changed()

    def _come_back(self, fabric: IscsiFabric, session: FakeSession) -> None:
        def attempt() -> None:
            if self.fabric() is not fabric:
                return  # the machine was restarted meanwhile
            if self.is_refused(session):
                self._come_back(fabric, session)
            else:
                fabric.rejoin(session)
                self.changed()

        if self.returns_s is not None:
            self.later(self.returns_s, attempt)
