"""The base depends on what is installed, not on where it came from or in which order it is listed."""

from pathlib import Path

from lunette_image.apt import Mirrors
from lunette_image.base import base_identity, base_key, mmdebstrap_argv


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
