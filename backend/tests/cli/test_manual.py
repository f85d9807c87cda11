"""The manual page is clean, and it and the reference know every command."""

import shutil
import subprocess
from pathlib import Path

import pytest

from lunette.cli.manual import REFERENCE, main, man_page, reference
from lunette.cli.registry import GROUPS, commands_of


def test_the_manual_page_gives_no_warning(tmp_path: Path) -> None:
    if shutil.which("groff") is None:
        pytest.fail("groff is missing: run `make deps`")
    page = tmp_path / "lunette.1"
    page.write_text(man_page())
    ran = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", str(page)], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stderr == ""
    assert "EXIT STATUS" in ran.stdout


def test_a_wrong_page_would_give_a_warning(tmp_path: Path) -> None:
    page = tmp_path / "wrong.1"
    page.write_text(man_page().replace(".SH NAME", ".SHH NAME"))
    ran = subprocess.run(["groff", "-man", "-ww", "-Tutf8", str(page)], capture_output=True, text=True, check=False)
    assert "SHH" in ran.stderr


def test_page_and_reference_name_every_command_and_option() -> None:
    page, text = man_page().replace("\\-", "-"), reference()
    for group in GROUPS:
        for command in commands_of(group.word).values():
            assert f"lunette {group.word} {command.name}".strip() in page
            assert f"lunette {group.word} {command.name}".strip() in text
            assert all(param.name in page and param.name in text for param in command.params if param.is_option)


def test_the_reference_is_fresh() -> None:
    assert REFERENCE.read_text() == reference(), "run `make generate`"


def test_what_an_image_needs_is_written_where_debian_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["manual", "--share", str(tmp_path)])
    assert main() == 0
    assert (tmp_path / "man/man1/lunette.1").read_text() == man_page()
    assert "complete -F _lunette lunette" in (tmp_path / "bash-completion/completions/lunette").read_text()
    assert (tmp_path / "zsh/vendor-completions/_lunette").read_text().startswith("#compdef lunette\n")
