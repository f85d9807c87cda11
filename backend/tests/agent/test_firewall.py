"""The firewall follows portals and roles: open before a portal opens, closed after it closed, no one locked out."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from backend.tests.agent.exports import (
    exports,
    id_of,
    initiator,
    lun,
    nvme_host,
    nvme_portal,
    portal,
    subsystem,
    target,
)
from backend.tests.fakemachine import Crash, FakeSystem, When
from backend.tests.fakemachine.network.firewall import FakeTable
from backend.tests.providers.test_nvmet_converge import ExportRig
from lunette.agent import serving
from lunette.agent.core import Agent
from lunette.domain.exports import ConvergeReport, ExportPortal, Release, ReleaseKind, ServingState
from lunette.domain.firewall import (
    DesiredFirewall,
    FirewallMode,
    FirewallState,
    ObservedFirewall,
    Opening,
    PortProtocol,
    openings,
)
from lunette.domain.interfaces import InterfaceRole, InterfaceSettings
from lunette.domain.mappings import Protocol
from lunette.domain.steps import InterfaceKeep, InterfaceRevert, InterfaceTry
from lunette.providers.firewall import facts, run
from lunette.providers.firewall.rules import portals_of

ADDRESS = "192.0.2.1"


@pytest.fixture
def rig() -> ExportRig:
    """Volumes on an array, and what loads the rules at the start of the machine."""
    made = ExportRig()
    made.machine.network.firewall.install()
    return made


@pytest.fixture
def machine(rig: ExportRig) -> FakeSystem:
    return rig.machine


@pytest.fixture
def agent(machine: FakeSystem) -> Agent:
    serving.prepare(machine)
    return Agent(machine)


class Ask:
    """Volume 11 is for a host over iSCSI, volume 12 for one over NVMe, through the portals that are asked for."""

    def __init__(self, agent: Agent, rig: ExportRig) -> None:
        self.agent, self._stage, self._number = agent, rig, 0

    def __call__(self, *portals: ExportPortal, mode: FirewallMode | None = FirewallMode.MANAGED) -> ConvergeReport:
        self._number += 1
        gone = (Release(kind=ReleaseKind.PORTAL, id=id_of(one), generation=self._number) for one in range(20, 30))
        report = self.agent.converge(
            exports(
                generation=self._number,
                arrays=(self._stage.array,),
                portals=portals,
                firewall=DesiredFirewall(mode=mode),
                released=tuple(gone),
                volumes=tuple(self._stage.volumes[:2]),
                targets=(target(31, [initiator(41)], [lun(51, 1, 11)]),),
                subsystems=(subsystem(31, [nvme_host(42)], [lun(52, 2, 12)]),),
            )
        )
        assert report.accepted
        return report


@pytest.fixture
def ask(agent: Agent, rig: ExportRig) -> Ask:
    return Ask(agent, rig)


def role(machine: FakeSystem, interface: str, address: str, role_: InterfaceRole, trial: str = "t1") -> InterfaceTry:
    settings = InterfaceSettings.model_validate({"role": role_, "addresses": [f"{address}/24"]})
    return InterfaceTry(trial_id=trial, interface=interface, settings=settings)


def answers(machine: FakeSystem, interface: str) -> bool:
    """Whether the API does, there."""
    return machine.network.firewall.admits(interface, "203.0.113.1", "tcp", 8443)


def reported(agent: Agent) -> ObservedFirewall:
    found = agent.observe().firewall
    assert found is not None
    return found


def test_what_the_portals_need_is_let_in_and_nothing_else(ask: Ask, agent: Agent, machine: FakeSystem) -> None:
    ask(portal(21), nvme_portal(22))
    admits = machine.network.firewall.admits
    assert admits("eth0", ADDRESS, "tcp", 3260)
    assert not admits("eth0", "192.0.2.9", "tcp", 3260)
    assert not admits("eth0", ADDRESS, "tcp", 111)
    assert not admits("eth0", ADDRESS, "udp", 4791)
    assert answers(machine, "eth0")
    assert answers(machine, "eth1")
    found = reported(agent)
    assert (found.state, found.is_asked, found.closed_on) == (FirewallState.IN_FORCE, True, ())
    assert {(one.port, one.address) for one in found.portals} == {(3260, ADDRESS), (4420, ADDRESS)}


def test_rdma_opens_the_port_of_roce_and_every_address_is_every_address() -> None:
    both = openings(Protocol.NVME_RDMA, "2001:db8:0:0::1", 4420)
    assert {(one.protocol, one.port, one.address) for one in both} == {
        (PortProtocol.TCP, 4420, "2001:db8::1"),
        (PortProtocol.UDP, 4791, "2001:db8::1"),
    }
    assert openings(Protocol.ISCSI, "0.0.0.0", 3260) == (Opening(protocol=PortProtocol.TCP, port=3260),)


def test_one_portal_that_comes_or_goes_is_let_in_and_shut_out_without_a_look_at_the_others(
    ask: Ask, machine: FakeSystem
) -> None:
    machine.addresses.add("192.0.2.2")
    ask(portal(21))
    before = len(machine.faults.calls)
    for portals, is_open in (((portal(21), portal(22, "192.0.2.2")), True), ((portal(21),), False)):
        ask(*portals)
        assert machine.network.firewall.admits("eth0", "192.0.2.2", "tcp", 3260) is is_open
    assert not [call for call in machine.faults.calls[before:] if "/acls" in call.detail]


def test_at_no_moment_a_portal_listens_behind_a_closed_port(ask: Ask, machine: FakeSystem) -> None:
    listening: set[Opening] = set()
    shut: list[Opening] = []

    def look() -> None:
        for one in facts.standing(machine):
            listening.add(one)
            if not machine.network.firewall.admits("eth0", one.address or "", one.protocol, one.port):
                shut.append(one)

    ask()
    machine.watchers.append(look)
    ask(portal(21))
    ask(portal(21), portal(22, "2001:db8::1"), nvme_portal(23))
    ask(portal(22, "2001:db8::1"), nvme_portal(24, "2001:db8::1"))
    ask()
    machine.watchers.clear()
    assert shut == []
    assert {(one.address, one.port) for one in listening} == {
        (address, port) for address in (ADDRESS, "2001:db8::1") for port in (3260, 4420)
    }
    assert portals_of(run.look(machine) or ()) == frozenset(), "and none stays open without a portal"


def test_a_second_pass_loads_nothing(ask: Ask, agent: Agent, machine: FakeSystem) -> None:
    ask(portal(21))
    loads = machine.network.firewall.loads
    ask(portal(21))
    agent.bring_up()
    assert machine.network.firewall.loads == loads


def test_what_others_export_stays_reached_and_their_tables_stay(ask: Ask, machine: FakeSystem) -> None:
    for path in (
        "iscsi/iqn.2003-01.org.example:x",
        "iscsi/iqn.2003-01.org.example:x/tpgt_1",
        "iscsi/iqn.2003-01.org.example:x/tpgt_1/np/192.0.2.1:3261",
    ):
        machine.mkdir(f"/sys/kernel/config/target/{path}")
    machine.network.firewall.tables["docker"] = FakeTable()
    ask(portal(21))
    assert machine.network.firewall.admits("eth0", ADDRESS, "tcp", 3261)
    ask(mode=FirewallMode.OFF)
    assert set(machine.network.firewall.tables) == {"docker"}


def test_it_is_off_by_default_unless_the_iso_installed_the_machine(ask: Ask, machine: FakeSystem) -> None:
    ask(portal(21), mode=None)
    assert machine.network.firewall.tables == {}
    machine.network.firewall.install(by_default=True)
    ask(portal(21), mode=None)
    assert set(machine.network.firewall.tables) == {"lunette"}
    ask(portal(21), mode=FirewallMode.OFF)
    assert machine.network.firewall.tables == {}
    machine.reboot()
    assert machine.network.firewall.tables == {}, "and it does not come back at a start"


def test_the_api_answers_on_no_interface_for_storage_alone(agent: Agent, ask: Ask, machine: FakeSystem) -> None:
    ask(portal(21))
    agent.do_step("j", role(machine, "eth1", "198.51.100.5", InterfaceRole.STORAGE))
    assert (answers(machine, "eth0"), answers(machine, "eth1")) == (True, False)
    agent.do_step("j", InterfaceKeep(trial_id="t1", interface="eth1"))
    assert reported(agent).closed_on == ("eth1",)
    agent.do_step("j", role(machine, "eth1", "198.51.100.5", InterfaceRole.BOTH, "t2"))
    assert answers(machine, "eth1")
    assert machine.network.firewall.admits("eth0", ADDRESS, "tcp", 3260), "portals stay as they are"


@pytest.mark.parametrize("how", ["time", "power cut", "asked"])
def test_the_rules_go_back_with_a_trial_also_without_an_agent(
    agent: Agent, ask: Ask, machine: FakeSystem, how: str
) -> None:
    ask(portal(21))
    agent.do_step("j", role(machine, "eth1", "198.51.100.5", InterfaceRole.STORAGE))
    assert not answers(machine, "eth1")
    if how == "time":
        machine.advance(61)
    elif how == "power cut":
        machine.power_cut()
    else:
        agent.do_step("j", InterfaceRevert(trial_id="t1", interface="eth1"))
    assert answers(machine, "eth1")
    assert set(machine.network.firewall.tables) == {"lunette"}
    assert machine.network.firewall.admits("eth0", ADDRESS, "tcp", 3260)
    agent.bring_up()
    assert answers(machine, "eth1")
    assert reported(agent).repaired is None, "a trial that is taken back is nobody's meddling"


def test_after_a_start_the_rules_are_there_before_the_agent_is(agent: Agent, ask: Ask, machine: FakeSystem) -> None:
    ask(portal(21))
    agent.do_step("j", role(machine, "eth1", "198.51.100.5", InterfaceRole.STORAGE))
    agent.do_step("j", InterfaceKeep(trial_id="t1", interface="eth1"))
    machine.power_cut()
    assert machine.network.firewall.admits("eth0", ADDRESS, "tcp", 3260)
    assert (answers(machine, "eth0"), answers(machine, "eth1")) == (True, False)


def test_no_one_is_locked_out_if_only_storage_has_an_address(agent: Agent, ask: Ask, machine: FakeSystem) -> None:
    ask(portal(21))
    agent.do_step("j", role(machine, "eth0", ADDRESS, InterfaceRole.STORAGE))
    agent.do_step("j", InterfaceKeep(trial_id="t1", interface="eth0"))
    assert answers(machine, "eth0")
    assert (reported(agent).closed_on, reported(agent).kept_open_on) == ((), ("eth0",))
    agent.do_step("j", role(machine, "eth1", "198.51.100.5", InterfaceRole.MANAGEMENT, "t2"))
    assert (answers(machine, "eth0"), answers(machine, "eth1")) == (False, True)


def test_an_empty_bridge_of_a_container_engine_gives_no_access(agent: Agent, ask: Ask, machine: FakeSystem) -> None:
    machine.network.add("docker0", kind="bridge")
    machine.network.interfaces["docker0"].set_up = {"172.17.0.1/16"}
    machine.network.interfaces["docker0"].link = False
    ask(portal(21))
    agent.do_step("j", role(machine, "eth0", ADDRESS, InterfaceRole.STORAGE))
    assert answers(machine, "eth0")
    machine.network.interfaces["docker0"].link = True
    agent.bring_up()
    assert not answers(machine, "eth0")


def test_a_tool_that_hangs_is_called_rarely(ask: Ask, agent: Agent, machine: FakeSystem) -> None:
    machine.network.firewall.refuses = "Error: out of memory"
    ask(portal(21))
    before = sum(call.detail.startswith("nft") for call in machine.faults.calls)
    ask(portal(21))
    assert sum(call.detail.startswith("nft") for call in machine.faults.calls) == before
    machine.network.firewall.refuses = None
    machine.advance(10)
    ask(portal(21))
    assert reported(agent).state is FirewallState.IN_FORCE


def test_flushed_rules_are_corrected_and_reported(agent: Agent, ask: Ask, machine: FakeSystem) -> None:
    ask(portal(21))
    machine.network.firewall.flush()
    assert ask(portal(21)).changed == 1
    assert reported(agent).repaired == "its table was missing"
    machine.network.firewall.tables["lunette"].sets["portals4"].append("192.0.2.1 . tcp . 25")
    agent.bring_up()
    assert not machine.network.firewall.admits("eth0", ADDRESS, "tcp", 25)
    assert reported(agent).repaired == "its rules had been changed by another program"


def test_a_broken_file_leaves_the_machine_open_until_the_agent_is_there_and_is_reported(
    ask: Ask, machine: FakeSystem
) -> None:
    ask(portal(21))
    machine.files.write_durably(run.KEPT, b"table inet lunette {\n\tchain input {", 0o600)
    machine.reboot()
    assert machine.network.firewall.tables == {}
    serving.prepare(machine)
    agent = Agent(machine)
    agent.bring_up()
    found = reported(agent)
    assert found.state is FirewallState.IN_FORCE
    assert "could not be loaded at startup" in str(found.repaired)
    assert "syntax error" in str(found.repaired)
    machine.reboot()
    assert set(machine.network.firewall.tables) == {"lunette"}, "the file is whole again"


@pytest.mark.parametrize(
    ("breaks", "state", "words"),
    [
        (lambda m: m.tools.remove("nft"), FirewallState.UNAVAILABLE, "Debian package nftables"),
        (lambda m: setattr(m.network.firewall, "is_in_kernel", False), FirewallState.UNAVAILABLE, "no nftables"),
        (lambda m: setattr(m.network.firewall, "has_netlink", False), FirewallState.UNAVAILABLE, "no nftables"),
        (lambda m: m.files.unlink(run.UNIT), FirewallState.UNAVAILABLE, "as in a container"),
        (lambda m: setattr(m.network.firewall, "refuses", "Error: out of memory"), FirewallState.FAILED, "out of mem"),
    ],
    ids=["no tool", "no kernel", "no netlink", "container", "refused"],
)
def test_where_it_cannot_be_the_rest_serves_and_the_reason_is_reported(
    ask: Ask, agent: Agent, machine: FakeSystem, breaks: Callable[[FakeSystem], None], state: FirewallState, words: str
) -> None:
    breaks(machine)
    report = ask(portal(21))
    assert {one.state for one in report.portals} == {one.state for one in report.targets} == {ServingState.OPEN}
    assert reported(agent).state is state
    assert words in str(reported(agent).reason)


def test_ssh_is_let_in_on_its_own_ports_where_it_is_installed(machine: FakeSystem) -> None:
    assert {one.port for one in facts.management(machine, 8443)} == {8443}
    machine.tools.add("sshd", lambda _argv: (0, "", ""))
    assert {one.port for one in facts.management(machine, 8443)} == {8443, 22}
    machine.files.seed("/etc/ssh/sshd_config", b"#Port 22\nPermitRootLogin no\n")
    machine.files.seed("/etc/ssh/sshd_config.d/a.conf", b"Port 2222\nport 2200\n")
    assert {one.port for one in facts.management(machine, 9443)} == {9443, 2222, 2200}


def test_while_the_ledger_is_lost_nothing_closes(ask: Ask, machine: FakeSystem) -> None:
    ask(portal(21), nvme_portal(22))
    machine.files.write_durably("/var/lib/lunette/agent/ledger.json", b"not a ledger", 0o600)
    again = Agent(machine)
    again.bring_up()
    assert machine.network.firewall.admits("eth0", ADDRESS, "tcp", 3260)
    assert machine.network.firewall.admits("eth0", ADDRESS, "tcp", 4420)


@pytest.mark.parametrize("when", [When.BEFORE, When.DURING, When.AFTER])
def test_an_agent_that_is_killed_at_any_call_of_it_leaves_every_portal_reached(
    ask: Ask, machine: FakeSystem, when: When
) -> None:
    def change() -> None:
        ask(portal(21), portal(22, "2001:db8::1"))
        ask(portal(21))

    ask(portal(21))
    first = len(machine.faults.calls)
    change()
    strikes = [one for one in machine.faults.calls[first:] if one.changes and "firewall.nft" in one.detail]
    assert len({one.detail for one in strikes}) == 3, "one file is kept, one is written, and it is loaded"
    for one in strikes:
        machine.faults.crash_at(one.number - first, when)
        with suppress(Crash):
            change()
        machine.faults.disarm()
        machine.restart_process()
        ask.agent = Agent(machine)
        ask.agent.bring_up()
        assert machine.network.firewall.admits("eth0", ADDRESS, "tcp", 3260)
        assert reported(ask.agent).state is FirewallState.IN_FORCE
        machine.network.firewall.boot()
        assert machine.network.firewall.admits("eth0", ADDRESS, "tcp", 3260), "what is kept is whole"
        ask(portal(21))
