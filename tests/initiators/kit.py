"""A host's kit applied to a guest to the letter, and relays that stand for the portals it names."""

from __future__ import annotations

import base64
import shlex

from lunette.client import JsonObject
from tests.initiators.block_io import IN_GUEST, put_program
from tests.machines.machine import Machine
from tests.machines.model import CommandResult

_COMMAND_TIMEOUT_S = 300.0


def write_files(machine: Machine, kit: JsonObject) -> None:
    """Every file of the kit, in its place."""
    for one in kit["files"]:
        packed, place = base64.b64encode(one["content"].encode()).decode(), shlex.quote(one["path"])
        machine.check(f"mkdir -p $(dirname {place}); echo {packed} | base64 -d >{place}; chmod {one['mode']} {place}")


def run_commands(machine: Machine, kit: JsonObject, *, without: str = "") -> str:
    """In order, each that has something left to do; fails at the first that fails. Returns what they printed.

    `without` leaves out the commands of a program that the guest has not.
    """
    printed = ""
    for one in kit["commands"]:
        if without and one["run"].startswith(without):
            continue
        if one["unless"] is None or machine.run(one["unless"], timeout_s=_COMMAND_TIMEOUT_S).rc:
            done = machine.run(one["run"], timeout_s=_COMMAND_TIMEOUT_S)
            if done.rc != 0:
                raise AssertionError(f"{one['run']}: {done.stdout}")
            printed += done.stdout
    return printed


def check(machine: Machine, kit: JsonObject) -> CommandResult:
    """What the kit's own check says."""
    return machine.run(kit["check"], timeout_s=_COMMAND_TIMEOUT_S)


def put_relay(machine: Machine) -> None:
    """The program of the relays."""
    put_program(machine, "../machines/forward.py")


def open_relay(machine: Machine, address: str, port: int, behind: str) -> None:
    """In the guest, address:port leads to `behind`: a portal is there under the name the appliance has for it.

    Waits for the address, since a guest's shell answers before its network is up; fails if the relay does not listen.
    """
    log = f"/run/logs/relay-{address}-{port}"
    relay = f"python3 {IN_GUEST}/forward.py - {address}:{port} - {behind}"
    machine.check(_until(f"ip -o address show to {address} | grep -q ."))
    machine.check(f"{relay} >{log} 2>&1 & echo $! >/run/relay-{port}")
    machine.check(f"{_until(f'grep -qx listening {log}')} || {{ cat {log}; false; }}")


def _until(command: str) -> str:
    """In the guest: true once the command is, false if it is not within a minute."""
    return f"timeout 60 sh -c 'until {command}; do sleep 0.2; done'"


def close_relay(machine: Machine, port: int) -> None:
    """The portal is gone."""
    machine.check(f"kill $(cat /run/relay-{port})")
