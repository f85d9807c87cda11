"""Every family of commands prints what its transcript in golden/ says."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from backend.tests.cli.appliance import appliance
from backend.tests.cli.transcripts import GOLDEN, play
from backend.tests.scene import ADDRESS

NAMES = sorted(path.stem for path in GOLDEN.glob("*.txt"))


def write_files(folder: Path, disks: list[str]) -> None:
    """What the transcripts read."""
    (folder / "told.yaml").write_text(
        "webhook: {url: 'https://127.0.0.1:9/x', secret: sixteen-characters}\ntime_zone: Europe/Berlin\n"
    )
    (folder / "secret.txt").write_text("secret-secret-1\n")
    (folder / "new-secret.txt").write_text("secret-secret-2\n")
    site: dict[str, Any] = {
        "arrays": [{"name": "sa", "level": "raid1", "disks": disks}],
        "volumes": [{"name": name, "array": "sa", "size_bytes": "16MiB"} for name in ("s1", "s2")],
        "hosts": [{"name": "sh", "iqns": ["iqn.2026-01.com.example:sh"]}],
        "portals": [{"name": "sp", "address": ADDRESS}],
    }
    (folder / "site.yaml").write_text(yaml.safe_dump(site))
    (folder / "less.yaml").write_text(yaml.safe_dump({**site, "volumes": site["volumes"][:1]}))


@pytest.mark.parametrize("name", NAMES)
def test_a_family_of_commands_prints_what_its_transcript_says(
    name: str, tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with appliance(tmp_path, sqlite_url) as cli:
        disks = [disk["id"] for disk in json.loads(cli("disk", "list", "--json").out)]
        cli.known = {f"DISK{number}": disk for number, disk in enumerate(disks, 1)}
        write_files(tmp_path, disks[:2])
        now = play(name, cli)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("LUNETTE_GOLDEN") == "write":
        path.write_text(now)
    assert now == path.read_text(), "LUNETTE_GOLDEN=write pytest backend/tests/cli/test_golden.py writes it anew"
