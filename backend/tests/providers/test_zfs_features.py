"""An update that fails goes back to an earlier OpenZFS, which must know every feature of every pool."""

import re
from pathlib import Path

import pytest

from backend.tests.providers.test_zfs_steps import Farm
from lunette.providers.arrays.zfs.run import FEATURES

ROOT = Path(__file__).resolve().parents[3]
UPGRADES = re.compile(r"""zpool["']?,?\s+["']?upgrade|feature@""")
WRITTEN = {".py", ".sh", ".yml", ".service", ".ps1", ""}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('run(["zpool", "upgrade", pool])', True),
        ("zpool upgrade -a", True),
        ("-o feature@draid=enabled", True),
        ("zpool status", False),
        ("no pool is upgraded", False),
    ],
)
def test_the_searched_words_are_found(text: str, found: bool) -> None:
    assert bool(UPGRADES.search(text)) is found


def test_a_pool_has_no_feature_that_the_first_version_does_not_know() -> None:
    (create,) = [call.detail for call in Farm().machine.faults.calls if call.detail.startswith("zpool create")]
    assert f"-o compatibility={FEATURES} " in create


def test_nothing_gives_a_pool_features_later() -> None:
    folders = [ROOT / "backend/src", ROOT / "image", ROOT / "ansible"]
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file() and file.suffix in WRITTEN]
    assert len(files) > 500
    guilty = [file for file in files if UPGRADES.search(file.read_text(errors="replace"))]
    assert guilty == []
