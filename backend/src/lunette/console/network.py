"""Network repair: DHCP or a static address on one interface, on trial for 60 seconds like every change of the
network.
"""

import re
from ipaddress import ip_address, ip_interface

from lunette.client import JsonObject
from lunette.console.backends import Backend, Card, Problem, find_backend, portals_in_the_way, words_of
from lunette.console.state import Places
from lunette.console.terminal import Cancelled, Terminal
from lunette.domain.interfaces import NTP_PATTERN
from lunette.system.agent_client import AgentClient
from lunette.system.agent_port import AgentPort

LIST_S = 20.0
"""How long the API may take to list the interfaces before the agent is asked."""


def repair(terminal: Terminal, places: Places, agent: AgentPort | None = None) -> None:
    """The whole dialogue. Raises Cancelled, HungUp, or one of Problem."""
    with places.client(LIST_S) as client:
        way, cards = find_backend(client, agent or AgentClient())
        waiting = next((card for card in cards if card.trial_left_s is not None), None)
        if waiting is not None:
            _end_trial(terminal, way, waiting)
            return
        terminal.show("", "Network interfaces", "", *card_lines(cards), "")
        if not cards:
            terminal.pause()
            return
        number = terminal.choose("Which interface do you want to change?", len(cards))
        if number is None:
            return
        card = cards[number - 1]
        spec = ask_spec(terminal, card)
        if spec is not None:
            _try(terminal, way, card, spec)


def card_lines(cards: list[Card]) -> list[str]:
    """Interfaces as a numbered list: the link first, because cables fail most often."""
    lines = []
    for number, card in enumerate(cards, 1):
        link = "link" if card.link else "NO LINK"
        lines.append(f" {number:>2}  {card.name:<15} {link:<8} {card.mac:<18} {card.how}")
        lines += [f"     {address}" for address in card.addresses]
    return lines or [" none: the kernel found no network card"]


def ask_spec(terminal: Terminal, card: Card) -> JsonObject | None:
    """The new settings of an interface; None for no change."""
    if not card.link:
        terminal.say(f"{card.name} has no link: check the cable and the switch first.")
    terminal.say("", " 1  address from DHCP", " 2  static address", "")
    number = terminal.choose(f"How does {card.name} get its address?", 2)
    if number is None:
        return None
    if number == 1:
        return {"dhcp": True, "addresses": [], "gateway": None, "dns": []}
    address = ask_address(terminal)
    gateway = ask_ip(terminal, "Gateway, such as 192.0.2.1 (Enter: none):")
    dns = ask_ips(terminal, "DNS servers, separated by spaces (Enter: none):")
    return {"dhcp": False, "addresses": [address], "gateway": gateway, "dns": dns, "ntp": ask_time_servers(terminal)}


def ask_address(terminal: Terminal) -> str:
    """An address with the length of its network's prefix."""
    while True:
        text = terminal.ask("Address with prefix, such as 192.0.2.7/24:")
        problem = address_problem(text)
        if problem is None:
            return text
        terminal.say(problem)


def address_problem(text: str) -> str | None:
    """Why a text is not an address with a prefix."""
    try:
        ip_interface(text)
    except ValueError:
        return f"{text[:40]!r} is not an address: enter four numbers from 0 to 255 with dots, then / and the prefix."
    return None if "/" in text else f"{text} has no prefix length; enter for example {text}/24."


def ask_ip(terminal: Terminal, question: str) -> str | None:
    """One address without a prefix, or None."""
    found = ask_ips(terminal, question, most=1)
    return found[0] if found else None


def ask_ips(terminal: Terminal, question: str, most: int = 3) -> list[str]:
    """Addresses without prefixes."""
    while True:
        words = terminal.ask(question).replace(",", " ").split()
        wrong = [word for word in words if not _is_ip(word)]
        if wrong:
            terminal.say(f"{wrong[0][:40]!r} is not an address, such as 192.0.2.1.")
        elif len(words) > most:
            terminal.say(f"At most {most}.")
        else:
            return words


def ask_time_servers(terminal: Terminal, most: int = 4) -> list[str]:
    """Addresses or names. Without any, Debian's time servers on the Internet are used."""
    while True:
        words = terminal.ask("Time servers (NTP), separated by spaces (Enter: none):").replace(",", " ").split()
        wrong = [word for word in words if len(word) > 253 or not re.fullmatch(NTP_PATTERN, word)]
        if wrong:
            terminal.say(f"{wrong[0][:40]!r} is not a time server, such as 192.0.2.123 or time.example.com.")
        elif len(words) > most:
            terminal.say(f"At most {most}.")
        else:
            return words


def _is_ip(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def plan_lines(plan: JsonObject) -> list[str]:
    """A plan of the product, in words."""
    lines = ["", f"{plan['title']}:"]
    lines += [f"  {one['action']} {one['noun']} {one['name']}: {one['detail']}" for one in plan["changes"]]
    return [*lines, *(f"  ! {text}" for text in plan["warnings"]), ""]


def _try(terminal: Terminal, way: Backend, card: Card, spec: JsonObject) -> None:
    plan, spec = _planned(terminal, way, card, spec)
    if not plan["changes"]:
        terminal.say(f"{card.name} already has these settings: nothing was changed.")
        terminal.pause()
        return
    terminal.show(*plan_lines(plan))
    if not terminal.is_typed("Type yes to try it for 60 seconds:", "yes"):
        terminal.say("Nothing was changed.")
        return
    terminal.say("Trying ...")
    way.begin(card.name, spec)
    found = next((one for one in way.cards() if one.name == card.name), None)
    if found is None or found.trial_left_s is None:
        terminal.say("It was already reverted: nothing was changed.")
        terminal.pause()
        return
    terminal.say(*card_lines([found]))
    _end_trial(terminal, way, found)


def _planned(terminal: Terminal, way: Backend, card: Card, spec: JsonObject) -> tuple[JsonObject, JsonObject]:
    """The plan, and the spec with the portals that may lose their address. Raises one of Problem."""
    try:
        return way.plan(card.name, spec), spec
    except Problem as problem:
        portals = portals_in_the_way(problem)
        if not portals:
            raise
        terminal.show(*words_of(problem), "", "Hosts lose their paths through the portals that you enter here.")
    names = terminal.ask("Portals that may lose their address, separated by spaces (Enter: none):").split()
    named = {**spec, "portals": names}
    return way.plan(card.name, named), named


def _end_trial(terminal: Terminal, way: Backend, card: Card) -> None:
    """Asks whether to confirm the trial. Without an answer, the previous network returns."""
    left_s = card.trial_left_s or 0.0
    terminal.say("", f"A change of {card.name} is on trial. It is reverted in {left_s:.0f} seconds.")
    try:
        answer = terminal.read_line("Type keep to confirm it, Enter to revert it: ", max(left_s, 1.0))
    except Cancelled:
        answer = ""
    if answer is None:
        terminal.say("", "The change was not confirmed and was reverted.")
    elif answer.strip() == "keep":
        way.end(card.name, keep=True)
        terminal.say(f"{card.name} keeps these settings, also after a restart.")
    else:
        way.end(card.name, keep=False)
        terminal.say(f"{card.name} has its previous settings again.")
    terminal.pause()
