"""NVMe exports on the fake's configfs, which follows nvmet's rules: who is admitted, when, and what hosts see."""

import json
import re

import pytest

from backend.tests.agent.exports import (
    APPLIANCE,
    dhchap,
    dhchap_key,
    exports,
    id_of,
    lun,
    nqn_of,
    nvme_host,
    nvme_portal,
    subsystem,
    volume,
)
from backend.tests.fakemachine.nvme.nvmet import FakeController, Refuse
from backend.tests.providers.rig import Rig
from lunette.domain.exports import ConvergeReport, ExportSet, ExportVolume, ServingState
from lunette.domain.mappings import Protocol
from lunette.domain.sizes import MIB
from lunette.domain.steps import VolumeCut
from lunette.domain.volumes import VolumeEngine
from lunette.providers.exports.nvmet import tree
from lunette.providers.exports.nvmet.configfs import ROOT
from lunette.providers.exports.nvmet.converge import converge, exported_volumes, is_served, withdraw
from lunette.providers.exports.nvmet.sessions import observe_sessions
from lunette.providers.exports.turn import Turn

WHERE = "192.0.2.1:4420"
OPEN, BLOCKED = ServingState.OPEN, ServingState.BLOCKED


def nqn(number: int) -> str:
    return f"nqn.2026-11.io.lunette:{APPLIANCE}.{number:08x}"


class ExportRig(Rig):
    """Three volumes on an array, ready to be exported over NVMe."""

    def __init__(self) -> None:
        super().__init__()
        create = self.create()
        self.lvm = self.group(create)
        self.array = self.export_array(create, self.lvm)
        self.volumes: list[ExportVolume] = []
        for step in (create, self.lvm):
            self.do(step)
        for number in (11, 12, 13):
            cut = VolumeCut(
                engine=VolumeEngine.LVM,
                volume_id=id_of(number),
                group=self.lvm.group,
                backing_name=f"v{number}",
                size_bytes=64 * MIB,
            )
            self.do(cut)
            place = {"group": self.lvm.group, "device": f"/dev/{self.lvm.group}/v{number}"}
            self.volumes.append(volume(number).model_copy(update=place))
        self.machine.run(["modprobe", "nvmet-tcp"])

    def serve(self, desired: ExportSet, *, keep_stale: bool = False) -> ConvergeReport:
        return converge(self.machine, desired, turn=Turn(keep_stale=keep_stale))

    def desired(self, **changes: object) -> ExportSet:
        """Two subsystems: two hosts share namespaces 1 and 2, one of them with keys; a third has one of its own."""
        whole: dict[str, object] = {
            "arrays": (self.array,),
            "volumes": tuple(self.volumes),
            "portals": (nvme_portal(21),),
            "subsystems": (
                subsystem(31, [nvme_host(41), nvme_host(42, dhchap(1, 2))], [lun(51, 1, 11), lun(52, 2, 12)]),
                subsystem(32, [nvme_host(43)], [lun(53, 1, 13)]),
            ),
        }
        return exports(**(whole | changes))

    def connect(self, host: int, number: int, keys: tuple[str, str | None] | None = None) -> FakeController:
        return self.machine.connect(nqn_of(host), nqn(number), WHERE, keys)

    def sees(self, controller: FakeController) -> dict[int, str]:
        assert self.machine.nvme
        return {nsid: path.rpartition("/")[2] for nsid, path in self.machine.nvme.devices(controller).items()}

    def read(self, path: str) -> str:
        return self.machine.read(f"{ROOT}/{path}").strip()

    def hide(self, number: int) -> None:
        """The volume's device goes away, as when its array is late."""
        self.machine.run(["lvchange", "-a", "n", f"{self.lvm.group}/v{number}"])

    def show(self, number: int) -> None:
        self.machine.run(["lvchange", "-a", "y", f"{self.lvm.group}/v{number}"])


