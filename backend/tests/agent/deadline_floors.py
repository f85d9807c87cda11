"""A machine with two hosts that share a volume, over each engine, for tests of their deadlines."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from backend.tests.agent.exports import (
    APPLIANCE,
    exports,
    fc_initiator,
    fc_port,
    id_of,
    initiator,
    lun,
    nvme_host,
    nvme_portal,
    portal,
    subsystem,
    target,
    wwpn_of,
)
from backend.tests.fakemachine.nvme.nvmet import Refuse
from backend.tests.providers.test_fc_converge import FcRig
from backend.tests.providers.test_lio_converge import ExportRig as LioRig
from backend.tests.providers.test_nvmet_converge import ExportRig as NvmetRig
from backend.tests.providers.test_spdk_converge import SpdkRig, spdk_portal
from lunette.agent.core import Agent
from lunette.domain.exports import ExportLun, ExportPortal, ExportSet, TargetReport

DEADLINE_S = 60

LUNS: Mapping[int, Sequence[ExportLun]] = {31: [lun(51, 1, 11), lun(52, 2, 12)], 32: [lun(53, 1, 12), lun(54, 2, 13)]}


class Floor(ABC):
    """A machine with volumes 11 to 13. Host 41 has 11 and 12 as number 1 and 2, host 42 has 12 and 13."""

    rig: LioRig | NvmetRig
    luns: Mapping[int, Sequence[ExportLun]] = LUNS

    @abstractmethod
    def parts(self, first: int | None, second: int | None) -> dict[str, object]:
        """The document for these deadlines of the two hosts."""

    @abstractmethod
    def connect(self, host: int) -> dict[int, str] | None:
        """The volumes a host sees when it connects now; None if it is refused."""

    @property
    def agent(self) -> Agent:
        return self.rig.agent

    def desired(self, first: int | None = None, second: int | None = None, generation: int = 1) -> ExportSet:
        parts = {"generation": generation, "volumes": tuple(self.rig.volumes)}
        return exports(**(parts | self.parts(first, second)))

    def take(self, first: int | None = None, second: int | None = None, generation: int = 1) -> None:
        self.agent.converge(self.desired(first, second, generation))

    def reported(self, host: int) -> TargetReport:
        """What the agent says of a host's door when it is asked for nothing new."""
        assert self.agent._served
        report = self.agent.converge(self.agent._served)
        return next(one for one in (*report.targets, *report.subsystems) if one.target_id == id_of(host - 10))

    def wait(self, seconds: float) -> None:
        self.rig.machine.advance(seconds)
        self.agent.bring_up()

    def hide(self, *numbers: int) -> None:
        """The devices of these volumes go away, as when their array is late."""
        for number in numbers:
            self.rig.machine.run(["lvchange", "-an", f"{self.rig.lvm.group}/v{number}"])

    def show(self, *numbers: int) -> None:
        for number in numbers:
            self.rig.machine.run(["lvchange", "-ay", f"{self.rig.lvm.group}/v{number}"])

    def restart(self) -> None:
        self.rig.agent = Agent(self.rig.machine)


class OverIscsi(Floor):
    def __init__(self) -> None:
        self.rig: LioRig = LioRig()

    def parts(self, first: int | None, second: int | None) -> dict[str, object]:
        targets = [
            target(number, [initiator(number + 10)], self.luns[number]).model_copy(
                update={"opens_without_missing_after_s": after_s}
            )
            for number, after_s in ((31, first), (32, second))
        ]
        return {"portals": (portal(21),), "targets": tuple(targets)}

    def connect(self, host: int) -> dict[int, str] | None:
        iqn = f"iqn.2026-11.io.lunette:{APPLIANCE}.{host - 10:08x}"
        machine = self.rig.machine
        try:
            session = machine.login(f"iqn.2026-01.com.example:h{host}", iqn, "192.0.2.1:3260")
        except ConnectionError:
            return None
        return {number: machine.lun_device(session, number)[-3:] for number in session.luns}


class OverFc(Floor):
    def __init__(self) -> None:
        self.rig: FcRig = FcRig("fcoe")
        for host in (41, 42):
            self.rig.machine.fc.join(wwpn_of(host), self.rig.port)

    def parts(self, first: int | None, second: int | None) -> dict[str, object]:
        targets = [
            target(number, [], self.luns[number]).model_copy(
                update={"opens_without_missing_after_s": after_s, "fc_initiators": (fc_initiator(number + 10),)}
            )
            for number, after_s in ((31, first), (32, second))
        ]
        return {"fc_ports": (fc_port(1),), "targets": tuple(targets)}

    def connect(self, host: int) -> dict[int, str] | None:
        try:
            seen = self.rig.luns(wwpn_of(host))
        except ConnectionError:
            return None
        names = {id_of(number): f"v{number}" for number in (11, 12, 13)}
        return {number: names[volume_id] for number, volume_id in seen.items()}


class OverNvmet(Floor):
    def __init__(self) -> None:
        self.rig: NvmetRig = NvmetRig()

    def portal(self) -> ExportPortal:
        return nvme_portal(21)

    def parts(self, first: int | None, second: int | None) -> dict[str, object]:
        targets = [
            subsystem(number, [nvme_host(number + 10)], self.luns[number]).model_copy(
                update={"opens_without_missing_after_s": after_s}
            )
            for number, after_s in ((31, first), (32, second))
        ]
        return {"portals": (self.portal(),), "subsystems": tuple(targets)}

    def connect(self, host: int) -> dict[int, str] | None:
        try:
            controller = self.rig.connect(host, host - 10)
        except Refuse as refused:
            if not refused.retries:
                raise  # it would never come back
            return None
        return {number: name[-3:] for number, name in self.rig.sees(controller).items()}


class OverSpdk(OverNvmet):
    """One bdev is in one subsystem at most, so its two hosts share nothing."""

    luns: Mapping[int, Sequence[ExportLun]] = MappingProxyType({31: LUNS[31], 32: LUNS[32][1:]})

    def __init__(self) -> None:
        self.rig: SpdkRig = SpdkRig()

    def portal(self) -> ExportPortal:
        return spdk_portal(21)
