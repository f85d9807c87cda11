"""Fibre Channel ports on the fake's configfs and sysfs: who sees what, in which order it comes, what is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tests.agent.exports import (
    exports,
    fc_initiator,
    fc_port,
    id_of,
    initiator,
    lun,
    target,
    wwpn_of,
)
from backend.tests.fakemachine.lio.fc import FakeFcPort
from backend.tests.providers.test_lio_converge import ExportRig
from lunette.domain.counters import LunCounters
from lunette.domain.exports import ConvergeReport, ExportSet, FcPortReport, ServingState
from lunette.domain.fc import FcMode
from lunette.domain.mappings import Protocol
from lunette.providers.exports.lio import fc_tree, statistics
from lunette.providers.exports.lio.converge import withdraw
from lunette.providers.exports.lio.sessions import observe_sessions
from lunette.providers.fabrics import fc_host

OURS = wwpn_of(1, "50")
A, B, STRANGER = wwpn_of(41), wwpn_of(43), wwpn_of(99)


class FcRig(ExportRig):
    """Port 1 of ours. Host A has volumes 11 and 12 as LUN 1 and 2, host B volume 13 as LUN 1."""

    def __init__(self, driver: str) -> None:
        super().__init__()
        self.port: FakeFcPort = self.machine.add_fc_port(OURS, driver)
        self.port.ini_mode = "disabled"
        fc_host.prepare(self.machine)
        self.folder = {"fcoe": "fc", "qla2xxx": "qla2xxx"}[driver]

    @property
    def group_path(self) -> str:
        return f"{self.folder}/{OURS}/tpgt_1"

    def fc_desired(self, mode: FcMode = FcMode.TARGET, **changes: object) -> ExportSet:
        targets = (
            target(31, [initiator(44)], [lun(51, 1, 11), lun(52, 2, 12)]).model_copy(
                update={"fc_initiators": (fc_initiator(41),)}
            ),
            target(32, [], [lun(53, 1, 13)]).model_copy(update={"fc_initiators": (fc_initiator(43),)}),
        )
        whole = {"volumes": tuple(self.volumes), "fc_ports": (fc_port(1, mode),), "targets": targets}
        return exports(**(whole | changes))

    def luns(self, wwpn: str) -> dict[int, str]:
        """Volume by number, as the host sees them."""
        return {number: name.removeprefix("lunette-") for number, name in self.machine.fc.luns(wwpn, self.port).items()}

    def acls(self) -> list[str]:
        return self.machine.listdir(f"/sys/kernel/config/target/{self.group_path}/acls")


@pytest.fixture(params=["fcoe", "qla2xxx"])
def rig(request: pytest.FixtureRequest) -> FcRig:
    return FcRig(request.param)


def port_of(report: ConvergeReport) -> FcPortReport:
    [found] = report.fc_ports
    return found


def test_each_host_sees_its_own_volumes_under_the_numbers_of_its_mappings(rig: FcRig) -> None:
    report = rig.serve(rig.fc_desired())
    assert port_of(report).state is ServingState.OPEN
    for wwpn in (A, B):
        rig.machine.fc.join(wwpn, rig.port)
    assert rig.luns(A) == {1: id_of(11), 2: id_of(12)}
    assert rig.luns(B) == {1: id_of(13)}


def test_what_a_host_did_over_a_port_is_counted_by_volume(rig: FcRig) -> None:
    rig.serve(rig.fc_desired())
    rig.machine.fc.join(A, rig.port)
    (reported,) = statistics.read(rig.machine, rig.fc_desired())
    assert (reported.target, reported.initiator, reported.protocol) == (OURS, A, Protocol.FC)
    assert reported.volumes == {id_of(11): LunCounters(0, 0, 0), id_of(12): LunCounters(0, 0, 0)}


def test_a_number_that_two_volumes_claim_is_counted_for_neither(rig: FcRig) -> None:
    rig.serve(rig.fc_desired())
    rig.machine.fc.join(A, rig.port)
    group = target(33, [], [lun(54, 2, 13)]).model_copy(update={"fc_initiators": (fc_initiator(41),)})
    desired = rig.fc_desired()
    (reported,) = statistics.read(rig.machine, rig.fc_desired(targets=(*desired.targets, group)))
    assert reported.volumes.keys() == {id_of(11)}


def test_a_second_run_changes_nothing(rig: FcRig) -> None:
    rig.serve(rig.fc_desired())
    assert rig.serve(rig.fc_desired()).changed == 0


def test_a_port_that_no_host_owns_sees_nothing(rig: FcRig) -> None:
    rig.serve(rig.fc_desired())
    rig.machine.fc.join(STRANGER, rig.port)
    with pytest.raises(ConnectionError):
        rig.luns(STRANGER)


def test_with_nothing_mapped_a_host_sees_nothing(rig: FcRig) -> None:
    rig.serve(rig.fc_desired(targets=(), volumes=()))
    rig.machine.fc.join(A, rig.port)
    with pytest.raises(ConnectionError):
        rig.luns(A)
    assert rig.acls() == []


def test_a_host_waits_for_all_its_volumes_and_the_other_is_served(rig: FcRig) -> None:
    """Host A's second volume is not there: A sees nothing at all, B sees its own."""
    gone = rig.volumes[1].model_copy(update={"device": rig.volumes[1].device + "x"})
    report = rig.serve(rig.fc_desired(volumes=(rig.volumes[0], gone, rig.volumes[2])))
    assert rig.acls() == [B]
    assert port_of(report).state is ServingState.OPEN
    assert A in (port_of(report).reason or "")
    rig.serve(rig.fc_desired())
    assert rig.acls() == sorted([A, B])


