"""Exports on the fake's configfs, which keeps the kernel's rules: what is written, in which order, and what is not."""

from collections.abc import Iterator

import pytest

from backend.tests.agent.exports import APPLIANCE, CHAP, exports, id_of, initiator, lun, portal, target, volume
from backend.tests.providers.rig import Rig
from lunette.domain.exports import ConvergeReport, ExportSet, ExportVolume, ServingState
from lunette.domain.sizes import MIB
from lunette.domain.steps import VolumeCut
from lunette.domain.volumes import VolumeEngine
from lunette.providers.exports.lio import configfs
from lunette.providers.exports.lio.converge import converge, exported_volumes, withdraw
from lunette.providers.exports.lio.sessions import observe_sessions
from lunette.providers.exports.turn import Turn

ROOT = configfs.ROOT
LATE = "198.51.100.9"
"""An address that the machine does not have yet."""


class ExportRig(Rig):
    """Three volumes on an array, ready to be exported."""

    def __init__(self) -> None:
        super().__init__()
        create = self.create()
        self.lvm = self.group(create)
        self.array = self.export_array(create, self.lvm)
        self.volumes: list[ExportVolume] = []
        for step in (create, self.lvm):
            self.do(step)
        for number in (11, 12, 13):
            self.do(self.cut_number(number))
            self.volumes.append(
                volume(number).model_copy(
                    update={"group": self.lvm.group, "device": f"/dev/{self.lvm.group}/v{number}"}
                )
            )
        configfs.prepare(self.machine)

    def cut_number(self, number: int) -> VolumeCut:
        return VolumeCut(
            engine=VolumeEngine.LVM,
            volume_id=id_of(number),
            group=self.lvm.group,
            backing_name=f"v{number}",
            size_bytes=64 * MIB,
        )

    def serve(self, desired: ExportSet, *, keep_stale: bool = False) -> ConvergeReport:
        return converge(self.machine, desired, turn=Turn(keep_stale=keep_stale))

    def log_in(self, host: str, target_iqn: str, chap: tuple[str, str] | None = None) -> None:
        """Raises what the fake refuses a login with."""
        self.machine.login(f"iqn.2026-01.com.example:{host}", target_iqn, "192.0.2.1:3260", chap)

    def desired(self, **changes: object) -> ExportSet:
        """Two targets: two hosts share LUN 1 and 2, one of them with CHAP; a third has LUN 1 of its own."""
        whole: dict[str, object] = {
            "arrays": (self.array,),
            "volumes": tuple(self.volumes),
            "portals": (portal(21),),
            "targets": (
                target(31, [initiator(41), initiator(42, CHAP)], [lun(51, 1, 11), lun(52, 2, 12)]),
                target(32, [initiator(43)], [lun(53, 1, 13)]),
            ),
        }
        return exports(**(whole | changes))

    def read(self, path: str) -> str:
        return self.machine.read(f"{ROOT}/{path}").strip()

    def changes(self) -> Iterator[str]:
        """What was changed below configfs, in order."""
        for call in self.machine.faults.calls:
            if call.changes and ROOT in call.detail and call.name != "run":
                yield f"{call.name} {call.detail}"


@pytest.fixture
def rig() -> ExportRig:
    return ExportRig()


def group(number: int) -> str:
    return f"iscsi/iqn.2026-11.io.lunette:{APPLIANCE}.{number:08x}/tpgt_1"


def states(report: ConvergeReport) -> dict[str, ServingState]:
    return {found.target_id: found.state for found in report.targets}


def test_everything_is_served_and_a_second_run_changes_nothing(rig: ExportRig) -> None:
    report = rig.serve(rig.desired())
    assert set(states(report).values()) == {ServingState.OPEN}
    assert report.changed > 0
    reasons = [[part.reason for part in parts] for parts in (report.targets, report.volumes, report.portals)]
    assert reasons == [[None] * 2, [None] * 3, [None]]
    assert rig.serve(rig.desired()).changed == 0


