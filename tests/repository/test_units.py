"""Every unit of ours is held to a figure of `systemd-analyze security`, or has no sandbox for a written reason."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.lab.exposure import EXPOSED, WITHOUT, exposure

ROOT = Path(__file__).parents[2]
UNITS = {
    file.name: file
    for file in sorted(ROOT.glob("image/**/systemd/system/*.service"))
    if not file.is_symlink()  # a link to /dev/null masks a unit of Debian
}
DROP_INS = {file.parent.name.removesuffix(".d") for file in ROOT.glob("image/**/systemd/system/*.service.d/*.conf")}


def test_every_unit_has_a_figure_or_a_reason() -> None:
    assert set(UNITS) == set(EXPOSED)
    assert set(WITHOUT) == DROP_INS


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("name", sorted(EXPOSED))
def test_no_unit_may_more_than_it_is_known_to_need(name: str) -> None:
    argv = ["systemd-analyze", "security", "--no-pager", "--offline=yes", str(UNITS[name])]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert exposure(said) <= EXPOSED[name], said


@pytest.mark.parametrize("name", sorted(EXPOSED))
def test_every_unit_has_the_settings_that_no_work_of_ours_needs_to_leave_out(name: str) -> None:
    lines = UNITS[name].read_text().splitlines()
    for setting in ("NoNewPrivileges", "LockPersonality", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID"):
        assert f"{setting}=yes" in lines, setting
    assert "SystemCallArchitectures=native" in lines
    for setting in ("CapabilityBoundingSet=", "RestrictAddressFamilies="):
        assert any(line.startswith(setting) for line in lines), setting


def test_what_mounts_or_writes_to_disks_has_no_setting_that_closes_devices() -> None:
    """ProtectClock closes all devices as PrivateDevices does (systemd.exec(5)); mount(8) and mdadm need theirs."""
    for name in ("lunette-agent.service", "lunette-install.service", "lunette-trial.service"):
        lines = UNITS[name].read_text().splitlines()
        assert not {"ProtectClock=yes", "PrivateDevices=yes", "DevicePolicy=closed"} & set(lines), name
        assert any(line.startswith("CapabilityBoundingSet=") and "CAP_SYS_ADMIN" in line for line in lines), name
