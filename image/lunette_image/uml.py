"""User-mode Linux for the test machines: the kernel, the loader it needs, its modules.

The kernel is an ordinary program that needs Debian 13's libc. Its copy here names that libc's own
loader, so it runs on older hosts. Starting it as an argument of the loader does not work: it places
the guest's memory after its own heap, which would then be the loader's. `xstate.c` says what else it
needs on new processors.

`LUNETTE_UML_KERNEL` chooses the kernel: `testing`, which is next to the base, or `stable`, that of Debian 13.
"""

import os
import shutil
import struct
from pathlib import Path

from .cache import Cache, content_key
from .problem import ImageProblem
from .progress import run
from .stable_uml import stable_layer

ENVIRONMENT = "LUNETTE_UML_KERNEL"
PROGRAM = "usr/bin/linux.uml"
MODULES = "usr/lib/uml/modules"
PT_INTERP = 3
SHIM = "xstate.so"
LIBRARIES = ("ld-linux-x86-64.so.2", "libc.so.6")
LIBRARY_FOLDER = "usr/lib/x86_64-linux-gnu"
# What a storage target may need; the rest (sound, file systems, network filters) is 100 MB.
MODULE_FOLDERS = (
    "block",
    "crypto",
    "drivers",
    "fs/autofs",
    "fs/configfs",
    "fs/fuse",
    "fs/overlayfs",
    "fs/xfs",
    "kernel",
    "lib",
    "mm",
    "net/802",
    "net/8021q",
    "net/core",
    "net/ipv4",
    "net/ipv6",
    "net/llc",
    "net/packet",
    "net/unix",
    "security",
)


def chosen_kernel(cache: Cache, base: Path) -> Path:
    """The folder of the user-mode kernel that was chosen, as its package fills it."""
    chosen = os.environ.get(ENVIRONMENT) or "testing"
    if chosen not in ("testing", "stable"):
        raise ImageProblem(f"{ENVIRONMENT} is {chosen!r}: it can be `testing` or `stable`")
    return (base if chosen == "testing" else stable_layer(cache)) / "uml"


def kernel_identity(kernel: Path) -> str:
    """What other layers key on."""
    return content_key([kernel / PROGRAM], module_version(kernel))


def module_version(kernel: Path) -> str:
    """Version of the user-mode kernel, the name of its module folder."""
    folders = sorted((kernel / MODULES).iterdir())
    if len(folders) != 1:
        raise ImageProblem(f"expected one module folder of user-mode-linux, found {[path.name for path in folders]}")
    return folders[0].name


def add_modules(kernel: Path, root: Path) -> str:
    """Links the modules into a tree; returns the version to run depmod for."""
    version = module_version(kernel)
    source = kernel / MODULES / version
    target = root / "usr/lib/modules" / version
    for name in MODULE_FOLDERS:
        folder = source / "kernel" / name
        if folder.is_dir():
            shutil.copytree(folder, target / "kernel" / name, copy_function=_link)
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        if (source / name).is_file():
            _link(str(source / name), str(target / name))
    return version


def with_interpreter(program: bytes, loader: str) -> bytes:
    """A 64-bit ELF program with another loader.

    The path is appended to the file and the program header points there; the mapped memory stays as it is.
    """
    (table,) = struct.unpack_from("<Q", program, 32)
    entry_size, entries = struct.unpack_from("<HH", program, 54)
    for place in range(table, table + entry_size * entries, entry_size):
        (kind,) = struct.unpack_from("<I", program, place)
        if kind == PT_INTERP:
            path = loader.encode() + b"\0"
            changed = bytearray(program + path)
            struct.pack_into("<Q", changed, place + 8, len(program))
            struct.pack_into("<Q", changed, place + 32, len(path))
            return bytes(changed)
    raise ImageProblem("the user-mode kernel is not a dynamic program any more: start it without a loader")


def make_runtime(base: Path, kernel: Path, shim: Path, folder: Path, final: Path) -> None:
    """Puts the kernel and its files into `folder`, from where it starts after a rename to `final`."""
    for name in LIBRARIES:
        shutil.copy2(base / "root" / LIBRARY_FOLDER / name, folder / name)
    program = (kernel / PROGRAM).read_bytes()
    (folder / "linux").write_bytes(with_interpreter(program, str(final / LIBRARIES[0])))
    (folder / "linux").chmod(0o755)
    loader = (str(folder / LIBRARIES[0]), "--library-path", str(folder))
    compiler = (str(base / "uml/usr/bin/tcc"), "-nostdlib", "-nostdinc", "-shared")
    run([*loader, *compiler, "-o", str(folder / SHIM), str(shim)], timeout_s=60, log=folder / "tcc.log")


def command(folder: Path) -> list[str]:
    """The start of the command line of a user-mode kernel; its own arguments follow."""
    return ["env", f"LD_LIBRARY_PATH={folder}", f"LD_PRELOAD={folder / SHIM}", str(folder / "linux")]


def _link(source: str, target: str) -> None:
    Path(target).hardlink_to(source)