def test_a_host_that_logged_in_too_early_is_notified_and_no_other_host_is_disturbed(rig: FcRig) -> None:
    rig.machine.fc.join(A, rig.port)
    rig.serve(rig.fc_desired(targets=()))
    assert rig.port.sessions == set()
    rig.serve(rig.fc_desired())
    assert rig.luns(A) == {1: id_of(11), 2: id_of(12)}
    before = rig.port.lips
    assert before == 1
    rig.serve(rig.fc_desired())
    assert rig.port.lips == before


def test_one_more_volume_shows_to_a_host_that_is_logged_in_without_a_new_login(rig: FcRig) -> None:
    desired = rig.fc_desired()
    less = desired.targets[0].model_copy(update={"luns": desired.targets[0].luns[:1]})
    rig.serve(rig.fc_desired(targets=(less, desired.targets[1])))
    rig.machine.fc.join(A, rig.port)
    rig.serve(desired)
    assert rig.luns(A) == {1: id_of(11), 2: id_of(12)}
    assert rig.port.lips == 0


def test_unmapping_takes_one_number_away_and_leaves_the_rest_where_it_is(rig: FcRig) -> None:
    desired = rig.fc_desired()
    rig.serve(desired)
    rig.machine.fc.join(A, rig.port)
    less = desired.targets[0].model_copy(update={"luns": desired.targets[0].luns[1:]})
    rig.serve(rig.fc_desired(targets=(less, desired.targets[1])))
    assert rig.luns(A) == {2: id_of(12)}
    assert rig.serve(rig.fc_desired(targets=(less, desired.targets[1]))).changed == 0


def test_a_number_assigned_again_never_shows_the_old_volume(rig: FcRig) -> None:
    desired = rig.fc_desired()
    rig.serve(desired)
    rig.machine.fc.join(A, rig.port)
    swapped = desired.targets[0].model_copy(update={"luns": (lun(54, 1, 12), lun(55, 2, 11))})
    rig.serve(rig.fc_desired(targets=(swapped, desired.targets[1])))
    assert rig.luns(A) == {1: id_of(12), 2: id_of(11)}


def test_a_host_that_loses_its_wwpn_loses_its_session(rig: FcRig) -> None:
    desired = rig.fc_desired()
    rig.serve(desired)
    rig.machine.fc.join(A, rig.port)
    bare = desired.targets[0].model_copy(update={"fc_initiators": ()})
    rig.serve(rig.fc_desired(targets=(bare, desired.targets[1])))
    assert rig.port.sessions == set()
    assert rig.acls() == [B]