@pytest.fixture
def rig() -> ExportRig:
    return ExportRig()


def states(report: ConvergeReport) -> dict[str, tuple[ServingState, str | None]]:
    return {found.target_id: (found.state, found.reason) for found in report.subsystems}


def test_everything_is_served_and_a_second_run_changes_nothing(rig: ExportRig) -> None:
    report = rig.serve(rig.desired())
    assert states(report) == {id_of(31): (OPEN, None), id_of(32): (OPEN, None)}
    assert [part.reason for parts in (report.volumes, report.portals) for part in parts] == [None] * 4
    assert report.changed > 0
    assert rig.serve(rig.desired()).changed == 0


def test_a_host_sees_the_namespaces_of_its_subsystem_and_no_others(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    assert rig.sees(rig.connect(41, 31)) == {1: "v11", 2: "v12"}
    assert rig.sees(rig.connect(43, 32)) == {1: "v13"}
    for host, number in ((43, 31), (41, 32), (99, 31)):
        with pytest.raises(Refuse, match="not allowed"):
            rig.connect(host, number)


def test_keys_are_required_from_the_host_that_has_them(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    assert rig.sees(rig.connect(42, 31, (dhchap_key(1), dhchap_key(2))))
    for keys in (None, (dhchap_key(3), None), (dhchap_key(1), dhchap_key(3))):
        with pytest.raises(Refuse):
            rig.connect(42, 31, keys)


def test_a_key_taken_away_is_cleared_and_no_key_is_reported(rig: ExportRig) -> None:
    report = rig.serve(rig.desired())
    assert dhchap_key(1) not in report.model_dump_json()
    open_subsystem = (subsystem(31, [nvme_host(41), nvme_host(42)], [lun(51, 1, 11), lun(52, 2, 12)]),)
    rig.serve(rig.desired(subsystems=open_subsystem))
    assert rig.sees(rig.connect(42, 31))
    assert rig.read(f"hosts/{nqn_of(42)}/dhchap_ctrl_key") == ""


def test_identities_are_those_of_the_volume(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    path, identity = f"subsystems/{nqn(31)}/namespaces/1", rig.volumes[0].identity
    assert rig.read(f"{path}/device_uuid") == identity.uuid
    assert rig.read(f"{path}/device_nguid").replace("-", "") == identity.nguid
    assert rig.read(f"subsystems/{nqn(31)}/attr_serial") == f"{31:020}"
    assert rig.read(f"subsystems/{nqn(31)}/attr_model") == tree.MODEL


def test_while_a_volume_is_missing_its_owner_must_retry_and_others_are_served(rig: ExportRig) -> None:
    """A Linux host never retries a subsystem that is reported as missing, or as not allowed for this host."""
    rig.hide(12)
    report = rig.serve(rig.desired())
    assert states(report)[id_of(31)][0] is BLOCKED
    assert "v12 does not exist" in (states(report)[id_of(31)][1] or "")
    assert states(report)[id_of(32)] == (OPEN, None)
    assert rig.sees(rig.connect(43, 32))
    for host, keys in ((41, None), (42, (dhchap_key(1), dhchap_key(2)))):
        with pytest.raises(Refuse) as refused:
            rig.connect(host, 31, keys)
        assert refused.value.retries
    rig.show(12)
    assert set(states(rig.serve(rig.desired())).values()) == {(OPEN, None)}
    assert rig.sees(rig.connect(41, 31)) == {1: "v11", 2: "v12"}
    assert rig.sees(rig.connect(42, 31, (dhchap_key(1), dhchap_key(2)))) == {1: "v11", 2: "v12"}


def test_no_host_is_ever_turned_away_for_good_while_it_opens(rig: ExportRig) -> None:
    """After every single step each host finds no listener, is asked to retry, or sees all its volumes."""
    wanted = {(41, 31): 2, (43, 32): 1}
    wrong: list[str] = []
    listens = {"first": 0}

    def look() -> None:
        for (host, number), count in wanted.items():
            try:
                seen = rig.sees(rig.connect(host, number))
            except ConnectionError:
                continue
            except Refuse as refusal:
                listens["first"] += "no such subsystem" in str(refusal)
                if not refusal.retries and "no such subsystem" not in str(refusal):
                    wrong.append(f"{host} at {number}: {refusal}")
            else:
                wrong.extend([f"{host} at {number} sees {seen}"] if len(seen) != count else [])

    rig.machine.watchers.append(look)
    rig.serve(rig.desired())
    assert wrong == []
    assert listens["first"] <= 1, "between the link that opens the port and the next there is nothing else to do"


def test_one_more_namespace_appears_and_one_disappears_on_a_connected_host(rig: ExportRig) -> None:
    first = subsystem(31, [nvme_host(41)], [lun(51, 1, 11)])
    rig.serve(rig.desired(subsystems=(first,)))
    host = rig.connect(41, 31)
    both = first.model_copy(update={"luns": (*first.luns, lun(52, 2, 12))})
    rig.serve(rig.desired(subsystems=(both,)))
    assert rig.sees(host) == {1: "v11", 2: "v12"}
    assert host.events == ["namespace 2 changed"]
    rig.serve(rig.desired(subsystems=(both.model_copy(update={"luns": (lun(52, 2, 12),)}),)))
    assert rig.sees(host) == {2: "v12"}
    assert host.events[1:] == ["namespace 1 changed"]


def test_a_missing_volume_of_an_open_target_is_reported_and_disconnects_no_host(rig: ExportRig) -> None:
    first = subsystem(31, [nvme_host(41)], [lun(51, 1, 11)])
    rig.serve(rig.desired(subsystems=(first,)))
    host = rig.connect(41, 31)
    rig.hide(12)
    both = first.model_copy(update={"luns": (*first.luns, lun(52, 2, 12))})
    report = rig.serve(rig.desired(subsystems=(both,)))
    assert rig.sees(host) == {1: "v11"}
    assert states(report)[id_of(31)][0] is OPEN
    assert "v12" in (states(report)[id_of(31)][1] or "")


def test_a_number_assigned_again_serves_the_new_volume(rig: ExportRig) -> None:
    rig.serve(rig.desired(subsystems=(subsystem(31, [nvme_host(41)], [lun(51, 1, 11)]),)))
    host = rig.connect(41, 31)
    rig.serve(rig.desired(subsystems=(subsystem(31, [nvme_host(41)], [lun(59, 1, 12)]),)))
    assert rig.sees(host) == {1: "v12"}
    assert rig.read(f"subsystems/{nqn(31)}/namespaces/1/device_uuid") == rig.volumes[1].identity.uuid


def test_a_host_that_leaves_is_cut_off_and_the_others_may_come_back(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    leaving, staying = rig.connect(42, 31, (dhchap_key(1), None)), rig.connect(43, 32)
    left = rig.desired(
        subsystems=(
            subsystem(31, [nvme_host(41)], [lun(51, 1, 11), lun(52, 2, 12)]),
            subsystem(32, [nvme_host(43)], [lun(53, 1, 13)]),
        )
    )
    rig.serve(left)
    with pytest.raises(ConnectionError):
        rig.sees(leaving)
    assert rig.sees(staying) == {1: "v13"}
    assert rig.sees(rig.connect(41, 31))
    assert not rig.machine.exists(f"{ROOT}/hosts/{nqn_of(42)}")
    assert rig.serve(left).changed == 0


def test_a_host_of_two_subsystems_waits_for_both(rig: ExportRig) -> None:
    rig.hide(13)
    desired = rig.desired(
        subsystems=(
            subsystem(31, [nvme_host(41)], [lun(51, 1, 11)]),
            subsystem(32, [nvme_host(41), nvme_host(43)], [lun(53, 1, 13)]),
        )
    )
    report = states(rig.serve(desired))
    assert [state for state, _ in report.values()] == [BLOCKED, BLOCKED]
    assert all("v13 does not exist" in (reason or "") for _, reason in report.values())
    rig.show(13)
    rig.serve(desired)
    assert rig.sees(rig.connect(41, 31)) == {1: "v11"}
    assert rig.sees(rig.connect(41, 32)) == {1: "v13"}


def test_a_host_that_is_in_is_let_into_a_second_subsystem_once_that_is_whole(rig: ExportRig) -> None:
    first = subsystem(31, [nvme_host(41)], [lun(51, 1, 11)])
    rig.serve(rig.desired(subsystems=(first,)))
    host = rig.connect(41, 31)
    rig.hide(13)
    desired = rig.desired(subsystems=(first, subsystem(32, [nvme_host(41)], [lun(53, 1, 13)])))
    report = states(rig.serve(desired))
    assert report[id_of(31)] == (OPEN, None)
    assert report[id_of(32)][0] is BLOCKED
    assert rig.sees(host) == rig.sees(rig.connect(41, 31)) == {1: "v11"}
    rig.show(13)
    assert set(states(rig.serve(desired)).values()) == {(OPEN, None)}
    assert rig.sees(rig.connect(41, 32)) == {1: "v13"}


def test_a_portal_that_cannot_listen_is_reported_once_and_the_other_serves(rig: ExportRig) -> None:
    report = rig.serve(rig.desired(portals=(nvme_portal(21, "198.51.100.9"), nvme_portal(22))))
    reasons = {portal.portal_id: portal.reason for portal in report.portals}
    assert "198.51.100.9 port 4420: the appliance does not have this address" in (reasons[id_of(21)] or "")
    assert reasons[id_of(22)] is None
    tries = [call for call in rig.machine.faults.calls if call.name == "symlink" and "/ports/" in call.detail]
    assert len(tries) == 3
    assert rig.sees(rig.connect(41, 31))


def test_a_portal_opens_when_its_address_appears(rig: ExportRig) -> None:
    rig.serve(desired := rig.desired(portals=(nvme_portal(21), nvme_portal(22, "198.51.100.9"))))
    before = rig.connect(43, 32)
    with pytest.raises(ConnectionError):
        rig.machine.connect(nqn_of(43), nqn(32), "198.51.100.9:4420", None)
    rig.machine.addresses.add("198.51.100.9")
    assert {portal.reason for portal in rig.serve(desired).portals} == {None}
    after = rig.machine.connect(nqn_of(43), nqn(32), "198.51.100.9:4420", None)
    assert rig.sees(after) == rig.sees(before) == {1: "v13"}
    assert rig.serve(desired).changed == 0


def test_a_deleted_portal_stops_listening(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    host = rig.connect(41, 31)
    rig.serve(rig.desired(portals=()))
    with pytest.raises(ConnectionError):
        rig.sees(host)
    with pytest.raises(ConnectionError):
        rig.connect(41, 31)
    assert rig.machine.listdir(f"{ROOT}/ports") == []


def test_what_others_export_is_shown_and_never_touched(rig: ExportRig) -> None:
    machine = rig.machine
    theirs, host = f"{ROOT}/subsystems/nqn.2020-01.com.example:theirs", f"{ROOT}/hosts/{nqn_of(41)}"
    for path in (theirs, host, f"{ROOT}/ports/1", f"{ROOT}/hosts/nqn.2020-01.com.example:lone"):
        machine.mkdir(path)
    machine.symlink(host, f"{theirs}/allowed_hosts/{nqn_of(41)}")
    report = rig.serve(rig.desired())
    assert report.foreign == ("nqn.2020-01.com.example:theirs",)
    state, reason = states(report)[id_of(31)]
    assert state is BLOCKED
    assert "does not belong to Lunette" in (reason or "")
    assert rig.read(f"hosts/{nqn_of(41)}/dhchap_key") == ""
    withdraw(machine)
    assert machine.listdir(f"{ROOT}/subsystems") == ["nqn.2020-01.com.example:theirs"]
    assert machine.listdir(f"{ROOT}/ports") == ["1"]
    assert machine.listdir(f"{ROOT}/hosts") == [nqn_of(41), "nqn.2020-01.com.example:lone"]


def test_without_a_ledger_nothing_is_removed(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    host = rig.connect(43, 32)
    rig.serve(rig.desired(subsystems=(subsystem(31, [nvme_host(41)], [lun(51, 1, 11)]),)), keep_stale=True)
    assert rig.sees(host) == {1: "v13"}


def test_a_grown_volume_is_read_again(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    before = len(rig.machine.faults.calls)
    rig.serve(rig.desired())
    asked = [call.detail for call in rig.machine.faults.calls[before:] if call.detail.endswith("/revalidate_size")]
    assert len(asked) == 3


def test_withdrawing_takes_everything_down_paths_first(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    before = len(rig.machine.faults.calls)
    assert exported_volumes(rig.machine) == {volume.identity.uuid for volume in rig.volumes}
    assert withdraw(rig.machine) == {}
    moves = [c.detail for c in rig.machine.faults.calls[before:] if c.changes]
    assert all("/ports/" in move for move in moves[:2])
    assert not is_served(rig.machine)
    for folder in ("hosts", "subsystems", "ports"):
        assert rig.machine.listdir(f"{ROOT}/{folder}") == []


def test_rdma_is_the_same_with_another_transport() -> None:
    desired = exports(portals=(nvme_portal(21, "2001:db8::1", Protocol.NVME_RDMA),))
    (port,) = tree.build(desired).ports
    assert {a.name: a.value for a in port.attributes} == {
        "addr_trtype": "rdma",
        "addr_adrfam": "ipv6",
        "addr_traddr": "2001:db8::1",
        "addr_trsvcid": "4420",
        "ana_groups/1/ana_state": "optimized",
    }


def test_every_portal_has_a_number_of_its_own_whatever_their_order() -> None:
    portals = [nvme_portal(n) for n in (1, 1 + tree.PORTS, 2)]
    paths = tree.port_paths(exports(portals=tuple(portals)))
    assert len(set(paths.values())) == 3
    assert paths == tree.port_paths(exports(portals=tuple(reversed(portals))))
    assert all(tree.is_own_port(path.partition("/")[2]) for path in paths.values())


def test_the_waiting_key_is_accepted_by_the_kernel_and_cannot_be_guessed() -> None:
    assert re.match(r"DHHC-1:0[0-3]:", tree.WAITING)
    assert tree.WAITING not in json.dumps([dhchap_key(n) for n in range(256)])


def test_sessions_the_kernel_does_not_report_are_unknown_and_not_none(rig: ExportRig) -> None:
    assert observe_sessions(rig.machine) == ((), None), "nothing is served, so nobody is connected"
    rig.serve(rig.desired())
    found, unseen = observe_sessions(rig.machine)
    assert found == ()
    assert unseen
    assert "CONFIG_NVME_TARGET_DEBUGFS" in unseen.reason


def test_a_subsystem_that_could_not_let_a_host_in_is_not_served_yet(rig: ExportRig) -> None:
    """Otherwise the host would be refused with an answer that forbids a retry."""
    rig.machine.faults.break_calls(lambda call: call.name == "symlink" and f"allowed_hosts/{nqn_of(41)}" in call.detail)
    report = rig.serve(rig.desired())
    assert states(report)[id_of(31)][0] is BLOCKED
    assert states(report)[id_of(32)] == (OPEN, None)
    with pytest.raises(Refuse, match="no such subsystem"):
        rig.connect(41, 31)
    rig.machine.faults.disarm()
    assert set(states(rig.serve(rig.desired())).values()) == {(OPEN, None)}
