"""VLANs and bonds on trial: reverted or confirmed as a whole, wherever the agent dies or the power fails."""

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.faults import Crash
from lunette.domain.errors import Unavailable
from lunette.domain.interfaces import TRIAL_S, InterfaceSettings, Made
from lunette.domain.steps import InterfaceKeep, InterfaceRevert, InterfaceTry
from lunette.domain.steps.interfaces import InterfaceSetting
from lunette.providers.network import files, trial

PLACES = 80
"""More doings than any of these takes."""
BOND = InterfaceSettings.model_validate(
    {"addresses": ["198.51.100.5/24"], "made": {"kind": "bond", "members": ["eth1", "eth2"], "mode": "active-backup"}}
)
VLAN = InterfaceSettings.model_validate({"made": {"kind": "vlan", "parent": "eth1", "vlan_id": 100}})


def of(interface: str, **settings: object) -> InterfaceSetting:
    return InterfaceSetting(interface=interface, settings=InterfaceSettings.model_validate(settings))


TRIES = {
    "bond0": InterfaceTry(
        trial_id="t1", interface="bond0", settings=BOND, beside=(of("eth1", bond="bond0"), of("eth2", bond="bond0"))
    ),
    "eth1.100": InterfaceTry(
        trial_id="t1", interface="eth1.100", settings=VLAN, beside=(of("eth1", vlans=["eth1.100"]),)
    ),
}
GONE = {
    name: InterfaceTry(
        trial_id="t2",
        interface=name,
        settings=None,
        beside=tuple(one.model_copy(update={"settings": None}) for one in step.beside),
    )
    for name, step in TRIES.items()
}
NAMES = sorted(TRIES)


def fresh() -> FakeSystem:
    machine = FakeSystem()
    machine.network.add("eth2")
    return machine


def picture(machine: FakeSystem) -> dict[str, tuple[object, ...]]:
    """What there is, and who belongs to whom."""
    return {
        one.name: (one.kind, one.vlan_id, one.parent, one.master, tuple(sorted(one.set_up)))
        for one in machine.network.interfaces.values()
    }


def made(name: str) -> FakeSystem:
    """A machine where it was created and confirmed."""
    machine = fresh()
    trial.begin(machine, TRIES[name])
    trial.keep(machine, InterfaceKeep(trial_id="t1", interface=name))
    return machine


@pytest.mark.parametrize("name", NAMES)
def test_what_is_created_exists_and_after_a_power_cut_only_if_confirmed(name: str) -> None:
    machine = fresh()
    before = picture(machine)
    trial.begin(machine, TRIES[name])
    tried = picture(machine)
    assert set(tried) - set(before) == {name}
    machine.power_cut()
    assert picture(machine) == before
    kept = made(name)
    kept.power_cut()
    assert picture(kept) == tried


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_made", [True, False])
def test_wherever_the_agent_dies_in_a_change_the_machine_takes_all_of_it_back(name: str, is_made: bool) -> None:
    """Making one, and removing one."""
    for number in range(1, PLACES):
        machine = fresh() if is_made else made(name)
        before = picture(machine)
        machine.faults.crash_at(number)
        try:
            trial.begin(machine, TRIES[name] if is_made else GONE[name])
        except Crash:
            machine.advance(TRIAL_S + 1)
            assert picture(machine) == before, number
            continue
        assert number > 6
        machine.advance(TRIAL_S + 1)
        assert picture(machine) == before
        return
    pytest.fail("the change never came to its end")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_made", [True, False])
def test_a_power_failure_in_a_confirmation_leaves_it_complete_or_undone(name: str, is_made: bool) -> None:
    endings = set()
    for number in range(1, PLACES):
        machine = fresh() if is_made else made(name)
        before = picture(machine)
        trial.begin(machine, TRIES[name] if is_made else GONE[name])
        tried = picture(machine)
        identity = "t1" if is_made else "t2"
        machine.faults.crash_at(number)
        try:
            trial.keep(machine, InterfaceKeep(trial_id=identity, interface=name))
        except Crash:
            machine.restart_process()
            machine.power_cut()
            assert picture(machine) in (before, tried), number
            endings.add(picture(machine) == tried)
            continue
        break
    assert endings == {False, True}


def test_a_confirmation_that_was_broken_off_is_finished_when_its_time_is_over() -> None:
    finished = 0
    for number in range(1, PLACES):
        machine = fresh()
        trial.begin(machine, TRIES["bond0"])
        tried = picture(machine)
        machine.faults.crash_at(number)
        try:
            trial.keep(machine, InterfaceKeep(trial_id="t1", interface="bond0"))
        except Crash:
            machine.restart_process()
            if not machine.exists(trial.WHOLE):
                continue
            finished += 1
            machine.advance(TRIAL_S + 1)
            assert picture(machine) == tried, number
            machine.power_cut()
            assert picture(machine) == tried, number
            continue
        break
    assert finished > 2


@pytest.mark.parametrize("name", NAMES)
def test_a_removal_is_reverted_at_once_where_a_person_says_so(name: str) -> None:
    machine = made(name)
    before = picture(machine)
    trial.begin(machine, GONE[name])
    assert name not in picture(machine)
    trial.revert(machine, InterfaceRevert(trial_id="t2", interface=name))
    assert picture(machine) == before


def test_a_foreign_vlan_is_never_deleted() -> None:
    machine = fresh()
    machine.network.add("eth1.100", kind="vlan", vlan_id=100, parent="eth1")
    trial.begin(machine, InterfaceTry(trial_id="t1", interface="eth1.100", settings=None))
    assert "eth1.100" in picture(machine)


def test_what_the_kernel_does_not_make_is_undone_with_that_reason() -> None:
    machine = fresh()
    before = picture(machine)
    machine.network.lacks = {"vlan"}
    with pytest.raises(Unavailable, match="8021q"):
        trial.begin(machine, TRIES["eth1.100"])
    assert picture(machine) == before
    assert trial.pending(machine) is None


def test_the_files_say_what_networkd_makes() -> None:
    def device(**made: object) -> list[str]:
        return files.device("x", Made.model_validate(made)).decode().splitlines()

    assert {"Name=x", "Kind=vlan", "[VLAN]", "Id=4094"} <= set(device(kind="vlan", parent="eth1", vlan_id=4094))
    lacp = device(kind="bond", members=["eth1"], mode="802.3ad", lacp_rate="fast", miimon_ms=100)
    assert {"Kind=bond", "[Bond]", "Mode=802.3ad", "LACPTransmitRate=fast", "MIIMonitorSec=100ms"} <= set(lacp)
    member = files.render("eth1", InterfaceSettings(bond="bond0")).decode().splitlines()
    assert {"Bond=bond0", "LinkLocalAddressing=no"} <= set(member)
    assert not any(line.startswith(("Address=", "DHCP=")) for line in member)
    assert "VLAN=eth1.100" in files.render("eth1", InterfaceSettings(vlans=("eth1.100",))).decode()
    assert files.parse(files.render("bond0", BOND)) == BOND