def test_a_port_that_is_no_longer_a_target_serves_nothing(rig: FcRig) -> None:
    rig.serve(rig.fc_desired())
    rig.machine.fc.join(A, rig.port)
    report = rig.serve(rig.fc_desired(FcMode.INITIATOR))
    assert port_of(report).state is ServingState.OPEN
    assert not rig.machine.exists(f"/sys/kernel/config/target/{rig.folder}/{OURS}")
    assert rig.port.sessions == set()


def test_a_late_port_is_served_automatically(rig: FcRig) -> None:
    rig.machine.fc.ports.remove(rig.port)
    rig.machine.changed()
    report = rig.serve(rig.fc_desired())
    assert port_of(report).state is ServingState.BLOCKED
    assert "reinstall its HBA" in (port_of(report).reason or "")
    rig.machine.fc.ports.append(rig.port)
    rig.machine.changed()
    assert port_of(rig.serve(rig.fc_desired())).state is ServingState.OPEN


def test_present_exports_stay_while_the_port_of_a_software_fabric_is_missing() -> None:
    rig = FcRig("fcoe")
    rig.serve(rig.fc_desired())
    rig.machine.fc.ports.remove(rig.port)
    rig.machine.changed()
    report = rig.serve(rig.fc_desired())
    assert (report.changed, port_of(report).state) == (0, ServingState.BLOCKED)
    assert rig.acls() == sorted([A, B])


def test_a_port_with_foreign_exports_is_left_alone(rig: FcRig) -> None:
    root = "/sys/kernel/config/target"
    rig.serve(rig.fc_desired(fc_ports=()))
    rig.machine.mkdir(f"{root}/{rig.folder}/{OURS}")
    rig.machine.mkdir(f"{root}/{rig.group_path}")
    rig.machine.mkdir(f"{root}/core/fileio_0")
    rig.machine.mkdir(f"{root}/core/fileio_0/other")
    rig.machine.write(f"{root}/core/fileio_0/other/control", "fd_dev_name=/tmp/x,fd_dev_size=1048576")
    rig.machine.write(f"{root}/core/fileio_0/other/enable", "1")
    rig.machine.mkdir(f"{root}/{rig.group_path}/lun/lun_1")
    rig.machine.symlink(f"{root}/core/fileio_0/other", f"{root}/{rig.group_path}/lun/lun_1/storage")
    for mode in (FcMode.TARGET, FcMode.INITIATOR):
        report = rig.serve(rig.fc_desired(mode))
        assert f"{rig.folder}/{OURS}" in report.foreign
        assert rig.machine.exists(f"{root}/{rig.group_path}/lun/lun_1/storage")
        assert rig.acls() == []
    assert "does not belong to Lunette" in (port_of(rig.serve(rig.fc_desired())).reason or "")
    assert rig.machine.exists(f"{root}/{rig.group_path}/lun/lun_1/storage")


def test_a_number_that_a_host_and_its_group_both_use_blocks_the_host(rig: FcRig) -> None:
    """One port is one target: the host would see two volumes under one number."""
    desired = rig.fc_desired()
    group = desired.targets[1].model_copy(update={"fc_initiators": (fc_initiator(41),)})
    report = rig.serve(rig.fc_desired(targets=(desired.targets[0], group)))
    assert rig.acls() == []
    assert "LUN 1" in (port_of(report).reason or "")


def test_a_collision_changes_nothing_for_a_host_that_is_in(rig: FcRig) -> None:
    desired = rig.fc_desired()
    rig.serve(desired)
    rig.machine.fc.join(A, rig.port)
    group = desired.targets[1].model_copy(update={"fc_initiators": (fc_initiator(41), fc_initiator(43))})
    for order in ((desired.targets[0], group), (group, desired.targets[0])):
        rig.serve(rig.fc_desired(targets=order))
        assert rig.luns(A) == {1: id_of(11), 2: id_of(12)}


def test_numbers_of_a_host_and_of_its_group_show_together(rig: FcRig) -> None:
    desired = rig.fc_desired()
    group = desired.targets[1].model_copy(
        update={"fc_initiators": (fc_initiator(41), fc_initiator(43)), "luns": (lun(53, 7, 13),)}
    )
    rig.serve(rig.fc_desired(targets=(desired.targets[0], group)))
    for wwpn in (A, B):
        rig.machine.fc.join(wwpn, rig.port)
    assert rig.luns(A) == {1: id_of(11), 2: id_of(12), 7: id_of(13)}
    assert rig.luns(B) == {7: id_of(13)}


