"""Locked packages are wheels for the appliance's Python, each with its hash checked."""

from pathlib import Path

import pytest

from lunette_image.problem import ImageProblem
from lunette_image.venv import find_uv, install_argv, uv_environment


def test_nothing_is_compiled_or_taken_without_its_hash() -> None:
    argv = list(install_argv("uv", Path("requirements.lock"), Path("site")))
    assert argv[argv.index("--only-binary") + 1] == ":all:"
    assert argv[argv.index("--python-version") + 1] == "3.13"
    assert {"--require-hashes", "--no-deps"} <= set(argv)


def program(path: Path, text: str) -> Path:
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_uv_of_the_tool_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setenv("LUNETTE_CACHE", str(tmp_path))
    monkeypatch.delenv("LUNETTE_UV", raising=False)
    with pytest.raises(ImageProblem, match="make deps"):
        find_uv()
    made = program(tmp_path / "tools/bin/uv", "true")
    assert find_uv() == str(made)


def test_a_named_uv_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImageProblem, match=str(tmp_path)):
        find_uv(str(tmp_path / "uv"))


def test_an_index_configured_for_pip_is_passed_to_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
    uv = program(tmp_path / "uv", "true")
    program(tmp_path / "pip", '[ "$*" = "config get global.index-url" ] && echo https://index.example/simple')
    assert uv_environment(str(uv))["UV_DEFAULT_INDEX"] == "https://index.example/simple"
    program(tmp_path / "pip", "exit 1")
    assert "UV_DEFAULT_INDEX" not in uv_environment(str(uv))
