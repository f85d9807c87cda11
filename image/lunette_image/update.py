"""Layer `update`: a signed bundle for the other slot of an installed appliance, made of the files of the ISO.

update-<key>/  lunette-<version>-amd64.raucb
               SHA256SUMS

The bundle is RAUC's (verity format), made by the tree's own rauc and mksquashfs: this machine's do not matter.
"""

import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import iso
from .base import base_identity
from .cache import Cache, content_key
from .problem import ImageProblem
from .progress import run, step
from .rootfs import Layers, Sources
from .signing import Signer
from .tree import EPOCH_S, in_root_with_proc, linked_copy

HERE = Path(__file__).resolve().parent
COMPATIBLE = "lunette-x86_64"
"""As in `lunette.domain.updates`; a test compares."""
FILES = ("initrd.img", "root.squashfs", "version", "vmlinuz")
TIMEOUT_S = 1200


@dataclass(frozen=True)
class Spec:
    """Options of a bundle in addition to the tree's own; `empty` contains no system, so it can only be refused."""

    version: str | None = None
    compatible: str = COMPATIBLE
    overlay: Path | None = None
    empty: bool = False


def build_update(cache: Cache, sources: Sources, signer: Signer, spec: Spec) -> dict[str, Any]:
    """Builds the bundle if it does not exist yet; returns its path. Raises ImageProblem without product or key."""
    version = spec.version or iso.version_of(sources)
    if signer.key is None:
        raise ImageProblem("a bundle is signed: name the key with --key")
    layers = iso.layers_of(cache, sources)
    files = {} if spec.empty else _files(cache, sources, layers, signer, spec.overlay)
    words = (*(file.parent.name for file in files.values()), version, spec.compatible)
    key = content_key([HERE / "update.py", signer.certificate], base_identity(layers.base), *words)
    name = f"lunette-{version}-amd64.raucb"
    text = manifest(version, spec.compatible)
    folder = cache.layer("update", key, lambda work: _build(work, name, files, text, layers, signer), keep=6)
    return {"update": str(folder / name), "checksums": str(folder / "SHA256SUMS"), "version": version}


def _files(cache: Cache, sources: Sources, layers: Layers, signer: Signer, overlay: Path | None) -> dict[str, Path]:
    live = iso.live_layer(cache, sources, layers, signer, overlay.resolve() if overlay else None)
    boot = iso.boot_layer(cache, sources.image, layers.base)
    return {"root.squashfs": live / "root.squashfs", **{one: boot / one for one in ("vmlinuz", "initrd.img")}}


def manifest(version: str, compatible: str = COMPATIBLE) -> str:
    """RAUC's manifest of the bundle; sizes and digests are RAUC's own work."""
    return (
        f"[update]\ncompatible={compatible}\nversion={version}\n[bundle]\nformat=verity\n"
        "[image.system]\nfilename=system.tar\n"
    )


def pack(target: Path, files: dict[str, Path], version: str) -> None:
    """The content of a slot: the files of the ISO below live/, with neutral times and owners."""
    (target.parent / "version").write_text(f"{version}\n")
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as packed:
        folder = tarfile.TarInfo("live")
        folder.type, folder.mode, folder.mtime = tarfile.DIRTYPE, 0o755, EPOCH_S
        packed.addfile(folder)
        for name, file in sorted({**files, "version": target.parent / "version"}.items()):
            entry = tarfile.TarInfo(f"live/{name}")
            entry.size, entry.mode, entry.mtime = file.stat().st_size, 0o644, EPOCH_S
            with file.open("rb") as opened:
                packed.addfile(entry, opened)
    (target.parent / "version").unlink()


def _build(work: Path, name: str, files: dict[str, Path], text: str, layers: Layers, signer: Signer) -> None:
    root = work / "root"
    with step("update: packing kernel, initrd and tree"):
        linked_copy(layers.base / "root", root)
        inside = root / "bundle"
        (inside / "content").mkdir(parents=True)
        (version,) = (line.removeprefix("version=") for line in text.splitlines() if line.startswith("version="))
        pack(inside / "content/system.tar", files, version)
        (inside / "content/manifest.raucm").write_text(text)
        sign(root, signer, name)
        shutil.move(inside / name, work / name)
    run(["rm", "-rf", "--one-file-system", str(root)], timeout_s=300)
    (work / "SHA256SUMS").write_text(iso.checksums(work))


def sign(root: Path, signer: Signer, name: str) -> None:
    """Creates /bundle/NAME from /bundle/content inside the tree. The key is there only while it is needed."""
    inside = root / "bundle"
    if signer.key is None:
        raise ImageProblem("a bundle is signed: name the key with --key")
    try:
        shutil.copyfile(signer.certificate, inside / "cert.pem")
        (inside / "key.pem").touch(mode=0o600)
        shutil.copyfile(signer.key, inside / "key.pem")
        argv = ["rauc", "bundle", "--cert=/bundle/cert.pem", "--key=/bundle/key.pem"]
        # The content is compressed already.
        argv += ["--mksquashfs-args=-noI -noD -noF -noX", "/bundle/content", f"/bundle/{name}"]
        in_root_with_proc(root, *argv, timeout_s=TIMEOUT_S)
    finally:
        (inside / "key.pem").unlink(missing_ok=True)