def test_identities_are_written_before_the_backstore_is_enabled(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    path = f"core/iblock_700/lunette-{id_of(11)}"
    assert rig.read(f"{path}/wwn/vpd_unit_serial").endswith(rig.volumes[0].identity.serial)
    assert int(rig.read(f"{path}/wwn/company_id"), 16) == 0x001405
    written = [line for line in rig.changes() if id_of(11) in line and line.startswith("write")]
    order = [next(n for n, line in enumerate(written) if word in line) for word in ("vpd_unit_serial", "/enable")]
    assert order == sorted(order)


def test_a_target_opens_only_after_all_its_luns_and_portals_exist(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    lines = list(rig.changes())
    opening = next(n for n, line in enumerate(lines) if f"{group(31)}/enable" in line)
    assert not [line for line in lines[opening:] if "lun_" in line or "/acls/" in line]


def test_hosts_get_in_with_their_own_credentials_only(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    iqn = group(31).split("/")[1]
    rig.log_in("h41", iqn)
    rig.log_in("h42", iqn, ("alice", "secretsecret1"))
    for name, secret in (("h42", None), ("h42", ("alice", "wrongwrongwrong")), ("h43", None)):
        with pytest.raises(PermissionError):
            rig.log_in(name, iqn, secret)
    assert {session.initiator[-3:] for session in observe_sessions(rig.machine)} == {"h41", "h42"}


def test_a_secret_taken_away_is_cleared(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    plain = target(31, [initiator(41), initiator(42)], [lun(51, 1, 11), lun(52, 2, 12)])
    rig.serve(rig.desired(targets=(plain, rig.desired().targets[1])))
    iqn = group(31).split("/")[1]
    rig.log_in("h42", iqn)
    assert rig.serve(rig.desired(targets=(plain, rig.desired().targets[1]))).changed == 0


def test_a_target_with_a_missing_volume_stays_closed_and_the_others_open(rig: ExportRig) -> None:
    rig.machine.run(["lvchange", "-an", f"{rig.lvm.group}/v12"])
    report = rig.serve(rig.desired())
    assert states(report) == {id_of(31): ServingState.BLOCKED, id_of(32): ServingState.OPEN}
    blocked = next(found for found in report.volumes if found.volume_id == id_of(12))
    assert blocked.reason is not None
    assert "v12" in blocked.reason
    assert rig.read(f"{group(31)}/enable") == "0"
    rig.machine.run(["lvchange", "-ay", f"{rig.lvm.group}/v12"])
    assert set(states(rig.serve(rig.desired())).values()) == {ServingState.OPEN}


def test_what_an_array_waits_for_is_the_reason_of_its_volumes(rig: ExportRig) -> None:
    rig.machine.run(["vgchange", "-an", rig.lvm.group])
    waits = "waiting for array tank: 1 of 3 disks present"
    report = converge(rig.machine, rig.desired(), reasons=dict.fromkeys(map(id_of, (11, 12, 13)), waits))
    assert {found.reason for found in report.volumes} == {waits}
    assert set(states(report).values()) == {ServingState.BLOCKED}


def test_an_open_target_stays_open_while_a_new_lun_is_blocked(rig: ExportRig) -> None:
    first = target(32, [initiator(43)], [lun(53, 1, 13)])
    rig.serve(rig.desired(targets=(first,)))
    rig.machine.run(["lvchange", "-an", f"{rig.lvm.group}/v11"])
    both = target(32, [initiator(43)], [lun(53, 1, 13), lun(54, 2, 11)])
    report = rig.serve(rig.desired(targets=(both,)))
    assert states(report) == {id_of(32): ServingState.OPEN}
    assert report.targets[0].reason


def test_an_unmapped_lun_is_removed_from_the_leaves_and_its_backstore_last(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    before = len(list(rig.changes()))
    smaller = target(31, [initiator(41), initiator(42, CHAP)], [lun(52, 2, 12)])
    rig.serve(rig.desired(targets=(smaller, rig.desired().targets[1])))
    gone = list(rig.changes())[before:]
    places = ["/acls/" in line for line in gone]
    assert places == sorted(places, reverse=True)
    assert "core/iblock_700" in gone[-1]
    assert exported_volumes(rig.machine) == {id_of(12), id_of(13)}
    assert rig.read(f"{group(31)}/enable") == "1"


def test_a_volume_with_a_new_owner_is_closed_before_it_is_opened(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    before = len(list(rig.changes()))
    moved = (
        target(31, [initiator(41), initiator(42, CHAP)], [lun(52, 2, 12)]),
        target(32, [initiator(43)], [lun(53, 1, 13), lun(55, 2, 11)]),
    )
    rig.serve(rig.desired(targets=moved))
    lines = list(rig.changes())[before:]
    closed = max(n for n, line in enumerate(lines) if f"{group(31)}/" in line)
    opened = min(n for n, line in enumerate(lines) if f"{group(32)}/" in line)
    assert closed < opened
    assert rig.serve(rig.desired(targets=moved)).changed == 0


def test_a_number_that_changes_its_volume_never_shows_both(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    other = target(32, [initiator(43)], [lun(56, 1, 11)])
    rest = target(31, [initiator(41), initiator(42, CHAP)], [lun(52, 2, 12)])
    report = rig.serve(rig.desired(targets=(rest, other)))
    assert set(states(report).values()) == {ServingState.OPEN}
    assert rig.machine.readlink(f"{ROOT}/{group(32)}/lun/lun_1/volume").endswith(f"lunette-{id_of(11)}")


def test_a_portal_that_cannot_listen_does_not_prevent_the_other(rig: ExportRig) -> None:
    report = rig.serve(rig.desired(portals=(portal(21), portal(22, LATE))))
    assert [found.state for found in report.portals] == [ServingState.OPEN, ServingState.BLOCKED]
    assert set(states(report).values()) == {ServingState.OPEN}


def test_a_portal_opens_when_its_address_appears(rig: ExportRig) -> None:
    """The document stays the same: a network that comes late needs no new request."""
    desired = rig.desired(portals=(portal(21), portal(22, LATE)))
    rig.serve(desired)
    iqn, host = group(32).split("/")[1], "iqn.2026-01.com.example:h43"
    rig.log_in("h43", iqn)
    with pytest.raises(ConnectionError):
        rig.machine.login(host, iqn, f"{LATE}:3260")
    rig.machine.addresses.add(LATE)
    report = rig.serve(desired)
    assert [found.reason for found in report.portals] == [None, None]
    assert rig.machine.lun_device(rig.machine.login(host, iqn, f"{LATE}:3260"), 1)
    assert {session.initiator for session in observe_sessions(rig.machine)} == {host}
    assert rig.serve(desired).changed == 0


def test_what_is_not_ours_is_listed_and_never_touched(rig: ExportRig) -> None:
    foreign = "iqn.2003-01.org.linux-iscsi.other:sn.1"
    rig.machine.mkdir(f"{ROOT}/core/iblock_0")
    rig.machine.mkdir(f"{ROOT}/core/iblock_0/disk")
    for path in (foreign, f"{foreign}/tpgt_1"):
        rig.machine.mkdir(f"{ROOT}/iscsi/{path}")
    other_appliance = f"iscsi/iqn.2026-11.io.lunette:ffffffffffff.{1:08x}"
    rig.machine.mkdir(f"{ROOT}/{other_appliance}")
    rig.serve(rig.desired())
    report = rig.serve(rig.desired(volumes=(), targets=(), portals=()))
    assert set(report.foreign) == {foreign, "iblock_0/disk", other_appliance.removeprefix("iscsi/")}
    assert rig.machine.exists(f"{ROOT}/iscsi/{foreign}/tpgt_1")
    assert rig.machine.exists(f"{ROOT}/core/iblock_0/disk")
    assert rig.machine.exists(f"{ROOT}/{other_appliance}")
    assert exported_volumes(rig.machine) == frozenset()


def test_without_a_ledger_stale_exports_are_retained(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    report = rig.serve(rig.desired(targets=()), keep_stale=True)
    assert report.changed == 0
    assert rig.read(f"{group(31)}/enable") == "1"


def test_a_half_made_backstore_is_recreated(rig: ExportRig) -> None:
    for path in ("core/iblock_700", f"core/iblock_700/lunette-{id_of(11)}"):
        rig.machine.mkdir(f"{ROOT}/{path}")
    report = rig.serve(rig.desired())
    assert set(states(report).values()) == {ServingState.OPEN}
    serial = rig.read(f"core/iblock_700/lunette-{id_of(11)}/wwn/vpd_unit_serial")
    assert serial.endswith(rig.volumes[0].identity.serial)


def test_a_shutdown_closes_every_path_before_it_removes_one(rig: ExportRig) -> None:
    rig.serve(rig.desired())
    before = len(list(rig.changes()))
    assert withdraw(rig.machine) == {}
    lines = list(rig.changes())[before:]
    assert all("enable" in line for line in lines[:2])
    assert all("/np/" in line for line in lines[2:4])
    assert exported_volumes(rig.machine) == frozenset()
    assert not [name for name in rig.machine.listdir(f"{ROOT}/iscsi") if name.startswith("iqn.")]


def test_no_secret_is_in_any_refusal(rig: ExportRig) -> None:
    report = rig.serve(rig.desired(volumes=()))
    assert "secretsecret1" not in report.model_dump_json()
