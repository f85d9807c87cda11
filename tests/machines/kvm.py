"""Is KVM usable here? Asked by booting the real kernel under it, once per boot of this machine.

/dev/kvm may exist, open and answer its version and still not run a stock kernel (a hypervisor below
that hides or breaks a feature), so only a kernel that reached its own end of start-up counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from tests.machines.pace import deadline
from tests.machines.state import cache_root

_DEADLINE_S = 15.0
_GAVE_UP = b"KVM internal error"
_REACHED = b"VFS: "
"""The kernel gets no root file system, so the last thing it says is that it cannot mount one."""


@dataclass(frozen=True)
class KvmVerdict:
    """Whether QEMU can use KVM, why, and how long finding out took."""

    usable: bool
    reason: str
    probe_s: float
    boot_id: str
    kernel: str


def reached_user_space(console: bytes) -> bool:
    """Whether the kernel's messages show a complete start-up."""
    return _REACHED in console and b"Kernel panic" in console


def kvm_verdict(qemu: str, kernel: Path) -> KvmVerdict:
    """The remembered verdict for this boot of the machine and this kernel, or a fresh one."""
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    known_kernel = f"{kernel.name} {kernel.stat().st_size}"
    memory = cache_root() / "kvm.json"
    try:
        known = KvmVerdict(**json.loads(memory.read_text()))
        if (known.boot_id, known.kernel) == (boot_id, known_kernel):
            return known
    except (OSError, ValueError, TypeError):
        pass  # nothing remembered, or remembered by an older version
    began = time.monotonic()
    usable, reason = _probe(qemu, kernel)
    verdict = KvmVerdict(usable, reason, round(time.monotonic() - began, 2), boot_id, known_kernel)
    memory.parent.mkdir(parents=True, exist_ok=True)
    fresh = memory.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(asdict(verdict)))
    fresh.replace(memory)
    return verdict


def _probe(qemu: str, kernel: Path) -> tuple[bool, str]:
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False, "/dev/kvm is missing or may not be opened"
    argv = [qemu, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
    argv += ["-machine", "q35", "-accel", "kvm", "-cpu", "host", "-m", "512", "-serial", "stdio"]
    argv += ["-kernel", str(kernel), "-append", "console=ttyS0 panic=-1"]
    with tempfile.TemporaryFile() as console:
        guest = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT)
        try:
            return _watch(guest, console)
        finally:
            guest.kill()
            guest.wait()


def _watch(guest: subprocess.Popen[bytes], console: IO[bytes]) -> tuple[bool, str]:
    """Until the kernel is through, QEMU reports that KVM gave up, or the deadline passes."""
    end = deadline(_DEADLINE_S)
    while True:
        ended = guest.poll() is not None
        said = os.pread(console.fileno(), 1 << 20, 0)
        if reached_user_space(said):
            return True, "a guest booted its kernel under KVM"
        if _GAVE_UP in said:
            return False, "KVM cannot run a stock kernel here: " + said[said.index(_GAVE_UP) :].split(b"\n")[0].decode()
        if ended or time.monotonic() > end:
            tail = said.decode(errors="replace").strip()[-200:] or "nothing"
            return False, f"no kernel got through its start-up under KVM within {_DEADLINE_S:.0f} s; it said {tail!r}"
        time.sleep(0.05)
