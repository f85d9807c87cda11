"""An interactive installation at the console: questions, the whole plan, a typed confirmation, then the same steps as
with a document on a medium.
"""

import signal
from collections.abc import Callable
from pathlib import Path

from lunette.console.screen import HALF
from lunette.console.terminal import Terminal
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict
from lunette.installer.document import Document, parse
from lunette.installer.finding import LOCK, only_one, say
from lunette.installer.judge import judge
from lunette.installer.layout import Plan
from lunette.installer.questions import as_document, ask_words
from lunette.installer.settings import greeting
from lunette.installer.write import Installer
from lunette.providers.disks.inventory import observe_disks, settle
from lunette.system.system_port import System

Write = Callable[[System, Document, tuple[ObservedDisk, ...], Plan], str]


def write(system: System, document: Document, disks: tuple[ObservedDisk, ...], plan: Plan) -> str:
    """Installs, and reports progress on every console; returns the fingerprint. It continues if the terminal
    disappears.
    """
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        say("installation:", *plan.lines())
        return Installer(system, document, disks, plan).run(say)
    finally:
        signal.signal(signal.SIGHUP, before)


def install(terminal: Terminal, system: System | None = None, carry_out: Write = write, lock: Path = LOCK) -> None:
    """The whole dialogue. Raises Cancelled and HungUp before anything is written, LunetteError, OSError."""
    if system is None:
        from lunette.system.local import LocalSystem

        system = LocalSystem()
    settle(system)
    words = ask_words(terminal, system, observe_disks(system))
    if words is None:
        return
    with only_one(lock):
        document = parse(as_document(words))
        disks = judge(system, document)
        plan = Plan.make(document, disks)
        terminal.show(*summary(document, disks, plan, observe_disks(system)))
        if not _confirmed(terminal, disks):
            terminal.say("Nothing was written.")
            terminal.pause()
            return
        if [_known(disk) for disk in judge(system, document)] != [_known(disk) for disk in disks]:
            raise Conflict("a disk changed during the dialogue: nothing was written. Start again")
        certificate = carry_out(system, document, disks, plan)
    halves = f"{certificate[:HALF]}\n{'':23}{certificate[HALF:]}"
    lines = [f"  {line.replace(certificate, halves)}" for line in greeting(document, certificate)]
    terminal.show(
        "",
        "Installed.",
        "",
        *lines,
        "",
        "Write down the certificate fingerprint, remove the ISO, and restart from the menu.",
        "",
    )
    terminal.pause()


def summary(
    document: Document, disks: tuple[ObservedDisk, ...], plan: Plan, known: tuple[ObservedDisk, ...]
) -> list[str]:
    """What will be installed, and what will not."""
    lines = ["", "The plan", "", *(f"  {line}" for line in plan.lines()), ""]
    lines += [
        f"  ERASED: serial {disk.serial or 'none'} ({disk.id}): {disk.occupation()}"
        for disk in disks
        if disk.occupation() is not None
    ]
    chosen = {disk.id for disk in disks}
    others = [disk.serial or disk.id for disk in known if disk.id not in chosen]
    lines.append(f"  Not touched: {', '.join(others) if others else 'this machine has no other disk'}")
    lines += [f"  Host name:   {document.hostname}", f"  Time zone:   {document.time_zone or 'UTC'}"]
    network = document.network
    if network is None:
        lines.append("  Network:     DHCP on every wired interface")
    elif network.address is None:
        lines.append(f"  Network:     DHCP on {network.interface}")
    else:
        lines.append(f"  Network:     {network.address} on {network.interface}, gateway {network.gateway or 'none'}")
    way = "the password you chose" if document.administrator else "a one-time password, shown on the console"
    shell = "with root's password" if document.root else "none: root is locked"
    return [*lines, f"  User admin:  {way}", f"  Shell:       {shell}", ""]


def _confirmed(terminal: Terminal, disks: tuple[ObservedDisk, ...]) -> bool:
    """Confirms every disk that is not blank by its own serial number; blank ones by one word."""
    occupied = [disk for disk in disks if disk.occupation() is not None]
    for disk in occupied:
        word = disk.serial or disk.id
        if not terminal.is_typed(
            f"All data on {disk.id} will be lost. Type its serial number, {word}, to erase it:", word
        ):
            terminal.say("That is not its serial number.")
            return False
    return terminal.is_typed("Type install to start:", "install")


def _known(disk: ObservedDisk) -> tuple[object, ...]:
    return disk.id, disk.device, disk.serial, disk.size_bytes, disk.signatures, disk.partitions
