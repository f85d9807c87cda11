"""A host on two portals of the fake machine that writes all the time, for the tests that take a path of it away."""

from backend.tests.agent.exports import initiator, lun, portal, target
from backend.tests.fakemachine.lio.iscsi import FakeSession
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.providers.test_lio_converge import ExportRig
from lunette.domain.steps import HostLink, PathsAsk, PathTry

IQN = "iqn.2026-01.com.example:h43"
SECOND = "198.51.100.1"
A = HostLink(portal="a", address="192.0.2.1", port=3260, peer="192.0.2.10")
B = HostLink(portal="b", address=SECOND, port=3260, peer="198.51.100.10")
AWAY_S = 20
TICK_S = 0.5


class PathRig(ExportRig):
    """`moves_after_s`: how long the host's I/O stands still after it lost a path; None: for ever."""

    def __init__(self) -> None:
        super().__init__()
        self.machine.addresses.add(SECOND)
        portals = (portal(21), portal(22).model_copy(update={"address": SECOND}))
        desired = self.desired(portals=portals, targets=(target(32, [initiator(43)], [lun(53, 1, 13)]),))
        self.served = desired
        assert self.serve(desired).targets[0].reason is None
        self.iqn = desired.targets[0].iqn
        for link in (A, B):
            self.machine.login(IQN, self.iqn, f"{link.address}:{link.port}", peer=link.peer)
        self.moves_after_s: float | None = 3.0
        self.commands = 20
        self.longest_away_s = 0.0
        self._lost_at: float | None = None
        self._tick()

    @property
    def sessions(self) -> list[FakeSession]:
        assert self.machine.iscsi
        return self.machine.iscsi.sessions

    def paths(self) -> list[str]:
        """The portals the host is logged in on."""
        return sorted(one.portal for one in self.sessions)

    def away(self) -> bool:
        """Whether a path is blocked now."""
        return "lunette_path" in self.machine.network.firewall.tables

    def ask(self) -> PathsAsk:
        return PathsAsk(host="db", initiators=(IQN,), links=(A, B))

    def step(self, link: HostLink = A, trial: str = "t1", away_s: int = AWAY_S) -> PathTry:
        return PathTry(
            trial_id=trial,
            host="db",
            initiators=(IQN,),
            link=link,
            others=(B if link == A else A,),
            sessions={self.iqn: 2},
            away_s=away_s,
        )

    def _tick(self) -> None:
        """The host writes over whatever path is left, once it has given a lost one up."""
        now, lost = self.machine.clock, len(self.sessions) < 2
        self._lost_at = (self._lost_at or now) if lost else None
        away_s = now - self._lost_at if self._lost_at is not None else 0.0
        self.longest_away_s = max(self.longest_away_s, away_s)
        is_moving = not lost or (self.moves_after_s is not None and away_s >= self.moves_after_s)
        if self.sessions and is_moving and self.commands:
            self.machine.carry(self.sessions[-1], 1, Io(), commands=self.commands)
        self.machine.later(TICK_S, self._tick)
