"""Layer `bundle`: what the role `appliance` of the Ansible collection installs on a plain Debian server.

bundle-<key>/   manifest.json    the release's name, Debian packages, units, folders: the image's own lists
                release.tar.gz   becomes /usr/lib/lunette/<release>; /opt/lunette points there
                system.tar.gz    image/server: units, udev rules, settings, from the root folder on
"""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

from . import product, venv
from .apt import SUITE, ZFS_MODULES, parse_packages
from .base import base_identity, base_layer
from .cache import Cache, content_key, files_under
from .problem import ImageProblem
from .progress import run, step
from .rootfs import Sources
from .tree import EPOCH_S, linked_copy

HERE = Path(__file__).resolve().parent
DEBIAN = {"trixie": "13"}
PRESET = "usr/lib/systemd/system-preset/00-lunette.preset"


def bundle_layer(cache: Cache, sources: Sources) -> Path:
    """The folder of the bundle. Raises ImageProblem without the product."""
    if sources.backend is None:
        raise ImageProblem("a bundle without the product is empty: omit --without-product and --bare")
    base = base_layer(cache, sources.image)
    packages = venv.venv_layer(cache, base, sources.backend / "requirements.lock", sources.uv)
    inputs = [HERE / name for name in ("bundle.py", "product.py", "tree.py")]
    inputs += [sources.image / "server", sources.image / "packages.txt"]
    inputs += [sources.backend / "src", sources.backend / "pyproject.toml", *([sources.ui] if sources.ui else [])]
    key = content_key(inputs, base_identity(base), packages.name, "ui" if sources.ui else "no ui")
    backend, release = sources.backend, f"{product.read_distribution(sources.backend).version}-{key}"

    def build(work: Path) -> None:
        with step("bundle: composing the release"):
            root = work / "root"
            linked_copy(base / "root", root)
            product.add_venv(root, packages / "site-packages")
            product.add_product(root, backend, sources.ui)
            _pack(root / product.HOME, work / "release.tar.gz")
            run(["rm", "-rf", "--one-file-system", str(root)], timeout_s=300)
        _pack_files(sources.image / "server", work / "system.tar.gz")
        (work / "manifest.json").write_text(json.dumps(manifest(sources.image, release), indent=2) + "\n")

    return cache.layer("bundle", key, build)


def manifest(image: Path, release: str) -> dict[str, Any]:
    """Manifest for the role. Debian's version is the one whose packages the image uses."""
    sections = parse_packages((image / "packages.txt").read_text())
    server = image / "server"
    return {
        "release": release,
        "debian": DEBIAN[SUITE],
        "architecture": "x86_64",
        "packages": sections["server"],
        "zfs_packages": sections["zfs"] + sections[ZFS_MODULES],
        "units": enabled_units((server / PRESET).read_text()),
        "folders": [f"/{name}" for name in product.FOLDERS],
        "kept": [f"/{name}" for name in product.KEPT],
        "files": [f"/{path.relative_to(server)}" for path in files_under(server)],
        "alone": [f"/{path.relative_to(server)}" for path in files_under(server) if is_for_one_alone(path, server)],
    }


def is_for_one_alone(path: Path, server: Path) -> bool:
    """True for files that keep other software from starting storage, or change how the server behaves: masked units,
    and settings of md, LVM, udev, modules and the network. They are omitted if other software serves hosts already.
    """
    name = path.relative_to(server)
    of_all = {"modprobe.d", "sysctl.d"} & set(name.parts)
    return bool(of_all) or (name.parts[0] == "etc" and "lunette" not in name.name)


def enabled_units(preset: str) -> list[str]:
    """Units that a preset file enables."""
    return [line.split()[1] for line in preset.splitlines() if line.startswith("enable ")]


def _pack(folder: Path, archive: Path) -> None:
    argv = ["tar", "--create", "--sort=name", f"--mtime=@{EPOCH_S}", "--owner=0", "--group=0", "--numeric-owner"]
    argv += ["--use-compress-program=gzip -1 --no-name", f"--file={archive}", f"--directory={folder}", "."]
    run(argv, timeout_s=300)


def _pack_files(folder: Path, archive: Path) -> None:
    """Only files and links: their directories belong to the server and keep their permissions."""
    with tarfile.open(archive, "w:gz") as packed:
        for path in files_under(folder):
            entry = tarfile.TarInfo(str(path.relative_to(folder)))
            entry.mtime = EPOCH_S
            if path.is_symlink():
                entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, str(path.readlink()), 0o777
                packed.addfile(entry)
                continue
            content = path.read_bytes()
            entry.size, entry.mode = len(content), 0o755 if path.stat().st_mode & 0o100 else 0o644
            packed.addfile(entry, io.BytesIO(content))
