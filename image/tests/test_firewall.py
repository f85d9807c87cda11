"""The rules of the firewall are loaded before the network is up, completely or not at all; a failure is reported."""

import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest

IMAGE = Path(__file__).resolve().parents[1]
UNIT = IMAGE / "server/usr/lib/systemd/system/lunette-firewall.service"
SCRIPT = IMAGE / "server/usr/libexec/lunette/load-firewall"
NFT = """#!/bin/sh
echo "$@" >> {calls}
grep -q whole "$2" || {{ echo "Error: syntax error, unexpected end of file" >&2; exit 1; }}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The script with its paths in here, and an nft that takes only what is whole."""
    for old, new in (("/var/lib/lunette/agent", "kept"), ("/run/lunette", "run")):
        (tmp_path / new).mkdir()
        text = (tmp_path / "load").read_text() if (tmp_path / "load").exists() else SCRIPT.read_text()
        (tmp_path / "load").write_text(text.replace(old, str(tmp_path / new)))
    (tmp_path / "nft").write_text(NFT.format(calls=tmp_path / "calls"))
    (tmp_path / "nft").chmod(0o755)
    return tmp_path


def load(folder: Path) -> int:
    argv = ["env", f"PATH={folder}:/usr/bin:/bin", "sh", str(folder / "load")]
    return subprocess.run(argv, capture_output=True, check=False).returncode


def test_what_was_stored_is_loaded_and_leaves_no_trace(folder: Path) -> None:
    (folder / "kept/firewall.nft").write_text("whole")
    assert load(folder) == 0
    assert (folder / "calls").read_text().split() == ["--file", str(folder / "kept/firewall.nft")]
    assert list((folder / "run").iterdir()) == []


def test_without_rules_nothing_is_run(folder: Path) -> None:
    assert load(folder) == 0
    assert not (folder / "calls").exists()


def test_of_a_broken_file_the_words_are_left_for_the_agent(folder: Path) -> None:
    (folder / "kept/firewall.nft").write_text("half")
    assert load(folder) == 1
    assert "unexpected end of file" in (folder / "run/firewall-broken").read_text()


def test_the_unit_starts_before_the_network_and_after_what_flushes() -> None:
    unit = RawConfigParser(strict=False)
    unit.read(UNIT)
    reported = UNIT.read_text()
    assert "Before=network-pre.target" in reported
    assert "nftables.service" in next(line for line in reported.splitlines() if line.startswith("After="))
    assert unit["Service"]["ExecStart"] == "/usr/libexec/lunette/load-firewall"


def test_only_what_the_iso_installs_is_filtered_by_default() -> None:
    marks = [path.relative_to(IMAGE).parts[0] for path in IMAGE.rglob("firewall-managed")]
    assert marks == ["live"]


def test_what_takes_a_trial_back_loads_the_rules() -> None:
    settle = (IMAGE / "server/usr/libexec/lunette/settle-network").read_text()
    assert settle.index("is taken back") < settle.index("/usr/libexec/lunette/load-firewall")
