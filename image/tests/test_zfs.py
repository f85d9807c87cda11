"""The modules must be of the same OpenZFS version as the tools."""

import pytest

from lunette_image.problem import ImageProblem
from lunette_image.zfs import zfs_version

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
