"""`make lab` and `make lab-down`."""

from __future__ import annotations

import argparse
import fcntl
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, read_one_time_password, reset_password
from tests.lab.hosts import PATTERN_BLOCKS, lab_hosts
from tests.lab.scene import DISK_BYTES, DRIVES, MIB, Scene, provision
from tests.machines.model import MachineError
from tests.machines.qemu import Qemu
from tests.machines.state import StateFolder, state_root

NAME = "lab"
SEED = 1


class Progress:
    """Lines of progress, each with the seconds since the start."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._began

    def __call__(self, line: str) -> None:
        print(f"[{self.elapsed_s:6.1f} s] {line}", flush=True)


def machine() -> Qemu:
    """The lab's appliance: 8 NVMe and 4 SCSI disks."""
    return Qemu(NAME, nvme=DRIVES, scsi=4, disk_mib=DISK_BYTES // MIB, keep=True)


def up() -> None:
    """Boots, provisions, proves I/O, says how to get in, and stays until Ctrl-C or `make lab-down`.

    Raises SystemExit where a lab runs already.
    """
    with _the_only_one():
        say = Progress()
        down(quietly=True)
        lab = machine()
        say(f"booting the appliance ({lab.accelerator})")
        try:
            _furnish(lab, say)
        except BaseException as error:
            if _was_started(lab) and _is_gone():
                raise SystemExit("the lab was stopped from elsewhere before it was ready") from None
            lab.close(failed=not isinstance(error, KeyboardInterrupt))
            down(quietly=True)
            if isinstance(error, KeyboardInterrupt):
                raise SystemExit("the lab is stopped") from None
            raise
        _stay(lab)


def down(*, quietly: bool = False) -> None:
    """Stops the lab another terminal left, if there is one."""
    lab = machine()
    try:
        lab.attach()
    except MachineError:
        if not quietly:
            print("no lab is running")
        return
    lab.keep = False
    lab.close()
    if not quietly:
        print("the lab is stopped and its disks are removed")


@contextmanager
def _the_only_one() -> Iterator[None]:
    """Held while this process has the lab. SystemExit says where the other one is."""
    state_root().mkdir(parents=True, exist_ok=True)
    with (state_root() / f"{NAME}.up").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(
                f"a lab is running already, {_where()}: use that one, or stop it with `make lab-down`"
            ) from None
        yield


def _where() -> str:
    """The address of the lab that runs, as far as it has one."""
    lab = machine()
    try:
        lab.attach()
    except MachineError:
        return "and is being started or stopped"
    return f"at {lab.api_url}"


def _was_started(lab: Qemu) -> bool:
    """Whether the machine was created at all: an earlier failure has no outside cause."""
    try:
        return bool(lab.record)
    except MachineError:
        return False


def _is_gone() -> bool:
    """Whether another process has stopped the lab and removed its disks."""
    return StateFolder(NAME).read() is None


def _furnish(lab: Qemu, say: Progress) -> None:
    made = Appliance.first_boot(lab, still=lambda: say(f"still booting; the console says: {_last_line(lab)}"))
    say("the API answers; first login with the one-time password from the console")
    scene = provision(made.client, made.disk_ids("nvme"), say)
    _prove(made, scene, say)
    _goodbye(made, scene, say)


def _last_line(lab: Qemu) -> str:
    lines = lab.console_log.read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "nothing yet")


def _prove(made: Appliance, scene: Scene, say: Progress) -> None:
    wait_until("every mapping is served", lambda: all(m["state"] == "open" for m in made.client.list("/mappings")))
    say("all exports are open; starting the four hosts in a guest of their own")
    with lab_hosts("lab-hosts") as hosts:
        verified = hosts.write_and_verify(scene, made.machine, SEED)
    mib = sum(verified.values()) * PATTERN_BLOCKS * 4096 // MIB
    say(f"4 hosts logged in, wrote {mib} MiB, left, came back and verified every block")


def _goodbye(made: Appliance, scene: Scene, say: Progress) -> None:
    status = made.client.get("/status")
    array = made.client.get(f"/arrays/{scene.array}")
    reset_password(made.machine)  # from here on the lab's own token is refused until a user has logged in
    rows = [
        ("array", f"{array['name']}: {array['level']} of {len(array['members'])} NVMe disks, {array['health']}"),
        ("volumes", f"{array['volumes']} of {scene.array}"),
        *((host.name, f"{len(host.volumes)} volumes by {scene.targets[host.name]}") for host in scene.hosts),
        ("health", status["sentence"]),
        ("took", f"{say.elapsed_s:.0f} s"),
        ("web address", made.machine.api_url),
        ("certificate", f"SHA-256 {made.access.endpoint.fingerprint}"),
        ("user", "admin"),
        ("password", f"{read_one_time_password(made.machine)} (one time: it is changed at the first login)"),
    ]
    print()
    for name, text in rows:
        print(f"  {name:<12} {text}")


def _stay(lab: Qemu) -> None:
    print("\nThe lab stays up. Ctrl-C here, or `make lab-down` elsewhere, ends it.", flush=True)
    try:
        with _interruptible():
            while True:
                time.sleep(1)
                lab.check_running()
    except (KeyboardInterrupt, MachineError):
        down(quietly=True)
        print("the lab is stopped")


@contextmanager
def _interruptible() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def main() -> int:
    """Runs one command."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab", description=__doc__)
    parser.add_argument("command", choices=("up", "down"))
    chosen = parser.parse_args()
    if chosen.command == "down":
        down()
    else:
        up()
    return 0


if __name__ == "__main__":
    sys.exit(main())
