"""What every virtual machine keeps of the interface; the machine is a parameter."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.machines import Capability, MachineError, NotCapable, Qemu, Uml
from tests.machines.machine import GUEST, VirtualMachine
from tests.machines.pace import deadline, within
from tests.machines.process import OwnedProcess, group_members, identify, is_alive, wait_gone
from tests.machines.running import running_machine

pytestmark = pytest.mark.timeout(900)
SHELL = "/bin/bash"
MAKERS: dict[str, Callable[[str], VirtualMachine]] = {
    "qemu": lambda name: Qemu(f"{name}-qemu", nvme=2, scsi=1, disk_mib=64, product=False, init=SHELL),
    "uml": lambda name: Uml(f"{name}-uml", disks=2, disk_mib=64, product=False, init=SHELL),
    "qemu with systemd": lambda name: Qemu(f"{name}-qemu", nvme=1, disk_mib=64, product=False),
    "uml with systemd": lambda name: Uml(f"{name}-uml", disks=1, disk_mib=64, product=False),
}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("qemu", marks=[pytest.mark.qemu, pytest.mark.slow]),
        pytest.param("uml", marks=pytest.mark.uml),
    ],
)
def machine(request: pytest.FixtureRequest) -> Iterator[VirtualMachine]:
    """A machine that is up; tests leave it up."""
    with MAKERS[request.param]("interface") as made:
        made.start()
        booted(made)
        yield made


def booted(machine: VirtualMachine) -> None:
    """Without systemd a shell is all there is, so boots are short: udev and the network are started by hand."""
    machine.wait_for_shell()
    machine.check(
        "mount -t proc proc /proc; mount -t sysfs sys /sys; /usr/lib/systemd/systemd-udevd --daemon; "
        "udevadm trigger --action=add; udevadm settle --timeout=120; "
        "link=$(ls /sys/class/net | grep -v lo); ip link set lo up; ip link set $link up; "
        "ip address add 10.0.2.15/24 dev $link",
        timeout_s=150.0,
    )


def guest_boot(machine: VirtualMachine) -> str:
    return machine.check("cat /proc/sys/kernel/random/boot_id")


def test_every_disk_has_its_stable_name_size_and_serial(machine: VirtualMachine) -> None:
    for disk in machine.disks:
        said = machine.check(f"blockdev --getsize64 {disk.path}; lsblk --nodeps --noheadings -o SERIAL {disk.path}")
        assert said.split() == [str(disk.size_bytes), disk.serial]


def test_a_port_of_the_guest_is_reached_on_loopback_only(machine: VirtualMachine) -> None:
    port = machine.forward(7777)
    assert machine.forward(7777) == port
    machine.check("nohup python3 -m http.server 7777 >/dev/null 2>&1 &")
    end = deadline(60)
    while not answers(port):
        assert time.monotonic() < end, "the guest's web server was not reached within 60 s"
        time.sleep(0.2)
    listening = said(["ss", "-Hltn", f"sport = :{port}"]).splitlines()
    assert {line.split()[3] for line in listening} == {f"127.0.0.1:{port}"}
    for address in other_addresses():
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((address, port), timeout=within(10))


def other_addresses() -> set[str]:
    """IPv4 addresses of this host other than 127.0.0.1; all of 127.0.0.0/8 is its own (RFC 1122, 3.2.1.3)."""
    links = json.loads(said(["ip", "-json", "-4", "address"]))
    return {str(one["local"]) for link in links for one in link.get("addr_info", ())} - {"127.0.0.1"} | {"127.0.0.2"}


def said(argv: list[str]) -> str:
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def answers(port: int) -> bool:
    """Whether an HTTP server behind the port answers; a forwarder alone accepts and closes."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=within(10)) as link:
            link.sendall(b"HEAD / HTTP/1.0\r\n\r\n")
            return link.recv(4) == b"HTTP"
    except OSError:
        return False


def test_another_process_finds_the_machine_by_name(machine: VirtualMachine) -> None:
    found = running_machine(machine.name)
    assert guest_boot(found) == guest_boot(machine)
    assert [disk.serial for disk in found.disks] == [disk.serial for disk in machine.disks]


def test_a_second_machine_of_the_name_is_refused_while_the_first_runs(machine: VirtualMachine) -> None:
    with pytest.raises(MachineError, match="already running"):
        MAKERS[machine.kind]("interface").start()
    assert guest_boot(machine)


