"""Layers `live`, `start` and `iso`: the appliance on a hybrid ISO, which BIOS and UEFI start from a disc and from a
stick alike.

live-<key>/  root.squashfs, bill.json
start-<key>/ vmlinuz, initrd.img   (of any hardware)
iso-<key>/   lunette-<version>-amd64.iso
             lunette-<version>-amd64.spdx.json   what is on it
             SHA256SUMS

Nothing is mounted to make it: squashfs, FAT and ISO 9660 are written by programs. The same layers give the same bytes:
every time stamp is the same, every identifier comes from the key, and files are written in the order of their names.
"""

import hashlib
import os
import shutil
import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import firmware, product, sbom, spdk
from .base import base_identity, kernel_version
from .cache import Cache, content_key
from .initrd import make_hardware_initrd, program_files
from .problem import ImageProblem
from .progress import run, say, step
from .rootfs import HERE, Layers, Sources, compose, composed_key, layers_below
from .signing import Signer
from .tree import EPOCH_S, in_root, linked_copy, write_file

TIMEOUT_S = 1200
EFI_MIB = 4
"""Size of the FAT file system that UEFI starts GRUB from."""
MDADM = "/usr/sbin/mdadm"
"""In the initrd: it starts a mirror of system disks, from which everything else is read."""
REPRODUCIBLE = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH_S), "TZ": "UTC"}
"""Environment of programs that would otherwise write the current time."""
GPT_EFI = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"
GRUB_FOLDER = "usr/lib/grub"
GRUB_MODULES = (
    *("configfile", "echo", "halt", "iso9660", "linux", "normal", "part_gpt", "part_msdos", "reboot"),
    *("search", "search_fs_uuid", "search_label", "serial", "sleep", "terminal", "test"),
)
GRUB_IMAGES = {
    "eltorito.img": ("i386-pc-eltorito", ("biosdisk",)),
    "BOOTX64.EFI": ("x86_64-efi", ("all_video", "efi_gop", "fat")),
}
"""Name -> GRUB's target and what only that target needs."""


