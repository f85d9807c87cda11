"""Layer `base`: Debian packages as a tree, and next to it the user-mode Linux kernel for tests.

    base-<key>/root/   the appliance's Debian tree
    base-<key>/uml/    user-mode-linux and tcc, unpacked (not part of the appliance)

The tree is shared by hard links with every image made from it: nothing may write into its files.
"""

import lzma
import os
from pathlib import Path

from .apt import SUITE, Mirrors, configured_mirrors, configured_proxies, packages
from .cache import Cache, content_key
from .problem import ImageProblem
from .progress import run, say, step
from .tree import in_root

TIMEOUT_S = 1500
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
UNWANTED = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*")
KEPT = ("/usr/share/doc/*/copyright", "/usr/share/locale/locale.alias")
# The direct-boot initrd is our own (initrd.py); the one of initramfs-tools takes a minute and 40 MB.
DIVERT_INITRAMFS = 'mkdir -p "$1/etc/initramfs-tools" && echo do_initrd=no > "$1/etc/kernel-img.conf"'
# Stored unpacked: an emulated machine spends seconds on unpacking what every boot or export loads.
PLAIN_MODULES = ("arch", "crypto", "drivers/md", "drivers/net/virtio_net*", "drivers/nvme", "drivers/target", "lib")
UML_SUITE = "forky"
"""Source of the user-mode kernel: since Linux 6.16 it runs its processes under seccomp, twice as fast as tracing each
of their calls. Debian 13's own is used if that suite is not available.
"""
FETCH_UML = (
    f'chroot "$1" sh -ec "mkdir /uml; cd /uml; list=/etc/apt/sources.list.d/uml.list; '
    f"sed -n 's/ {SUITE} / {UML_SUITE} /p' /etc/apt/sources.list > \\$list; "
    "apt-get -qq -o Acquire::Check-Valid-Until=false update || :; "  # a mirror may be out of date
    f"apt-get -qq download tcc; apt-get -qq download user-mode-linux/{UML_SUITE} || "
    "{ rm \\$list; apt-get -qq update; apt-get -qq download user-mode-linux; }; rm -f \\$list; "
    'for deb in *.deb; do dpkg -x \\$deb .; rm \\$deb; done"'
)


def base_key(image: Path) -> str:
    """Key of the base layer: the command that creates it, without this machine's mirrors and directories."""
    command = mmdebstrap_argv(sorted(packages(image)), None, Path("root"))
    return content_key([], *command, *PLAIN_MODULES)


def base_layer(cache: Cache, image: Path) -> Path:
    """The base layer, created with mmdebstrap if the cache has none."""
    return cache.layer("base", base_key(image), lambda work: _build(work, image), keep=2)


def base_identity(base: Path) -> str:
    """What other layers key on: a refreshed base has the same key but other package versions."""
    return content_key([base / "root/var/lib/dpkg/status"], base.name)


def mmdebstrap_argv(wanted: list[str], mirrors: Mirrors | None, root: Path) -> list[str]:
    """The command that makes the Debian tree; without mirrors mmdebstrap uses its own default."""
    argv = ["mmdebstrap", "--mode=root", "--variant=apt", "--format=directory", "--components=main,contrib"]
    argv.append(f"--include={','.join(wanted)}")
    argv.append('--aptopt=Apt::Install-Recommends "false"')
    if KEYRING.is_file():
        argv.append(f"--keyring={KEYRING}")
    argv += [f"--dpkgopt=path-exclude={pattern}" for pattern in UNWANTED]
    argv += [f"--dpkgopt=path-include={pattern}" for pattern in KEPT]
    argv += [f"--essential-hook={DIVERT_INITRAMFS}", f"--customize-hook={FETCH_UML}"]
    return [*argv, SUITE, str(root), *(mirrors.sources() if mirrors else [])]


def unpack_argv(wanted: list[str], component: str, mirrors: Mirrors | None, root: Path, *options: str) -> list[str]:
    """The command that unpacks packages with what they depend on, and installs nothing."""
    argv = ["mmdebstrap", "--mode=root", "--variant=extract", "--format=directory", f"--components={component}"]
    argv += [f"--include={','.join(wanted)}", '--aptopt=Apt::Install-Recommends "false"']
    if KEYRING.is_file():
        argv.append(f"--keyring={KEYRING}")
    return [*argv, *options, SUITE, str(root), *(mirrors.sources(component) if mirrors else [])]


def _build(work: Path, image: Path) -> None:
    mirrors = configured_mirrors()
    if mirrors is None:
        say("apt on this machine names no Debian mirror: using mmdebstrap's default (LUNETTE_MIRROR overrides)")
    root = work / "root"
    argv = mmdebstrap_argv(packages(image), mirrors, root)
    with step("base: Debian packages with mmdebstrap"):
        run(
            argv,
            timeout_s=TIMEOUT_S,
            log=work / "mmdebstrap.log",
            env={**os.environ, **configured_proxies(), "INITRD": "No"},
        )
    (root / "uml").rename(work / "uml")
    _unpack_modules(root)
    for left in (root / "boot").glob("initrd.img*"):
        left.unlink()
    for volatile in ("var/lib/apt/lists", "var/cache/apt", "var/log"):
        for left in (root / volatile).rglob("*"):
            if left.is_file():
                left.unlink()


def _unpack_modules(root: Path) -> None:
    kernel = kernel_version(root)
    folder = root / "usr/lib/modules" / kernel / "kernel"
    for pattern in PLAIN_MODULES:
        for found in folder.glob(pattern):
            for packed in [found] if found.is_file() else sorted(found.rglob("*.ko.xz")):
                packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
                packed.unlink()
    in_root(root, "depmod", kernel)


def kernel_version(root: Path) -> str:
    """Version of the kernel of a tree that has one, as `uname -r` will say it."""
    found = sorted(path.name for path in (root / "usr/lib/modules").iterdir())
    if len(found) != 1:
        raise ImageProblem(f"{root} has modules of {found or 'no kernel'}, expected one: is linux-image-amd64 listed?")
    return found[0]