def test_a_disk_can_be_pulled_and_put_back(machine: VirtualMachine) -> None:
    pulled = machine.disks[-1] if machine.kind == "uml" else machine.disks[0]
    if Capability.PULL not in machine.capabilities:
        with pytest.raises(NotCapable):
            machine.pull(pulled.serial)
        return
    machine.check(f"echo kept | dd of={pulled.path} oflag=direct bs=4096 count=1 conv=sync status=none")
    machine.pull(pulled.serial)
    machine.check(f"for i in $(seq 300); do [ -e {pulled.path} ] || exit 0; sleep 0.1; done; exit 1")
    with pytest.raises(MachineError, match="pulled already"):
        machine.pull(pulled.serial)
    machine.insert(pulled.serial)
    machine.check(f"for i in $(seq 300); do [ -e {pulled.path} ] && exit 0; sleep 0.1; done; exit 1")
    assert machine.check(f"dd if={pulled.path} bs=5 count=1 status=none") == "kept\n"


def test_a_killed_machine_comes_back_with_its_writes_and_its_port(machine: VirtualMachine) -> None:
    before, port, disk = guest_boot(machine), machine.forward(7777), machine.disks[0]
    machine.check(f"echo mine | dd of={disk.path} oflag=direct seek=1 bs=4096 count=1 conv=sync status=none")
    machine.kill()
    with pytest.raises(MachineError, match="is not running"):
        machine.run("true")
    machine.start()
    booted(machine)
    assert guest_boot(machine) != before
    assert machine.check(f"dd if={disk.path} skip=1 bs=4096 count=1 status=none | head -c 4") == "mine"
    assert machine.forward(7777) == port


def test_a_reset_boots_again(machine: VirtualMachine) -> None:
    before = guest_boot(machine)
    machine.reset()
    booted(machine)
    assert guest_boot(machine) != before


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("qemu", marks=[pytest.mark.qemu, pytest.mark.slow]),
        pytest.param("qemu with systemd", marks=[pytest.mark.qemu, pytest.mark.slow]),
        pytest.param("uml", marks=pytest.mark.uml),
        pytest.param("uml with systemd", marks=pytest.mark.uml),
    ],
)
def test_an_orderly_stop_leaves_no_process_and_the_end_no_file(kind: str) -> None:
    with MAKERS[kind]("power-off") as machine:
        machine.start()
        machine.wait_for_shell()
        machine.check("echo written >/var/tmp/mark")
        processes = list(machine.record.processes.values())
        machine.stop()
        assert [group_members(process) for process in processes] == [[] for _ in processes]
        machine.start()
        machine.wait_for_shell()
        assert machine.check("cat /var/tmp/mark") == "written\n"
        folder: Path = machine.folder
    assert not folder.exists()


def guest_processes(kernel: int) -> list[OwnedProcess]:
    """Host processes that are guest processes of a user-mode kernel: its children, or what it traces."""
    signs = [f"\n{word}:\t{kernel}\n" for word in ("PPid", "TracerPid")]
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                reported = (entry / "status").read_text()
                if any(sign in reported for sign in signs):
                    found.append(identify(int(entry.name)))
            except (FileNotFoundError, ProcessLookupError, MachineError):
                continue
    return found


@pytest.mark.uml
def test_no_guest_process_outlives_its_kernel_and_runs_on_the_host() -> None:
    with MAKERS["uml"]("orphans") as machine:
        machine.start()
        machine.wait_for_shell()
        machine.check("for i in $(seq 10); do (while :; do :; done) >/dev/null 2>&1 & done")
        kernel = machine.record.processes[GUEST]
        guests = settled(kernel.pid)
        assert len(guests) > 10
        os.kill(kernel.pid, signal.SIGKILL)
        assert wait_gone(kernel, 10.0)
        end = deadline(30)  # a killed process ends when it is next given a processor
        while left := [guest.pid for guest in guests if is_alive(guest)]:
            assert time.monotonic() < end, f"they run on the host after their kernel ended: {described(left)}"
            time.sleep(0.1)


def settled(kernel: int) -> list[OwnedProcess]:
    """The guest processes that are there now and were a second ago.

    One that began at the moment at which its kernel was killed has been seen to stay, asleep. Only those that take
    processor time on the host do harm.
    """
    earlier = guest_processes(kernel)
    time.sleep(1.0)
    return [one for one in guest_processes(kernel) if one in earlier]


def described(pids: list[int]) -> list[str]:
    """What the host reports about processes, to show why they still exist."""
    said = []
    for pid in pids:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            names = ("Name", "State", "PPid", "TracerPid", "SigPnd", "ShdPnd", "SigBlk", "Seccomp")
            said.append(", ".join(" ".join(line.split()) for line in lines if line.split(":")[0] in names))
    return said


@pytest.mark.uml
def test_user_mode_linux_says_that_it_cannot_cut_power() -> None:
    with pytest.raises(NotCapable, match="power_cut=True"):
        Uml("never-started", product=False).power_cut()
