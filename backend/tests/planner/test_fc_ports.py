"""Plans for Fibre Channel ports: what is there, what its driver can be, and what would be lost."""

import pytest

from backend.tests import seen
from backend.tests.planner.test_arrays import identities
from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.fc import FcMode, FcPortCreate, ObservedFcPort
from lunette.domain.observations import Observation
from lunette.planner.access import fc_ports
from lunette.planner.access.connected import Connected
from lunette.planner.access.fc_ports import NewFcPort

OURS, HOST = "50:00:00:00:00:00:00:01", "10:00:00:00:00:00:00:09"
PORT = seen.fc_port(OURS, FcMode.DISABLED)


def machine(*ports: ObservedFcPort) -> Observation:
    return seen.machine().model_copy(update={"fc_ports": ports})


def create(*ports: ObservedFcPort, mode: FcMode = FcMode.TARGET, managed: tuple[str, ...] = ()) -> NewFcPort:
    return fc_ports.plan_create(FcPortCreate(wwpn=OURS, mode=mode), machine(*ports), managed, identities())


def test_a_port_that_is_there_becomes_a_target() -> None:
    new = create(PORT)
    assert new.plan.changes[0].detail == "becomes target (qla2xxx)"
    assert new.plan.hosts_interrupted == ()


def test_a_port_that_is_not_there_is_refused_with_those_that_are() -> None:
    other = "50:00:00:00:00:00:00:02"
    with pytest.raises(Invalid, match=other):
        create(seen.fc_port(other, FcMode.DISABLED))


def test_a_port_is_managed_once() -> None:
    with pytest.raises(Conflict, match="already managed"):
        create(PORT, managed=(OURS,))


def test_a_mode_that_the_driver_lacks_is_refused_with_what_it_offers() -> None:
    with pytest.raises(Invalid, match="target, initiator"):
        create(seen.fc_port(OURS, FcMode.INITIATOR, driver="fcoe"), mode=FcMode.DISABLED)


def test_a_port_for_both_tasks_is_refused_with_what_to_do() -> None:
    with pytest.raises(Invalid, match="use separate ports"):
        create(PORT, mode=FcMode.DUAL)
    with pytest.raises(Invalid, match="one as target and one as initiator"):
        fc_ports.plan_mode(OURS, FcMode.TARGET, FcMode.DUAL, machine(PORT), Connected())


def test_the_reason_why_a_port_cannot_serve_is_passed_on() -> None:
    with pytest.raises(Invalid, match="tcm_qla2xxx"):
        create(PORT.model_copy(update={"reason": "the kernel module tcm_qla2xxx is not loaded"}))


@pytest.mark.parametrize("mode", [FcMode.TARGET, FcMode.DISABLED])
def test_a_port_through_which_disks_are_reached_is_not_taken_from_them(mode: FcMode) -> None:
    with pytest.raises(InUse, match="connected through it to 2 targets"):
        create(PORT.model_copy(update={"disks": 2}), mode=mode)


def test_a_port_that_stays_an_initiator_retains_its_disks() -> None:
    both = seen.fc_port(OURS, FcMode.INITIATOR, driver="fcoe").model_copy(update={"disks": 2})
    assert create(both).id
    assert create(PORT.model_copy(update={"disks": 2}), mode=FcMode.INITIATOR).id


def test_who_is_on_the_fabric_is_warned_that_it_logs_in_again() -> None:
    assert HOST in create(seen.fc_port(OURS, FcMode.DISABLED, HOST)).plan.warnings[0]


def test_hosts_that_lose_their_paths_are_named() -> None:
    hosts = Connected(hosts=("db",))
    plan = fc_ports.plan_mode(OURS, FcMode.TARGET, FcMode.INITIATOR, machine(PORT), hosts)
    assert plan.hosts_interrupted == ("db",)
    assert fc_ports.plan_delete(OURS, FcMode.TARGET, hosts).hosts_interrupted == ("db",)
    assert fc_ports.plan_delete(OURS, FcMode.DISABLED, hosts).hosts_interrupted == ()


def test_the_same_mode_changes_nothing_and_needs_no_port() -> None:
    assert fc_ports.plan_mode(OURS, FcMode.TARGET, FcMode.TARGET, machine(), Connected()).changes == ()
