"""The menu as a person uses it, on a pseudo terminal before a whole appliance on the fake machine."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from backend.tests.cli.appliance import Cli, appliance
from backend.tests.databases import fresh_file
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS
from backend.tests.typist import Typist
from backend.tests.wiring import AwayAgent
from backend.tests.wiring_agent import InProcessAgent
from lunette.client import Client, Endpoint
from lunette.console import network, tasks
from lunette.console.backends import AgentBackend, ApiBackend, find_backend
from lunette.console.menu import Entry, Menu, Task, entries
from lunette.console.state import Places, Watch, current_screen
from lunette.console.terminal import HungUp, Terminal
from lunette.domain.interfaces import TRIAL_S
from tests.e2e.waiting import wait_until

PROMPT = "Type a number or letter, then Enter: "
BACK = "-- Enter: back to the menu -- "
NTP = "Time servers (NTP), separated by spaces (Enter: none): "


class Console:
    """A console of an appliance, and who sits before it."""

    def __init__(self, root: Path, endpoint: str, machine: FakeSystem) -> None:
        self.places = Places(root, Endpoint(endpoint))
        self.machine, self.agent = machine, InProcessAgent(machine)
        self.commands: list[list[str]] = []
        self.installed = 0
        self.person = Typist(self._run)

    def _run(self, fd: int) -> None:
        watch = Watch(lambda: current_screen(self.places), current_screen(self.places), pause_s=0.2)
        watch.start()
        with Terminal(fd, fd) as terminal:
            Menu(terminal, self._entries(), watch).run()

    def _entries(self) -> list[Entry]:
        """As on the appliance, but for the agent's socket and for commands of the machine."""
        known = {one.number: one for one in entries(self.places, self._install)}
        mine: dict[str, Task] = {
            "1": lambda terminal: network.repair(terminal, self.places, self.agent),
            "3": lambda terminal: tasks.look(terminal, self.places, self._command),
            "4": lambda terminal: tasks.power(terminal, self.places, self._command),
            "5": self._shell,
        }
        return [Entry(one.number, one.letter, one.text, mine.get(one.number, one.task)) for one in known.values()]

    def _shell(self, terminal: Terminal) -> None:
        assert not tasks.shell(terminal, self._file("shadow", "root:*:1::"), self._file("passwd", ""))

    def _install(self, _: Terminal) -> None:
        self.installed += 1

    def _command(self, argv: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        self.commands.append(list(argv))
        said = "failed\n" if argv[1] == "is-active" else "no space left on device\n"
        return subprocess.CompletedProcess(argv, 0, said, "")

    def _file(self, name: str, content: str) -> Path:
        file = Path(self.places.__dict__["_data"]).parent / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return file


@pytest.fixture
def cli(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    with appliance(tmp_path, sqlite_url) as served:
        yield served


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return fresh_file(tmp_path)


@pytest.fixture
def console(cli: Cli, tmp_path: Path) -> Iterator[Console]:
    made = Console(tmp_path / "root", cli.local, cli.machine)
    yield made
    made.person.close()


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Console]:
    """A machine whose API does not answer; its agent does."""
    made = Console(tmp_path / "root", f"unix:{tmp_path}/nobody.sock", FakeSystem())
    yield made
    made.person.close()


def shown(cli: Cli, name: str) -> Any:
    with Client(Endpoint(cli.local)) as client:
        return client.operate("interface_show", {"interface": name})


def set_address(person: Typist, address: str = "198.51.100.5/24", gateway: str = "198.51.100.1") -> None:
    """Up to the plan: an address for eth1."""
    person.reply(PROMPT, "1")
    person.reply("Which interface do you want to change? (1-2, Enter: none): ", "2")
    person.reply("How does eth1 get its address? (1-2, Enter: none): ", "2")
    person.reply("such as 192.0.2.7/24: ", address)
    person.reply("Gateway, such as 192.0.2.1 (Enter: none): ", gateway)
    person.reply("DNS servers, separated by spaces (Enter: none): ", "192.0.2.53")
    person.reply(NTP, "192.0.2.123, time.example.com")


def test_screen_and_menu_are_shown_and_follow_what_changes(console: Console) -> None:
    first = console.person.until(PROMPT)
    assert "Lunette storage appliance" in first
    assert "1 or n  network repair" in first
    password = Path(console.places.__dict__["_password"])
    password.parent.mkdir(parents=True)
    password.write_text("abcd-efgh-jkmn-pqrs\n")
    console.person.until("One-time password  abcd-efgh-jkmn-pqrs")
    console.person.until(PROMPT)


ODD = [
    b"\x03",
    b"\x04",
    b"\x1c",
    b"\x1a",
    b"\x1b[A\r",
    b"\r",
    b"9\r",
    b"99999999\r",
    b"; /bin/sh\r",
    b"\xff\xfe\x00\r",
    b"$(reboot)\r",
    b"1\r\x03",
    b"1\r2\r\x03",
    b"2\r\x03",
    b"2\rreset now\r",
    b"4\r1\r\x03",
    b"4\r2\rOFF\r",
]


def test_nothing_that_is_typed_ends_the_menu_or_changes_anything(console: Console, cli: Cli) -> None:
    for keys in ODD:
        console.person.until(PROMPT)  # of this round: unread keys are discarded before a confirmation
        console.person.send(keys)
        console.person.quiet(0.3)
        console.person.insist(b"\x03\x03", PROMPT)
        console.person.type("s\r")
        console.person.until("No shell is available")
        console.person.reply(BACK, "")
    console.person.until(PROMPT)
    assert console.commands == []
    assert "one_time_password" not in cli("event", "list", "--json").out
    assert cli("job", "list", "--json").out.strip() in ("[]", '{"items": []}')
    assert shown(cli, "eth1")["addresses"] == []


def test_a_closed_terminal_ends_the_program(console: Console) -> None:
    console.person.until(PROMPT)
    console.person.hang_up()
    with pytest.raises(HungUp):
        console.person.ended()


def test_an_address_is_stored_after_it_was_tried(console: Console, cli: Cli) -> None:
    person = console.person
    set_address(person)
    plan = person.reply("Type yes to try it for 60 seconds: ", "yes")
    assert "Change interface eth1:" in plan
    assert "198.51.100.5/24, gateway 198.51.100.1" in plan
    person.until("198.51.100.5/24")
    person.reply("Type keep to confirm it, Enter to revert it: ", "keep")
    person.until("eth1 keeps these settings, also after a restart.")
    person.reply(BACK, "")
    cli.machine.advance(TRIAL_S + 1)
    cli.machine.power_cut()
    found = shown(cli, "eth1")
    assert found["wanted"]["addresses"] == ["198.51.100.5/24"]
    assert (found["wanted"]["gateway"], found["wanted"]["dns"]) == ("198.51.100.1", ["192.0.2.53"])
    assert found["wanted"]["ntp"] == ["192.0.2.123", "time.example.com"]
    assert "interface.confirmed" in cli("event", "list", "--json").out


@pytest.mark.parametrize("answer", ["", "Keep", "k", "yes"])
def test_whatever_is_not_keep_takes_it_back_at_once(console: Console, cli: Cli, answer: str) -> None:
    set_address(console.person)
    console.person.reply("Type yes to try it for 60 seconds: ", "yes")
    console.person.reply("Type keep to confirm it, Enter to revert it: ", answer)
    console.person.until("eth1 has its previous settings again.")
    assert shown(cli, "eth1")["wanted"] is None


def test_without_yes_nothing_is_tried(console: Console, cli: Cli) -> None:
    set_address(console.person)
    console.person.reply("Type yes to try it for 60 seconds: ", "y")
    console.person.until("Nothing was changed.")
    assert shown(cli, "eth1")["trial_left_s"] is None


def test_an_invalid_address_is_requested_again(console: Console) -> None:
    person = console.person
    person.reply(PROMPT, "n")
    person.reply("Which interface do you want to change? (1-2, Enter: none): ", "2")
    person.reply("How does eth1 get its address? (1-2, Enter: none): ", "2")
    for wrong, why in (
        ("192.0.2.7", "has no prefix length"),
        ("192.0.2.700/24", "is not an address"),
        ("", "is not an address"),
    ):
        person.reply("such as 192.0.2.7/24: ", wrong)
        person.until(why)
    person.reply("such as 192.0.2.7/24: ", "198.51.100.5/24")
    person.reply("Gateway, such as 192.0.2.1 (Enter: none): ", "gateway")
    person.until("is not an address")
    person.reply("Gateway, such as 192.0.2.1 (Enter: none): ", "203.0.113.1")
    person.reply("DNS servers, separated by spaces (Enter: none): ", "")
    for wrong in ("-x", "a_b"):
        person.reply(NTP, wrong)
        person.until("is not a time server")
    person.reply(NTP, "")
    person.until("gateway 203.0.113.1 is not in the network of any of its addresses")
    person.reply(BACK, "")
    person.until(PROMPT)


def test_a_pulled_cable_is_reported_before_any_question(console: Console, cli: Cli) -> None:
    console.machine.network.interfaces["eth1"].link = False
    wait_until("the API has seen it", lambda: not shown(cli, "eth1")["link"], 30)
    console.person.reply(PROMPT, "1")
    listed = console.person.reply("Which interface do you want to change? (1-2, Enter: none): ", "2")
    assert "eth1            NO LINK" in listed
    console.person.until("eth1 has no link: check the cable and the switch first.")


def test_a_portal_loses_its_address_only_where_it_is_named(console: Console, cli: Cli) -> None:
    assert cli("portal", "create", "front", "--address", ADDRESS).code == 0
    person = console.person
    for answer in ("", "front"):
        person.reply(PROMPT, "1")
        person.reply("Which interface do you want to change? (1-2, Enter: none): ", "1")
        person.reply("How does eth0 get its address? (1-2, Enter: none): ", "2")
        person.reply("such as 192.0.2.7/24: ", "192.0.2.200/24")
        person.reply("Gateway, such as 192.0.2.1 (Enter: none): ", "")
        person.reply("DNS servers, separated by spaces (Enter: none): ", "")
        person.reply(NTP, "")
        person.until("portal front listens on")
        person.reply("Portals that may lose their address, separated by spaces (Enter: none): ", answer)
        if not answer:
            person.until("specify the portal, or delete it first")
            person.reply(BACK, "")
    person.reply("Type yes to try it for 60 seconds: ", "no")
    assert f"{ADDRESS}/24" in [one["address"] for one in shown(cli, "eth0")["addresses"]]


def test_without_the_api_the_agent_does_the_same(alone: Console) -> None:
    person = alone.person
    assert "the API does not answer yet" in person.until(PROMPT)
    person.type("\r")
    set_address(person)
    assert "198.51.100.5/24, gateway 198.51.100.1" in person.reply("Type yes to try it for 60 seconds: ", "yes")
    person.reply("Type keep to confirm it, Enter to revert it: ", "keep")
    person.until("eth1 keeps these settings")
    alone.machine.advance(TRIAL_S + 1)
    alone.machine.power_cut()
    (eth1,) = [one for one in AgentBackend(InProcessAgent(alone.machine)).cards() if one.name == "eth1"]
    assert (eth1.addresses, eth1.how, eth1.trial_left_s) == (("198.51.100.5/24",), "static", None)


def test_without_the_api_an_unconfirmed_change_is_reverted(alone: Console) -> None:
    set_address(alone.person)
    alone.person.reply("Type yes to try it for 60 seconds: ", "yes")
    alone.person.until("Type keep to confirm it, Enter to revert it: ")
    alone.machine.advance(TRIAL_S + 1)
    alone.person.type("keep\r")
    alone.person.until("it was already reverted")
    (eth1,) = [one for one in AgentBackend(alone.agent).cards() if one.name == "eth1"]
    assert eth1.addresses == ()


def test_what_the_agent_did_is_what_the_api_shows(cli: Cli) -> None:
    """Neither knows of the other's change beforehand: all of it is on the machine."""
    agent = AgentBackend(InProcessAgent(cli.machine))
    agent.begin("eth1", {"dhcp": False, "addresses": ["198.51.100.5/24"], "gateway": None, "dns": []})
    wait_until("the API has seen it", lambda: shown(cli, "eth1")["trial_left_s"], 30)
    with Client(Endpoint(cli.local)) as client:
        (eth1,) = [one for one in ApiBackend(client).cards() if one.name == "eth1"]
        assert eth1.trial_left_s is not None
        ApiBackend(client).end("eth1", keep=True)
        way, cards = find_backend(client, InProcessAgent(cli.machine))
    assert isinstance(way, ApiBackend)
    assert [one.addresses for one in cards if one.name == "eth1"] == [("198.51.100.5/24",)]
    assert agent.cards() == cards


def test_where_neither_api_nor_agent_answers_the_reason_is_reported(alone: Console) -> None:
    alone.agent = cast(InProcessAgent, AwayAgent())
    alone.person.reply(PROMPT, "1")
    alone.person.until("the agent does not answer: check whether lunette-agent is running")
    alone.person.reply(BACK, "")
    alone.person.until(PROMPT)


def test_a_trial_started_elsewhere_is_ended_first(console: Console, cli: Cli) -> None:
    AgentBackend(console.agent).begin(
        "eth1", {"dhcp": False, "addresses": ["198.51.100.5/24"], "gateway": None, "dns": []}
    )
    wait_until("the API has seen it", lambda: shown(cli, "eth1")["trial_left_s"], 30)
    console.person.reply(PROMPT, "1")
    console.person.until("A change of eth1 is on trial.")
    console.person.reply("Type keep to confirm it, Enter to revert it: ", "")
    console.person.until("eth1 has its previous settings again.")


def test_health_is_reported_in_words(console: Console) -> None:
    console.person.reply(PROMPT, "h")
    console.person.until("8 disks, 0 arrays")
    console.person.reply(BACK, "")


def test_without_the_api_the_state_of_the_programs_is_reported(alone: Console) -> None:
    alone.person.reply(PROMPT, "3")
    alone.person.until("lunette-api is failed.")
    alone.person.until("no space left on device")
    alone.person.until("lunette-agent is failed.")


def test_power_off_uses_the_job_of_the_product(console: Console, cli: Cli) -> None:
    cli.machine.power.later = lambda _seconds, _dies: None
    console.person.reply(PROMPT, "4")
    console.person.reply("Which one? (1-2, Enter: none): ", "2")
    assert "Shut down the appliance:" in console.person.reply("Type off to continue: ", "off")
    console.person.until("Starting now")
    assert "system.power_off" in cli("job", "list", "--json").out
    wait_until("the agent was asked", lambda: cli.machine.power.asked == ["poweroff"], 30)
    assert console.commands == []


def test_without_the_api_the_machine_stops_in_order_all_the_same(alone: Console) -> None:
    alone.person.reply(PROMPT, "r")
    alone.person.reply("Which one? (1-2, Enter: none): ", "1")
    alone.person.until("It is unknown which hosts use volumes now")
    alone.person.reply("Type restart to continue: ", "restart")
    alone.person.until("Starting now.")
    assert alone.commands == [["systemctl", "--no-block", "reboot"]]


def test_the_installer_is_started_from_the_menu(console: Console) -> None:
    console.person.reply(PROMPT, "i")
    console.person.until(PROMPT)
    assert console.installed == 1
