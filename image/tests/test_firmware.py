"""Firmware that is not free comes from its own component, into the ISO and its updates and nowhere else."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lunette_image import cli, firmware, iso, sbom
from lunette_image.apt import Mirrors, packages
from lunette_image.base import mmdebstrap_argv
from lunette_image.bundle import manifest
from lunette_image.rootfs import Layers, Sources, composed_key
from lunette_image.signing import Signer

IMAGE = Path(__file__).resolve().parents[1]
MIRRORS = Mirrors("http://a.example/debian", "http://a.example/security")
RECORD = (
    "Status: install ok installed\nPackage: firmware-bnx2x\nVersion: 20250410-2\nArchitecture: all\n"
    "Maintainer: A <a@b>\nDescription: x\n"
)


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    made = tmp_path / "firmware-1"
    for name in ("lib/firmware/bnx2x/one.fw", "share/doc/firmware-bnx2x/copyright"):
        (made / "root/usr" / name).parent.mkdir(parents=True)
        (made / "root/usr" / name).write_text("blob")
    (made / "root/usr/lib/firmware/two.fw").symlink_to("bnx2x/one.fw")
    (made / firmware.RECORDS).write_text(RECORD)
    return made


def test_no_other_image_and_no_server_has_it() -> None:
    wanted = firmware.firmware_packages(IMAGE)
    assert {"firmware-bnx2x", "firmware-qlogic", "firmware-intel-misc", "firmware-misc-nonfree"} <= set(wanted)
    assert set(wanted) & set(packages(IMAGE)) == set()
    reported = manifest(IMAGE, "1.0-0")
    assert set(wanted) & {*reported["packages"], *reported["zfs_packages"]} == set()


def test_the_component_is_a_source_of_this_layer_alone() -> None:
    of_all = mmdebstrap_argv(packages(IMAGE), MIRRORS, Path("/w"))
    assert not [word for word in of_all if firmware.COMPONENT in word]
    of_firmware = firmware.extract_argv(firmware.firmware_packages(IMAGE), MIRRORS, Path("/w"))
    sources = [word for word in of_firmware if word.startswith("deb ")]
    assert [word.split()[2:] for word in sources] == [
        [suite, firmware.COMPONENT] for suite in ("trixie", "trixie-updates", "trixie-security")
    ]
    assert "--variant=extract" in of_firmware, "nothing of theirs is run"


def test_a_tree_gets_firmware_and_licences_in_addition_to_what_it_has(layer: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name in ("lib/firmware/regulatory.db", "share/doc/mdadm/copyright"):
        (root / "usr" / name).parent.mkdir(parents=True)
        (root / "usr" / name).write_text("Debian's")
    firmware.add(root, layer)
    files = {str(path.relative_to(root / "usr")): path.read_text() for path in root.rglob("*") if path.is_file()}
    assert files == {
        "lib/firmware/regulatory.db": "Debian's",
        "lib/firmware/bnx2x/one.fw": "blob",
        "lib/firmware/two.fw": "blob",
        "share/doc/mdadm/copyright": "Debian's",
        "share/doc/firmware-bnx2x/copyright": "blob",
    }
    assert (root / "usr/lib/firmware/two.fw").is_symlink()


def test_it_is_part_of_the_isos_key_and_of_no_other_and_named_in_the_bill(layer: Path, tmp_path: Path) -> None:
    for name in ("cert.pem", "root/var/lib/dpkg/status", "base-1/root/var/lib/dpkg/status"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    signer, sources = (
        Signer(tmp_path / "cert.pem", None, tmp_path / "cert.pem", development=True),
        Sources(IMAGE, None, None),
    )
    without = Layers(tmp_path / "base-1")
    made = replace(without, firmware=layer)
    keys = {iso.live_key(sources, layers, signer) for layers in (without, made)}
    (layer / firmware.RECORDS).write_text(RECORD.replace("20250410", "20260101"))
    assert len(keys | {iso.live_key(sources, made, signer)}) == 3, "newer packages make another ISO"
    assert composed_key(sources, without, []) == composed_key(sources, made, [])
    reported = json.loads(sbom.document(tmp_path / "root", sources, made, "n", 0))["packages"]
    assert {("firmware-bnx2x", "20260101-2")} == {(part["name"], part["versionInfo"]) for part in reported[1:]}


def test_it_can_be_left_out() -> None:
    wanted = [cli.sources(cli.parser().parse_args(["iso", *more])).firmware for more in ([], ["--without-firmware"])]
    assert wanted == [True, False]