@dataclass(frozen=True)
class Disc:
    """Name of one ISO; its version follows from the key."""

    key: str
    name: str
    """Stem of the files."""

    @property
    def version(self) -> str:
        """The product's version, also shown by a slot."""
        return self.name.removeprefix("lunette-").removesuffix("-amd64")

    @property
    def label(self) -> str:
        """Label of the ISO's file system, by which its own GRUB and initrd find it among all drives."""
        return f"LUNETTE_{self.key.upper()}"

    def identifier(self, of: str) -> str:
        """The UUID of this ISO."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"lunette:iso:{self.key}:{of}"))


def build_iso(cache: Cache, sources: Sources, signer: Signer) -> dict[str, Any]:
    """Builds the ISO if it does not exist yet; returns its paths. Raises ImageProblem without the product.

    It trusts the updates of the signer.
    """
    version = version_of(sources)
    layers = layers_of(cache, sources)
    if layers.zfs is None:
        say("iso: without ZFS, whose modules are not compiled for this kernel yet: `image/build zfs` makes them")
    name = f"lunette-{version}-amd64"
    live = live_layer(cache, sources, layers, signer)
    boot = boot_layer(cache, sources.image, layers.base)
    disc = Disc(iso_key(sources.image, layers.base, live), name)
    made = (sources.image, layers.base, live, boot)
    folder = cache.layer("iso", disc.key, lambda work: _build(work, disc, *made), keep=2)
    return {
        "iso": str(folder / f"{disc.name}.iso"),
        "sbom": str(folder / f"{disc.name}.spdx.json"),
        "checksums": str(folder / "SHA256SUMS"),
        "label": disc.label,
        "tree": str(layers.base / "root"),
        "zfs": layers.zfs is not None,
    }


def layers_of(cache: Cache, sources: Sources) -> Layers:
    """The layers of bootable systems: those of every image, and firmware."""
    layers = layers_below(cache, sources)
    return replace(layers, firmware=firmware.firmware_layer(cache, sources.image)) if sources.firmware else layers


def version_of(sources: Sources) -> str:
    """The version of the product. Raises ImageProblem without it."""
    if sources.backend is None:
        raise ImageProblem("an ISO or update needs the product: omit --without-product and --bare")
    return product.read_distribution(sources.backend).version


def live_layer(cache: Cache, sources: Sources, layers: Layers, signer: Signer, more: Path | None = None) -> Path:
    """The compressed tree; `more` is a directory copied over it."""
    key = content_key([more] if more else [], live_key(sources, layers, signer))
    return cache.layer("live", key, lambda work: _build_live(work, sources, layers, signer, more), keep=3)


def live_key(sources: Sources, layers: Layers, signer: Signer) -> str:
    """Key of the compressed tree."""
    inputs = [HERE / "sbom.py", HERE / "signing.py", live_tree(sources), *signer.inputs]
    words = [*squashfs_argv(Path("a"), Path("b")), str(signer.development)]
    if layers.firmware is not None:
        inputs.append(HERE / "firmware.py")
        words.append(firmware.identity(layers.firmware))
    if sources.spdk is not None:
        names = spdk.staged(sources.spdk)
        inputs += [HERE / "spdk.py", *(sources.spdk / name for name in names)]
        words += [*names, spdk.version(sources.spdk)]
    return composed_key(sources, layers, inputs, *words)


def boot_layer(cache: Cache, image: Path, base: Path) -> Path:
    """Kernel and initrd, the same on the ISO and in a slot."""
    key = content_key([HERE / "iso.py", HERE / "initrd.py", image / "initrd"], base_identity(base))
    return cache.layer("start", key, lambda work: _build_boot(work, image, base), keep=2)


def iso_key(image: Path, base: Path, live: Path) -> str:
    """Key of the ISO: the tree, and what is wrapped around it."""
    inputs = [HERE / "iso.py", HERE / "initrd.py", image / "initrd", image / "iso/grub.cfg", image / "iso/early.cfg"]
    return content_key(inputs, base_identity(base), live.name)


def live_tree(sources: Sources) -> Path:
    """The parts of a system on the ISO or in a slot that test systems lack: consoles, installer, trial."""
    return sources.image / "live"


def _build_live(work: Path, sources: Sources, layers: Layers, signer: Signer, more: Path | None) -> None:
    root = work / "root"
    with step("iso: composing the layers"):
        linked_copy(layers.base / "root", root)
        compose(root, sources, layers, [*sources.overlays(), live_tree(sources), *([more] if more else [])])
        signer.add_to(root)
        if layers.firmware is not None:
            firmware.add(root, layers.firmware)
        if sources.spdk is not None:
            spdk.add(root, sources.spdk)
    name = f"lunette-{version_of(sources)}-amd64"
    (work / "bill.json").write_text(sbom.document(root, sources, layers, name, EPOCH_S))
    with step("iso: compressing the tree"):
        run(squashfs_argv(root, work / "root.squashfs"), timeout_s=TIMEOUT_S)
    shutil.rmtree(root)


def _build_boot(work: Path, image: Path, base: Path) -> None:
    root = work / "root"
    kernel = kernel_version(base / "root")
    with step("iso: kernel, and an initrd for any hardware"):
        linked_copy(base / "root", root)
        shutil.copyfile(root / "boot" / f"vmlinuz-{kernel}", work / "vmlinuz")
        in_root(root, "ldd", MDADM, log=work / "mdadm.libraries")
        loaded = program_files(MDADM, (work / "mdadm.libraries").read_text())
        (work / "mdadm.libraries").unlink()
        programs = {name: root / file for name, file in loaded.items()}
        (work / "initrd.img").write_bytes(make_hardware_initrd(root, kernel, image / "initrd/init-any", programs))
    shutil.rmtree(root)


def _build(work: Path, disc: Disc, image: Path, base: Path, live: Path, boot: Path) -> None:
    root, content = work / "root", work / "content"
    for folder in ("boot/grub", "live"):
        (content / folder).mkdir(parents=True)
    linked_copy(base / "root", root)
    with step("iso: GRUB for both firmwares"):
        _make_grub(root, image / "iso", disc, work)
        shutil.move(work / "eltorito.img", content / "boot/grub/eltorito.img")
        menu = (image / "iso/grub.cfg").read_text().replace("@LABEL@", disc.label)
        write_file(content / "boot/grub/grub.cfg", menu)
        make_efi(work / "BOOTX64.EFI", work / "efi.img", disc)
    with step("iso: writing the ISO"):
        (content / "live/root.squashfs").hardlink_to(live / "root.squashfs")
        for name in ("vmlinuz", "initrd.img"):
            (content / "live" / name).hardlink_to(boot / name)
        write_file(content / "live/version", f"{disc.version}\n")
        for target in (content, work):
            shutil.copyfile(live / "bill.json", target / f"{disc.name}.spdx.json")
        write(work, content, disc)
    for left in (root, content):
        shutil.rmtree(left)
    for name in ("BOOTX64.EFI", "efi.img", "boot_hybrid.img"):
        (work / name).unlink()
    (work / "SHA256SUMS").write_text(checksums(work))


def squashfs_argv(root: Path, target: Path) -> list[str]:
    """The command that packs the tree; zstd because it unpacks fast on slow machines, such as an emulated one."""
    argv = ["mksquashfs", str(root), str(target), "-noappend", "-no-progress", "-quiet"]
    argv += ["-comp", "zstd", "-Xcompression-level", "3", "-b", "128K"]
    return [*argv, "-mkfs-time", str(EPOCH_S), "-all-time", str(EPOCH_S)]


def write(work: Path, content: Path, disc: Disc) -> None:
    """Wraps the folder `content`, with the images for the firmwares next to it in `work`."""
    for path in [content, *content.rglob("*")]:
        os.utime(path, (EPOCH_S, EPOCH_S), follow_symlinks=False)
    run(xorriso_argv(work, content, disc), timeout_s=TIMEOUT_S, env=REPRODUCIBLE)


def xorriso_argv(work: Path, content: Path, disc: Disc) -> list[str]:
    """The command that writes the ISO: El Torito for discs, an MBR and a GPT with an EFI partition for sticks."""
    return [
        *("xorriso", "-as", "mkisofs", "-o", str(work / f"{disc.name}.iso")),
        *("-quiet", "-iso-level", "3", "-rock", "-volid", disc.label, "-appid", disc.name, "-publisher", "Lunette"),
        *("--grub2-mbr", str(work / "boot_hybrid.img"), "--protective-msdos-label", "--mbr-force-bootable"),
        *("-partition_offset", "16", "--gpt_disk_guid", disc.identifier("gpt").replace("-", "")),
        *("-append_partition", "2", GPT_EFI, str(work / "efi.img"), "-appended_part_as_gpt"),
        *("-c", "/boot/boot.catalog", "-b", "/boot/grub/eltorito.img", "-no-emul-boot"),
        *("-boot-load-size", "4", "-boot-info-table", "--grub2-boot-info"),
        *("-eltorito-alt-boot", "-e", "--interval:appended_partition_2:all::", "-no-emul-boot"),
        str(content),
    ]


def checksums(folder: Path) -> str:
    """Lines for `sha256sum --check` of every file in the folder."""
    lines = []
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        with file.open("rb") as opened:
            lines.append(f"{hashlib.file_digest(opened, 'sha256').hexdigest()}  {file.name}\n")
    return "".join(lines)


def _make_grub(root: Path, recipes: Path, disc: Disc, work: Path) -> None:
    """GRUB's images, made by the appliance's own GRUB so that this machine's version does not matter.

    early.cfg, in both, finds this ISO whatever the firmware calls the drive. Its parser knows no comments.
    """
    inside = root / "grub-images"
    write_file(inside / "early.cfg", (recipes / "early.cfg").read_text().replace("@LABEL@", disc.label))
    for name, (target, more) in GRUB_IMAGES.items():
        argv = ["grub-mkimage", "-O", target, "-p", "/boot/grub", "-c", "/grub-images/early.cfg"]
        in_root(root, *argv, "-o", f"/grub-images/{name}", *GRUB_MODULES, *more)
        shutil.move(inside / name, work / name)
    shutil.copyfile(root / GRUB_FOLDER / "i386-pc/boot_hybrid.img", work / "boot_hybrid.img")
    shutil.rmtree(inside)


def make_efi(program: Path, image: Path, disc: Disc) -> None:
    """A FAT file system with the one program that UEFI looks for on removable media, written without mounting."""
    os.utime(program, (EPOCH_S, EPOCH_S))
    serial = disc.identifier("efi")[:8]
    with image.open("wb") as made:
        made.truncate(EFI_MIB << 20)
    at = ("-i", str(image))
    for argv in (
        ("mformat", *at, "-v", "LUNETTE_EFI", "-N", serial, "::"),
        ("mmd", *at, "::/EFI", "::/EFI/BOOT"),
        ("mcopy", "-m", *at, str(program), "::/EFI/BOOT/BOOTX64.EFI"),
    ):
        run(argv, timeout_s=60, env=REPRODUCIBLE)
