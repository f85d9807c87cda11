"""Makes the image's user-mode kernel start on this host.

Two obstacles. It wants Debian 13's loader and libc: starting it through `ld.so linux …` puts its heap
where it takes the gap for physical memory, so instead a copy names a *relative* loader (`ld.so`) and is
started with the folder as working directory. And on processors with AMX it needs uml_xstate.c preloaded.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from tests.machines.model import MachineError
from tests.machines.state import cache_root

_LOADER = b"/lib64/ld-linux-x86-64.so.2\0"
_SHIM_SOURCE = Path(__file__).with_name("uml_xstate.c")
_SHIM = "xstate.so"


def with_relative_loader(kernel: bytes) -> bytes:
    """The kernel with `ld.so` of its working directory as loader; refuses one that is not as expected."""
    if kernel.count(_LOADER) != 1:
        raise MachineError("the user-mode kernel does not name the usual loader exactly once: is it another build?")
    return kernel.replace(_LOADER, b"ld.so".ljust(len(_LOADER), b"\0"))


def has_large_state(cpuinfo: str) -> bool:
    """Whether the processor's register state exceeds what UML 6.12 knows (AMX tiles, 8 KiB)."""
    for line in cpuinfo.splitlines():
        if line.startswith("flags"):
            return any(flag.startswith("amx") for flag in line.split())
    return False


def runnable_kernel(kernel: Path) -> Path:
    """A folder from which `./linux` can be started with `kernel_environment`; made once per kernel."""
    digest = hashlib.sha256(kernel.read_bytes() + _SHIM_SOURCE.read_bytes()).hexdigest()[:16]
    folder = cache_root() / f"uml-{digest}"
    if folder.is_dir():
        return folder
    work = folder.with_suffix(f".{os.getpid()}")
    work.mkdir(parents=True)
    try:
        (work / "linux").write_bytes(with_relative_loader(kernel.read_bytes()))
        shutil.copyfile(kernel.with_name("ld-linux-x86-64.so.2"), work / "ld.so")
        shutil.copyfile(kernel.with_name("libc.so.6"), work / "libc.so.6")
        for name in ("linux", "ld.so"):
            (work / name).chmod(0o755)
        if has_large_state(Path("/proc/cpuinfo").read_text()):
            _compile_shim(work / _SHIM)
        try:
            work.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process was faster and made the same
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def kernel_environment(folder: Path, memory_folder: Path) -> dict[str, str]:
    """The environment of `./linux`: its libc, and where the file that is its memory is made."""
    environment = {"LD_LIBRARY_PATH": ".", "TMPDIR": str(memory_folder), "HOME": str(memory_folder)}
    if (folder / _SHIM).exists():
        environment["LD_PRELOAD"] = f"./{_SHIM}"
    return environment


def _compile_shim(target: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise MachineError(
            "this processor has AMX, so user-mode Linux needs a small library compiled: install the package gcc"
        )
    argv = [compiler, "-O2", "-shared", "-fPIC", "-nostdlib", "-o", str(target), str(_SHIM_SOURCE)]
    subprocess.run(argv, check=True)