def test_sessions_are_reported_with_our_port(rig: FcRig) -> None:
    rig.serve(rig.fc_desired())
    rig.machine.fc.join(A, rig.port)
    assert [(one.target, one.initiator, one.protocol.value) for one in observe_sessions(rig.machine)] == [
        (OURS, A, "fc")
    ]


def test_shutdown_closes_the_port_before_any_lun_is_removed(rig: FcRig) -> None:
    """A host that is logged in must not see its disks leave a target that answers."""
    rig.serve(rig.fc_desired())
    rig.machine.fc.join(A, rig.port)
    partial: list[dict[int, str]] = []

    def look() -> None:
        if A in rig.port.sessions and len(rig.luns(A)) != 2:
            partial.append(rig.luns(A))

    rig.machine.watchers.append(look)
    assert withdraw(rig.machine) == {}
    assert partial == []
    assert not rig.machine.exists(f"/sys/kernel/config/target/{rig.folder}/{OURS}")
    rig.machine.watchers.remove(look)
    rig.serve(rig.fc_desired())
    assert rig.luns(A) == {1: id_of(11), 2: id_of(12)}


def test_a_qlogic_port_stops_being_an_initiator_before_it_serves() -> None:
    rig = FcRig("qla2xxx")
    rig.port.ini_mode = "exclusive"
    rig.machine.changed()
    rig.serve(rig.fc_desired())
    assert rig.port.ini_mode == "disabled"
    written = [call.detail for call in rig.machine.faults.calls if call.name == "write"]
    enable = f"{rig.group_path}/enable"
    assert next(i for i, path in enumerate(written) if path.endswith("qlini_mode")) < next(
        i for i, path in enumerate(written) if path.endswith(enable)
    )
    rig.serve(rig.fc_desired(FcMode.INITIATOR))
    assert rig.port.ini_mode == "enabled"


def test_a_driver_that_cannot_change_now_needs_a_reboot() -> None:
    rig = FcRig("qla2xxx")
    rig.port.changes_mode = False
    rig.machine.changed()
    reason = port_of(rig.serve(rig.fc_desired(FcMode.INITIATOR))).reason or ""
    assert "a restart is required" in reason
    assert "options qla2xxx qlini_mode=enabled" in reason


def test_demo_mode_is_off_before_a_qlogic_port_opens() -> None:
    rig = FcRig("qla2xxx")
    rig.serve(rig.fc_desired())
    assert rig.read(f"{rig.group_path}/attrib/generate_node_acls") == "0"
    written = [call.detail for call in rig.machine.faults.calls if call.name in ("write", "mkdir")]
    assert next(i for i, path in enumerate(written) if path.endswith("generate_node_acls")) < next(
        i for i, path in enumerate(written) if path.endswith(f"{rig.group_path}/enable")
    )


@given(
    st.dictionaries(st.integers(1, 40), st.sampled_from("abcdefgh"), max_size=8),
    st.lists(st.sampled_from("abcdefghij"), unique=True),
)
def test_a_volume_keeps_its_place_and_no_two_share_one(standing: dict[int, str], wanted: list[str]) -> None:
    chosen = fc_tree.choose_numbers(standing, wanted)
    assert set(chosen) == set(wanted)
    assert len(set(chosen.values())) == len(chosen)
    for volume, number in chosen.items():
        places = {place for place, one in standing.items() if one == volume}
        assert number in places if places else number not in standing


@pytest.mark.parametrize(("driver", "attribute"), [("qla2xxx", "qlini_mode"), ("fcoe", "port_state")])
def test_a_port_that_leaves_while_it_is_read_ends_no_pass(driver: str, attribute: str) -> None:
    rig = FcRig(driver)
    rig.machine.faults.break_calls(lambda one: one.name == "read" and one.detail.endswith(f"/{attribute}"))
    rig.serve(rig.fc_desired())
    rig.machine.faults.break_calls(None)
    rig.serve(rig.fc_desired())
    rig.machine.fc.join(A, rig.port)
    assert rig.luns(A) == {1: id_of(11), 2: id_of(12)}
