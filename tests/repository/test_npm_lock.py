"""Whatever npm installs is checked against a hash of frontend/package-lock.json."""

import json

from tests.run.command import ROOT

PACKAGES = json.loads((ROOT / "frontend/package-lock.json").read_text())["packages"]


def test_every_package_has_a_hash_or_lies_in_the_archive_of_one_that_has() -> None:
    """Npm writes none for what a package brings in its own archive: the hash of that archive covers it."""
    without = {path for path, package in PACKAGES.items() if path and "integrity" not in package}
    assert len(PACKAGES) > 100
    for path in without:
        parent, _, name = path.rpartition("/node_modules/")
        assert PACKAGES[path]["inBundle"] is True, path
        assert name in PACKAGES[parent]["bundleDependencies"], path
        assert PACKAGES[parent]["integrity"].startswith("sha512-"), parent


def test_every_hash_is_a_strong_one() -> None:
    weak = {path for path, package in PACKAGES.items() if not package.get("integrity", "sha512-").startswith("sha512-")}
    assert weak == set()
