"""The modules must be of the same OpenZFS version as the tools, and of the appliance's kernel."""

from pathlib import Path

import pytest

from lunette_image.cache import Cache
from lunette_image.problem import ImageProblem
from lunette_image.zfs import cached_modules, zfs_key, zfs_version

STATUS = """\
Package: zfs-zed
Version: 9.9

Package: zfsutils-linux
Status: install ok installed
Version: 2.3.2-2
"""


def test_the_version_is_that_of_the_tools() -> None:
    assert zfs_version(STATUS) == "2.3.2-2"


def test_a_base_without_the_tools_is_refused() -> None:
    with pytest.raises(ImageProblem, match="zfsutils-linux"):
        zfs_version("Package: mdadm\nVersion: 4.4\n")


def base_with(folder: Path, kernel: str, tools: str = "2.3.2-2", other: str = "9.9") -> Path:
    """A base layer of which only the kernel and the packages' state are there."""
    root = folder / f"base-{len(list(folder.iterdir()))}" / "root"
    (root / "usr/lib/modules" / kernel).mkdir(parents=True)
    (root / "var/lib/dpkg").mkdir(parents=True)
    status = STATUS.replace("Version: 2.3.2-2", f"Version: {tools}").replace("Version: 9.9", f"Version: {other}")
    (root / "var/lib/dpkg/status").write_text(status)
    return root.parent


def test_modules_are_built_once_per_kernel_and_version_of_the_tools(tmp_path: Path) -> None:
    key = zfs_key(base_with(tmp_path, "6.12.1-amd64"))
    assert zfs_key(base_with(tmp_path, "6.12.1-amd64", other="10.0")) == key
    assert zfs_key(base_with(tmp_path, "6.12.2-amd64")) != key
    assert zfs_key(base_with(tmp_path, "6.12.1-amd64", tools="2.3.3-1")) != key


def test_modules_are_there_only_for_the_kernel_that_they_were_built_for(tmp_path: Path) -> None:
    cache, before = Cache(tmp_path / "cache"), base_with(tmp_path, "6.12.1-amd64")
    assert cached_modules(cache, before) is None
    built = cache.layer("zfs", zfs_key(before), lambda work: (work / "zfs.ko").touch())
    assert cached_modules(cache, before) == built
    assert cached_modules(cache, base_with(tmp_path, "6.12.2-amd64")) is None
