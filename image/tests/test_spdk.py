"""SPDK comes from a folder: what is taken of it, what is refused, and that the bill of materials names it."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from lunette.providers.exports.spdk.plan import TOOL
from lunette_image import cli, iso, sbom, spdk
from lunette_image.problem import ImageProblem
from lunette_image.rootfs import Layers, Sources
from lunette_image.signing import Signer

IMAGE = Path(__file__).resolve().parents[1]
HEADER = """\
#define SPDK_VERSION_MAJOR	26
#define SPDK_VERSION_MINOR	9
#define SPDK_VERSION_PATCH	0
#define SPDK_VERSION_SUFFIX	""
"""
SHELL = "/bin/bash"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What `make install` leaves: the program, which is a shell here, libraries, and much else."""
    made = tmp_path / "staged"
    for name in ("local/bin/spdk_tgt", "local/include/spdk/bdev.h", "local/lib/libspdk_bdev.a", "local/lib/x.source"):
        put(made / "usr" / name)
    put(made / "usr/local/lib/libspdk_bdev.so.9.1")
    (made / "usr/local/lib/libspdk_bdev.so").symlink_to("libspdk_bdev.so.9.1")
    put(made / "usr/local/include/spdk/version.h", HEADER)
    (made / "usr/local/bin").mkdir(exist_ok=True)
    shutil.copy(SHELL, made / "usr/local/bin/nvmf_tgt")
    return made


def put(file: Path, text: str = "x") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_the_program_and_its_shared_libraries_are_taken_and_nothing_else(folder: Path) -> None:
    assert spdk.staged(folder) == (
        "usr/local/bin/nvmf_tgt",
        "usr/local/lib/libspdk_bdev.so",
        "usr/local/lib/libspdk_bdev.so.9.1",
    )
    assert spdk.PROGRAM == TOOL, "what the unit starts"


def test_a_folder_without_the_program_or_with_two_is_refused_with_what_to_do(folder: Path) -> None:
    put(folder / "usr/bin/nvmf_tgt")
    with pytest.raises(ImageProblem, match="local/bin/nvmf_tgt and usr/bin/nvmf_tgt, expected one"):
        spdk.staged(folder)
    with pytest.raises(ImageProblem, match="make install DESTDIR="):
        spdk.staged(folder / "usr")


def test_what_is_not_found_is_named_once() -> None:
    reported = (
        "/usr/local/bin/nvmf_tgt: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.42' not found (required by x)\n"
        "\tlinux-vdso.so.1 (0x00007ffc)\n\tlibaio.so.1t64 => not found\n\tlibnuma.so.1 => not found\n"
        "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n\tlibnuma.so.1 => not found\n"
    )
    assert spdk.missing(reported) == ("libaio.so.1t64", "libnuma.so.1", "GLIBC_2.42")
    assert spdk.missing("\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n") == ()


def test_the_version_is_that_of_the_headers_else_the_programs_digest(folder: Path) -> None:
    assert spdk.version(folder) == "26.09.0"
    (folder / "usr/local/include/spdk/version.h").unlink()
    first = spdk.version(folder)
    assert first.startswith("sha256-")
    put(folder / "usr/local/bin/nvmf_tgt", "another")
    assert spdk.version(folder) != first


def test_a_library_of_the_image_is_never_shadowed(folder: Path, tmp_path: Path) -> None:
    put(tmp_path / "root/usr/lib/x86_64-linux-gnu/libspdk_bdev.so.9.1", "Debian's")
    with pytest.raises(ImageProblem, match=r"has already: libspdk_bdev\.so\.9\.1"):
        spdk.add(tmp_path / "root", folder)
    assert not (tmp_path / "root/usr/local").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="programs run inside a tree: run the tests as root")
def test_a_program_that_could_not_run_is_refused_with_the_names_and_one_that_can_is_put_in(
    folder: Path, tmp_path: Path
) -> None:
    """A tree of this machine's own loader, shell and C library; ldd and ldconfig run inside it."""
    root = tmp_path / "root"
    for name in ("/usr/bin/ldd", "/usr/sbin/ldconfig", "/sbin/ldconfig", SHELL, "/bin/cat"):
        if Path(name).exists():
            take(root, name)
    (root / "etc").mkdir()
    (root / "var/cache").mkdir(parents=True)
    needed = libraries(SHELL) + libraries("/bin/cat")
    absent = next(name for name in needed if "tinfo" in name)
    for name in needed:
        take(root, name)
    (root / absent.lstrip("/")).unlink()
    # The tree's own shell needs it too, and ldd is a script: what it runs by is another shell.
    shutil.copy("/bin/dash", root / SHELL.lstrip("/"))
    with pytest.raises(ImageProblem, match=rf"needs what the image has not: {Path(absent).name}\. Put these"):
        spdk.add(root, folder)
    shutil.copy(absent, folder / "usr/local/lib" / Path(absent).name)
    for left in spdk.staged(folder):
        (root / left).unlink(missing_ok=True)
    put(root / "etc/ld.so.conf", "/usr/local/lib\n")
    spdk.add(root, folder)
    assert (root / "usr/local/bin/nvmf_tgt").stat().st_mode & 0o777 == 0o755
    assert (root / "usr/local/lib/libspdk_bdev.so").is_symlink()
    assert not (root / "usr/local/bin/spdk_tgt").exists()


def take(root: Path, name: str) -> None:
    """One file of this machine, at its own place in the tree."""
    target = root / name.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(name, target)


def libraries(program: str) -> list[str]:
    reported = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [word for line in reported.splitlines() for word in line.split() if word.startswith("/")]


def test_the_folder_is_part_of_the_key_and_named_in_the_bill(folder: Path, tmp_path: Path) -> None:
    put(tmp_path / "cert.pem")
    put(tmp_path / "root/var/lib/dpkg/status", "")
    put(tmp_path / "base-1/root/var/lib/dpkg/status", "")
    signer = Signer(tmp_path / "cert.pem", None, tmp_path / "cert.pem", development=True)
    layers, without = Layers(tmp_path / "base-1"), Sources(IMAGE, None, None)
    staged = replace(without, spdk=folder)
    keys = [iso.live_key(sources, layers, signer) for sources in (without, staged)]
    put(folder / "usr/local/include/spdk/more.h")
    assert iso.live_key(staged, layers, signer) == keys[1], "what is not taken does not count"
    put(folder / "usr/local/lib/libspdk_bdev.so.9.1", "newer")
    assert len({*keys, iso.live_key(staged, layers, signer)}) == 3
    reported = [
        {part["name"]: part for part in json.loads(sbom.document(tmp_path / "root", one, layers, "n", 0))["packages"]}
        for one in (without, staged)
    ]
    assert "spdk" not in reported[0]
    assert (reported[1]["spdk"]["versionInfo"], reported[1]["spdk"]["licenseDeclared"]) == ("26.09.0", "BSD-3-Clause")


def test_an_image_of_tests_takes_no_spdk(folder: Path) -> None:
    for what in ("rootfs", "bundle"):
        with pytest.raises(ImageProblem, match="omit it"):
            cli.sources(cli.parser().parse_args([what, "--spdk", str(folder)]))
    assert cli.sources(cli.parser().parse_args(["iso", "--spdk", str(folder)])).spdk == folder
