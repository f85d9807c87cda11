"""Asks the user for the content of an installation document. Every answer is checked by the document's own rules."""

import uuid
from typing import Any

import yaml
from argon2 import PasswordHasher

from lunette.console.network import ask_address, ask_ip, ask_ips, ask_time_servers
from lunette.console.terminal import Terminal
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Invalid
from lunette.domain.sizes import format_size
from lunette.installer.document import parse
from lunette.installer.judge import NET
from lunette.installer.layout import MINIMUM_BYTES
from lunette.system.system_port import System

Words = dict[str, Any]


def unfit(disk: ObservedDisk) -> str | None:
    """Why the system cannot be installed on a disk, whatever the user answers; None if it can."""
    if disk.used_by_system:
        return "the running system is on it"
    if disk.fabric:
        return "it belongs to another machine"
    if disk.is_busy():
        return disk.occupation() or "it is in use"
    if disk.size_bytes < MINIMUM_BYTES:
        return f"too small: the system needs {format_size(MINIMUM_BYTES)}"
    return None


def disk_lines(fit: list[ObservedDisk], others: list[ObservedDisk]) -> list[str]:
    """Disks as a user distinguishes them: by serial number, which is on the drive's label."""
    lines: list[str] = []
    for number, disk in enumerate(fit, 1):
        lines += [f" {number:>2}  {_facts(disk)}", f"     {disk.id}", f"     {disk.occupation() or 'it is blank'}"]
    for disk in others:
        lines += [f"  -  {_facts(disk)}", f"     {disk.id}", f"     not possible: {unfit(disk)}"]
    return lines or [" none: the kernel found no disk"]


def _facts(disk: ObservedDisk) -> str:
    return f"{format_size(disk.size_bytes):>8}  {disk.model or 'no model'}  serial {disk.serial or 'none'}"


def ask_words(terminal: Terminal, system: System, disks: tuple[ObservedDisk, ...]) -> Words | None:
    """The words of a document, None if no disk was chosen. Raises Cancelled, HungUp."""
    chosen = ask_disks(terminal, disks)
    if not chosen:
        return None
    words: Words = {"version": 1, "disk": [disk.id for disk in chosen], "afterwards": "stay"}
    occupied = [disk.id for disk in chosen if disk.occupation() is not None]
    if occupied:
        words["wipe"] = occupied
    words["hostname"] = ask_word(terminal, "hostname", "Host name (Enter: lunette):", "lunette")
    words["time_zone"] = ask_word(terminal, "time_zone", "Time zone, such as Europe/Berlin (Enter: UTC):", "UTC")
    network = ask_network(terminal, system)
    if network is not None:
        words["network"] = network
    hashed = ask_password(terminal)
    if hashed is not None:
        words["administrator"] = {"password_hash": hashed}
    shell = ask_root(terminal, system)
    if shell is not None:
        words["root"] = {"password_hash": shell}
    return words


def as_document(words: Words) -> bytes:
    """The document for the same installation unattended, and no other: answering again means to install again."""
    return f"# asked for at the console, {uuid.uuid4()}\n".encode() + yaml.safe_dump(words, sort_keys=False).encode()  # type: ignore[no-any-return]


def problems(words: Words) -> list[str]:
    """Violations of the document's rules; empty if there are none."""
    try:
        parse(as_document({"version": 1, "disk": "any", **words}))
    except Invalid as error:
        return [one.message for one in error.errors] or [error.detail]
    return []


def ask_disks(terminal: Terminal, disks: tuple[ObservedDisk, ...]) -> list[ObservedDisk]:
    """One disk, or two for a mirror; none if the user chose none."""
    fit = [disk for disk in disks if unfit(disk) is None]
    others = [disk for disk in disks if unfit(disk) is not None]
    terminal.show("", "Disks of this machine", "", *disk_lines(fit, others), "")
    if not fit:
        terminal.say("No disk is available for the installation.")
        terminal.pause()
        return []
    first = terminal.choose("Disk to install to", len(fit))
    if first is None:
        return []
    found = [fit[first - 1]]
    left = [disk for disk in fit if disk is not found[0]]
    if left:
        terminal.show(
            "", "A second disk keeps the system running when the first one fails.", "", *disk_lines(left, []), ""
        )
        second = terminal.choose("Second disk for a mirror", len(left))
        found += [left[second - 1]] if second is not None else []
    return found


def ask_word(terminal: Terminal, word: str, question: str, otherwise: str) -> str:
    """The value of one word of the document, asked until its rules accept it."""
    while True:
        answer = terminal.ask(question) or otherwise
        found = problems({word: answer})
        if not found:
            return answer
        terminal.say(*found)


def ask_network(terminal: Terminal, system: System) -> Words | None:
    """The interface of the web page; None for DHCP on every one."""
    names = [name for name in system.listdir(NET) if system.exists(f"{NET}/{name}/device")]
    terminal.show("", "Network", "", "  1  DHCP on every wired interface")
    for number, name in enumerate(names, 2):
        state = "link" if _attribute(system, name, "carrier") == "1" else "NO LINK"
        terminal.say(f" {number:>2}  {name:<15} {state:<8} {_attribute(system, name, 'address')}")
    chosen = terminal.choose("Interface of the web page", len(names) + 1)
    if chosen is None or chosen == 1:
        return None
    name = names[chosen - 2]
    # The hardware address outlives a card that moves to another slot.
    network: Words = {"interface": _attribute(system, name, "address") or name}
    terminal.say("", "  1  address from DHCP", "  2  static address")
    while terminal.choose("Address", 2) == 2:
        given = {**network, "address": ask_address(terminal)}
        gateway = ask_ip(terminal, "Gateway, such as 192.0.2.1 (Enter: none):")
        dns = ask_ips(terminal, "DNS servers, separated by spaces (Enter: none):")
        ntp = ask_time_servers(terminal)
        more = (("gateway", gateway), ("dns", dns), ("ntp", ntp))
        given |= {word: answer for word, answer in more if answer}
        found = problems({"network": given})
        if not found:
            return given
        terminal.say(*found)
    return network


def ask_password(terminal: Terminal) -> str | None:
    """The Argon2id hash of the administrator's password; None for a one-time password on the console."""
    terminal.say(
        "",
        "Password of the administrator, user admin: 12 characters or more.",
        "Without one, the console shows a one-time password after the first start.",
    )
    password = _ask_new(terminal, "Password (Enter: one-time password):")
    return PasswordHasher().hash(password) if password is not None else None


def ask_root(terminal: Terminal, system: System) -> str | None:
    """The hash of root's password, as shadow(5) has it; None for a locked account."""
    terminal.say("", "Password of root, for the shell of the console: 12 characters or more.")
    password = _ask_new(terminal, "Password (Enter: no shell):")
    if password is None:
        return None
    return system.run(["openssl", "passwd", "-6", "-stdin"], stdin=f"{password}\n").stdout.strip()


def _ask_new(terminal: Terminal, question: str) -> str | None:
    """A password that is typed twice, by the rule of the administrator's; None for none."""
    while True:
        first = terminal.ask(question, secret=True)
        if not first:
            return None
        found = problems({"administrator": {"password": first}})
        if found:
            terminal.say(*found)
        elif terminal.ask("Repeat the password:", secret=True) != first:
            terminal.say("The passwords do not match.")
        else:
            return first


def _attribute(system: System, name: str, attribute: str) -> str:
    try:
        return system.read(f"{NET}/{name}/{attribute}").strip()
    except OSError:
        return ""
