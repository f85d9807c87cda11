"""Trials of the network at every place where the agent may die: the machine takes them back without it."""

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.faults import Crash
from lunette.agent.core import Agent
from lunette.domain.errors import Conflict
from lunette.domain.interfaces import TRIAL_S, InterfaceRole, InterfaceSettings
from lunette.domain.steps import InterfaceKeep, InterfaceRevert, InterfaceTry
from lunette.providers.network import files, trial

SETTINGS = InterfaceSettings.model_validate(
    {"addresses": ["198.51.100.5/24", "2001:db8:1::5/64"], "role": "storage", "mtu_bytes": 9000, "table": 1001}
)
TRY = InterfaceTry(trial_id="t1", interface="eth1", settings=SETTINGS)
KEEP = InterfaceKeep(trial_id="t1", interface="eth1")


def test_a_file_without_time_servers_is_as_the_system_before_wrote_and_reads_it() -> None:
    assert b"ntp" not in files.render("eth1", SETTINGS)
    chosen = SETTINGS.model_copy(update={"ntp": ("192.0.2.123",)})
    assert files.parse(files.render("eth1", chosen)) == chosen


def laid(machine: FakeSystem) -> set[str]:
    return machine.network.interfaces["eth1"].set_up


def test_wherever_the_agent_dies_in_a_change_the_machine_takes_it_back() -> None:
    for number in range(1, 50):
        machine = FakeSystem()
        machine.faults.crash_at(number)
        try:
            trial.begin(machine, TRY)
        except Crash:
            machine.advance(TRIAL_S + 1)
            assert laid(machine) == set()
            assert machine.network.interfaces["eth1"].mtu == 1500
            continue
        assert number > 4
        return
    pytest.fail("the change never came to its end")


def test_an_agent_killed_in_a_confirmation_leaves_it_complete_or_undone() -> None:
    endings = set()
    for number in range(1, 50):
        machine = FakeSystem()
        trial.begin(machine, TRY)
        machine.faults.crash_at(number)
        try:
            trial.keep(machine, KEEP)
        except Crash:
            machine.advance(TRIAL_S + 1)
            before = frozenset(laid(machine))
            machine.restart_process()
            machine.power_cut()
            assert frozenset(laid(machine)) == before
            endings.add(bool(before))
            continue
        break
    assert endings == {False, True}


def test_wherever_the_agent_dies_in_taking_it_back_it_is_undone() -> None:
    for number in range(1, 50):
        machine = FakeSystem()
        trial.begin(machine, TRY)
        machine.faults.crash_at(number)
        try:
            trial.revert(machine, InterfaceRevert(trial_id="t1", interface="eth1"))
        except Crash:
            machine.advance(TRIAL_S + 1)
        else:
            assert number > 1
            return
        assert laid(machine) == set()
        assert machine.network.interfaces["eth1"].mtu == 1500
    pytest.fail("it was never taken back")


def test_a_trial_is_begun_once_and_a_restarted_job_does_not_begin_it_again() -> None:
    machine = FakeSystem()
    agent = Agent(machine)
    assert agent.do_step("j", TRY).changed
    assert not agent.do_step("j", TRY).changed
    machine.advance(TRIAL_S + 1)
    with pytest.raises(Conflict, match="it was not confirmed in time"):
        agent.do_step("j", TRY)
    assert not agent.undo_step("j", TRY).changed
    assert laid(machine) == set()


def test_the_file_says_what_networkd_does_and_can_be_read_back() -> None:
    content = files.render("eth1", SETTINGS)
    assert files.parse(content) == SETTINGS
    lines = content.decode().splitlines()
    assert {"Name=eth1", "MTUBytes=9000", "Address=198.51.100.5/24", "DHCP=no"} <= set(lines)
    assert {"From=198.51.100.5", "From=2001:db8:1::5", "Destination=198.51.100.0/24", "Table=1001"} <= set(lines)
    assert files.file_name("eth1") < "10-lunette.network"


def test_a_gateway_for_hosts_takes_answers_only() -> None:
    def gateways(role: InterfaceRole, table: int | None) -> list[str]:
        spec = {"addresses": ["198.51.100.5/24"], "gateway": "198.51.100.1", "role": role, "table": table}
        text = files.render("eth1", InterfaceSettings.model_validate(spec)).decode()
        return [part.split("]")[0] for part in text.split("[") if "Gateway=198.51.100.1" in part]

    assert gateways(InterfaceRole.MANAGEMENT, None) == ["Network"]
    assert gateways(InterfaceRole.STORAGE, 1001) == ["Route"]
    assert gateways(InterfaceRole.BOTH, 1001) == ["Network", "Route"]
