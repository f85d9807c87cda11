"""An appliance on a test machine together with an administrator's client of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.e2e.waiting import wait_until
from tests.lab.access import Access, PatientClient, first_login
from tests.machines.machine import BOOT_S, Machine, VirtualMachine
from tests.machines.pace import measure_guest

ONE_TIME_PASSWORD = "/run/lunette-api/one-time-password"
_KERNEL_LINE = re.compile(r"\[ *\d+\.\d{6}\] (?!\S+\[\d+\]: )[^\n]*\n")


class Appliance:
    """A booted machine and the way into its API."""

    def __init__(self, machine: Machine, access: Access) -> None:
        self.machine = machine
        self.access = access
        self.client = PatientClient(access.endpoint)

    @classmethod
    def first_boot(cls, machine: Machine, still: Callable[[], None] = lambda: None) -> Appliance:
        """Starts the machine, waits for the API, and makes the first login with the one-time password."""
        machine.start()
        machine.wait_for_api(still=still)
        measure_guest(machine)
        password = read_one_time_password(machine)
        if isinstance(machine, VirtualMachine):
            _await_on_console(machine, password)
        return cls(machine, first_login(machine.api_url, password))

    def wait_for_api(self, deadline_s: float = BOOT_S) -> None:
        """After a reboot: waits until the API answers again; the client continues with its token."""
        self.machine.wait_for_api(deadline_s)

    def disk_ids(self, bus: str) -> list[str]:
        """The API's ids of this machine's data disks on one bus, in the order of their serials."""
        serials = [disk.serial for disk in self.machine.disks if disk.bus == bus]
        seen = {disk["serial"]: str(disk["id"]) for disk in self.client.list("/disks")}
        missing = [serial for serial in serials if serial not in seen]
        if missing:
            raise AssertionError(f"the appliance does not list the disks {missing}; it lists {sorted(seen)}")
        return [seen[serial] for serial in serials]


def read_one_time_password(machine: Machine) -> str:
    """The password of the console, read from where the appliance keeps it until it is changed."""
    return machine.check(["cat", ONE_TIME_PASSWORD]).strip()


def _await_on_console(machine: VirtualMachine, password: str) -> None:
    """A person has it from the console alone: AssertionError where it is not shown there.

    The kernel may write a line of its own in the middle of it.
    """
    line = f"One-time password   {password}"
    wait_until(
        f"the console shows the password that is in {ONE_TIME_PASSWORD}",
        lambda: line in _KERNEL_LINE.sub("", machine.console_log.read_text(errors="replace")),
    )


def reset_password(machine: Machine) -> None:
    """Gives the administrator a new one-time password; their tokens are refused until it is changed."""
    machine.check(["/opt/lunette/bin/lunette-api", "--reset-password"], timeout_s=300)


@contextmanager
def appliance(machine: Machine) -> Iterator[Appliance]:
    """A fresh appliance for the time of a test."""
    with machine:
        made = Appliance.first_boot(machine)
        try:
            yield made
        finally:
            made.client.__exit__()
