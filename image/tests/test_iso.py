"""The ISO: its names follow from its key, and what both firmwares need is asked of the programs that write it."""

import hashlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from lunette_image import iso, sbom
from lunette_image.cache import Cache
from lunette_image.iso import Disc
from lunette_image.problem import ImageProblem
from lunette_image.rootfs import Layers, Sources
from lunette_image.signing import Signer
from lunette_image.tree import EPOCH_S
from lunette_image.venv import SITE

DISC = Disc("0123456789abcdef", "lunette-1.2.3-amd64")
MISSING = "squashfs-tools, xorriso or mtools is missing: run `make deps`"
IMAGE = Path(__file__).resolve().parents[1]

SIGNER = Signer(Path("cert.pem"), None, Path("cert.pem"), development=True)


def test_names_and_identifiers_belong_to_one_key() -> None:
    other = Disc("f" * 16, "lunette-1.2.3-amd64")
    assert DISC.label == "LUNETTE_0123456789ABCDEF"
    assert len(DISC.label) <= 32
    assert DISC.identifier("gpt") == Disc(DISC.key, "other").identifier("gpt")
    assert len({DISC.identifier("gpt"), DISC.identifier("efi"), other.identifier("gpt")}) == 3


def test_the_menu_and_the_first_stage_search_for_this_iso_and_no_other() -> None:
    for name in ("grub.cfg", "early.cfg"):
        text = (IMAGE / "iso" / name).read_text()
        assert "@LABEL@" in text
        assert "LUNETTE_" not in text
    menu = (IMAGE / "iso/grub.cfg").read_text()
    assert menu.count("lunette.live=@LABEL@") == menu.count("    linux ")
    assert "set default=live" in menu
    # The parser of the first stage knows no comments: an apostrophe in one takes all that follows for a word.
    assert not set((IMAGE / "iso/early.cfg").read_text()) & set("#'\"")


def test_the_iso_starts_by_both_firmwares_from_disc_and_stick() -> None:
    argv = iso.xorriso_argv(Path("/w"), Path("/w/content"), DISC)
    assert argv[argv.index("-b") + 1] == "/boot/grub/eltorito.img"
    assert argv[argv.index("-e") + 1] == "--interval:appended_partition_2:all::"
    assert argv[argv.index("--grub2-mbr") + 1] == "/w/boot_hybrid.img"
    assert argv[argv.index("-append_partition") + 1 :][:3] == ["2", iso.GPT_EFI, "/w/efi.img"]
    assert argv[argv.index("-volid") + 1] == DISC.label


def test_no_time_of_the_build_gets_into_the_tree() -> None:
    argv = iso.squashfs_argv(Path("/w/root"), Path("/w/root.squashfs"))
    assert [argv[argv.index(option) + 1] for option in ("-mkfs-time", "-all-time")] == [str(EPOCH_S)] * 2


@pytest.mark.skipif(any(shutil.which(name) is None for name in ("mksquashfs", "xorriso", "mformat")), reason=MISSING)
def test_the_same_content_makes_the_same_bytes_whenever_it_is_written(tmp_path: Path) -> None:
    made = [write_small_iso(tmp_path / name, age_s) for name, age_s in (("one", 5), ("two", 500_000))]
    assert made[0].read_bytes() == made[1].read_bytes()
    label = made[0].read_bytes()[0x8028 : 0x8028 + 32].decode().strip()
    assert label == DISC.label


def write_small_iso(work: Path, age_s: int) -> Path:
    """The ISO of a tree with two files, which were written `age_s` ago."""
    (work / "root/etc").mkdir(parents=True)
    (work / "content/live").mkdir(parents=True)
    (work / "content/boot/grub").mkdir(parents=True)
    files = {"root/etc/hostname": b"a", "root/init": b"b", "BOOTX64.EFI": b"MZ", "boot_hybrid.img": bytes(512)}
    for name, content in {**files, "content/boot/grub/eltorito.img": bytes(8192)}.items():
        (work / name).write_bytes(content)
        os.utime(work / name, (time.time() - age_s,) * 2)
    subprocess.run(iso.squashfs_argv(work / "root", work / "content/live/root.squashfs"), check=True)
    iso.make_efi(work / "BOOTX64.EFI", work / "efi.img", DISC)
    iso.write(work, work / "content", DISC)
    return work / f"{DISC.name}.iso"


def test_checksums_are_those_that_sha256sum_checks(tmp_path: Path) -> None:
    (tmp_path / "b.iso").write_bytes(b"b")
    (tmp_path / "a.json").write_bytes(b"a")
    expected = [f"{hashlib.sha256(name).hexdigest()}  {name.decode()}" for name in (b"a", b"b")]
    assert [line.split(".")[0] for line in iso.checksums(tmp_path).splitlines()] == expected


def test_an_iso_without_the_product_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImageProblem, match="--without-product"):
        iso.build_iso(Cache(tmp_path), Sources(IMAGE, None, None), SIGNER)


def test_the_bill_names_what_is_installed_and_only_that(tmp_path: Path) -> None:
    root, front = tmp_path / "root", tmp_path / "frontend"
    (root / "var/lib/dpkg").mkdir(parents=True)
    (root / "var/lib/dpkg/status").write_text(
        "Package: mdadm\nStatus: install ok installed\nArchitecture: amd64\nVersion: 4.4-11\nMaintainer: A <a@b>\n"
        "Description: x\n more\n\nPackage: gone\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 1\n"
    )
    info = root / SITE / "fastapi-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: FastAPI\nVersion: 0.1\nLicense-Expression: MIT\n\nText\n"
    )
    front.mkdir()
    lock = {
        "": {"version": "1"},
        "node_modules/vue": {"version": "3.5.0", "license": "MIT"},
        "node_modules/vitest": {"version": "4.0.0", "dev": True},
    }
    (front / "package-lock.json").write_text(json.dumps({"packages": lock}))
    sources = Sources(IMAGE, tmp_path / "backend", tmp_path / "dist")
    layers = Layers(tmp_path / "base-1", zfs=tmp_path / "zfs-2")
    text = sbom.document(root, sources, layers, DISC.name, EPOCH_S)
    assert text == sbom.document(root, sources, layers, DISC.name, EPOCH_S)
    made = json.loads(text)
    assert made["spdxVersion"] == "SPDX-2.3"
    assert made["creationInfo"]["created"] == "2026-01-01T00:00:00Z"
    urls = {one["externalRefs"][0]["referenceLocator"] for one in made["packages"] if "externalRefs" in one}
    assert urls == {
        "pkg:deb/debian/mdadm@4.4-11?arch=amd64&distro=trixie",
        "pkg:pypi/fastapi@0.1",
        "pkg:npm/vue@3.5.0",
    }
    named = {one["SPDXID"] for one in made["packages"]} | {"SPDXRef-DOCUMENT"}
    assert all({link["spdxElementId"], link["relatedSpdxElement"]} <= named for link in made["relationships"])
    assert "SPDXRef-linux-module-openzfs-zfs-2" in named
