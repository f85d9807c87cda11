"""What runs on user-mode Linux runs on two kernels: that of Debian's testing, and for the whole matrix Debian 13's."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.machines.images import UML_KERNEL
from tests.run import matrix, needs, suite
from tests.run.tiers import Suite, load

_DATA = """
[[tier]]
name = "arrays"
what = "arrays"
stable_too = true
shard = "together"
lane = "native"
needs = ["root", "image"]
budget_s = 1
deadline_s = 2
pytest = ["-m", "uml"]
"""


def test_a_tier_for_both_kernels_is_a_second_one_of_the_whole_matrix(tmp_path: Path) -> None:
    (tmp_path / "tiers.toml").write_text(_DATA)
    found = load(tmp_path / "tiers.toml").tiers
    assert [(tier.name, tier.shard, tier.lane, tier.only_full, tier.needs[1], tier.environment) for tier in found] == [
        ("arrays", "together", "native", False, "image", {}),
        ("arrays-stable", "arrays-stable", "", True, "stable-image", {UML_KERNEL: "stable"}),
    ]
    assert found[0].command[:-1] == found[1].command[:-1], "the same tests, but for where the results go"
    assert all(tier.has_machines for tier in found)


def test_every_tier_of_user_mode_linux_is_for_both_kernels() -> None:
    """`test_shards.py` says the same of each test, in the whole matrix alone: collecting takes long."""
    on = {kernel: [tier for tier in load().tiers if tier.uml_kernel == kernel] for kernel in ("", "stable")}
    of_uml = [
        tier.command[:-1] for tier in on[""] if tier.is_pytest and "image" in tier.needs and _asks_uml(tier.command)
    ]
    assert of_uml == [tier.command[:-1] for tier in on["stable"]]
    assert len(of_uml) > 5


def _asks_uml(command: tuple[str, ...]) -> bool:
    return "uml" in command[command.index("-m", 3) + 1].split()


def test_a_tier_finds_its_kernel_in_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(needs._NEEDS, "stable-image", lambda: None)
    (tmp_path / "tiers.toml").write_text(_DATA.replace('"root", ', ""))
    program = "import os, pathlib, sys; pathlib.Path(sys.argv[1]).write_text(os.environ.get('LUNETTE_UML_KERNEL', '-'))"
    tier = load(tmp_path / "tiers.toml").tiers[1]
    command = (sys.executable, "-c", program, "{results}/kernel")
    suite.run_tier(replace(tier, command=command), Suite((), ()), require_all=False, folder=tmp_path)
    assert (tmp_path / "kernel").read_text() == "stable"


def test_the_record_of_a_tier_names_the_kernel_that_it_boots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kernel, release in (("", "7.2.7"), ("stable", "6.12.43")):
        (tmp_path / f"linux{kernel}").write_bytes(f"\0Linux version {release} (gcc)\0".encode())
    monkeypatch.setattr(
        matrix, "appliance_image", lambda kernel: SimpleNamespace(uml=(str(tmp_path / f"linux{kernel}"),))
    )
    (tmp_path / "tiers.toml").write_text(_DATA)
    reported = [matrix._kernels(tier) for tier in load(tmp_path / "tiers.toml").tiers]
    assert reported == [["7.2.7 (user-mode)"], ["6.12.43 (user-mode)"]]
