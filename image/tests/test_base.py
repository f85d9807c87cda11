"""The base depends on what is installed, not on where it came from or in which order it is listed."""

from pathlib import Path

import pytest

from lunette_image.apt import Mirrors
from lunette_image.base import base_identity, base_key, kernel_version, mmdebstrap_argv
from lunette_image.problem import ImageProblem


def image(folder: Path, packages: str) -> Path:
    """An image folder with this package list."""
    folder.mkdir(parents=True)
    (folder / "packages.txt").write_text(packages)
    return folder


def test_the_key_follows_the_packages_only(tmp_path: Path) -> None:
    first = base_key(image(tmp_path / "a", "mdadm\nlvm2\n"))
    assert base_key(image(tmp_path / "b", "# volumes\nlvm2\nmdadm # arrays\n")) == first
    assert base_key(image(tmp_path / "c", "mdadm\nlvm2\nfio\n")) != first


def test_derived_mirrors_are_the_sources_of_the_tree() -> None:
    argv = mmdebstrap_argv(["mdadm"], Mirrors("http://mirror.example/debian"), Path("/tree"))
    assert argv[argv.index("/tree") + 1].startswith("deb http://mirror.example/debian trixie ")
    assert mmdebstrap_argv(["mdadm"], None, Path("/tree"))[-1] == "/tree"


def test_newer_packages_are_another_base_under_the_same_key(tmp_path: Path) -> None:
    status = tmp_path / "base-0/root/var/lib/dpkg/status"
    status.parent.mkdir(parents=True)
    status.write_text("Package: mdadm\nVersion: 1\n")
    before = base_identity(tmp_path / "base-0")
    status.write_text("Package: mdadm\nVersion: 2\n")
    assert base_identity(tmp_path / "base-0") != before


def test_a_tree_with_two_kernels_is_refused(tmp_path: Path) -> None:
    modules = tmp_path / "usr/lib/modules"
    (modules / "6.12.1-amd64").mkdir(parents=True)
    assert kernel_version(tmp_path) == "6.12.1-amd64"
    (modules / "6.12.2-amd64").mkdir()
    with pytest.raises(ImageProblem, match="expected one"):
        kernel_version(tmp_path)
