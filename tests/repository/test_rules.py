"""The repository's own rules find what they are for, and the tree keeps them."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.run import content, locks, sizes, words
from tests.run.command import ROOT


def _file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(("name", "limit"), [("big.py", 320), ("big.vue", 250), ("big.ts", 250)])
def test_a_file_over_its_limit_is_found(tmp_path: Path, name: str, limit: int) -> None:
    line = "x = 1\n"
    assert list(sizes.problems(_file(tmp_path, name, line * limit))) == []
    assert f"the limit for {Path(name).suffix} is {limit}" in next(
        sizes.problems(_file(tmp_path, name, line * (limit + 1)))
    )


def test_a_long_function_is_found_however_its_lines_are_broken(tmp_path: Path) -> None:
    body = "    x = [\n        1,\n        2,\n    ]\n"
    docstring = '    """' + "\n    Text.\n" * 30 + '    """\n'
    fits = "def f():\n" + docstring + body * 40
    assert list(sizes.problems(_file(tmp_path, "a.py", fits))) == []
    assert "f has 41 statements" in next(sizes.problems(_file(tmp_path, "a.py", fits + body)))


def test_texts_of_attributes_do_not_count(tmp_path: Path) -> None:
    documented = "class Shape:\n" + '    a: int\n    """Text."""\n' * 310
    assert list(sizes.problems(_file(tmp_path, "shape.py", documented))) == []


def test_a_name_that_says_nothing_is_found(tmp_path: Path) -> None:
    assert list(sizes.problems(_file(tmp_path, "utils.py", "x = 1\n"))) == [
        "the name says nothing: name it after what it does"
    ]


def test_an_old_word_is_found_in_prose_and_not_in_code() -> None:
    text = "It is made Anew.\n\n```\nnobody\n```\nSee `kept` and [this](beside.md), or\nwishes.\n"
    assert list(words.found(text)) == [(1, "Anew"), (7, "wishes")]


def test_an_old_word_is_found_in_docstrings_and_comments_of_python() -> None:
    source = (
        'def f() -> str:\n    """Makes it\n    anew.\n    """\n    told = "nobody"  # knocks, then ends by\n'
        '    # itself\n    return told  # `kept`\n\n\nX = 1\n"""What `told` is beside."""\n'
    )
    assert list(words.found(words.prose(source))) == [(3, "anew"), (5, "knocks"), (5, "by itself"), (11, "beside")]


def test_a_package_host_is_found_anywhere(tmp_path: Path) -> None:
    text = "see http://" + "mirror.example.net/simple for wheels"
    assert list(content.problems(_file(tmp_path, "notes.md", text), {"mirror.example.net"})) == [
        "names the package host mirror.example.net: package sources belong to the machine's configuration"
    ]


def test_a_lock_file_with_an_address_is_found(tmp_path: Path) -> None:
    wheel = "a @ https://" + "files.example.net/a.whl\n"
    assert list(content.problems(_file(tmp_path, "requirements.lock", wheel), set()))
    resolved = '{"node_modules/vue": {"resolved": "vue-3.tgz"}}'
    assert list(content.problems(_file(tmp_path, "package-lock.json", resolved), set()))


def test_a_private_key_and_a_large_file_are_found(tmp_path: Path) -> None:
    key = "-----BEGIN " + "PRIVATE KEY-----\n"
    assert list(content.problems(_file(tmp_path, "server.pem", key), set())) == ["contains a private key"]
    assert list(content.problems(_file(tmp_path, "disk.img", "0" * 2_000_000), set()))


def test_the_tree_follows_the_rules() -> None:
    assert content.main() == 0
    assert words.main() == 0
    assert locks.stale() == []


def test_every_pin_of_pyproject_is_exact() -> None:
    text = (ROOT / "backend/pyproject.toml").read_text()
    assert ">=" not in text.split("[project.scripts]")[0].replace('requires-python = ">=3.11"', "")


def test_every_package_that_the_backend_requires_is_imported_by_it() -> None:
    """Unused packages can still be attacked. Extras install packages that are not listed."""
    asked = tomllib.loads((ROOT / "backend/pyproject.toml").read_text())["project"]["dependencies"]
    modules = {"argon2-cffi": "argon2", "prometheus-client": "prometheus_client", "pyyaml": "yaml"}
    names = [one.partition("==")[0] for one in asked]
    assert not [name for name in names if "[" in name]
    text = "\n".join(path.read_text() for path in (ROOT / "backend/src/lunette").rglob("*.py"))
    imported = set(re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE))
    assert [name for name in names if modules.get(name, name) not in imported] == []


def test_the_licence_is_whole() -> None:
    licence = (ROOT / "LICENSE").read_text()
    assert "Version 2.0, January 2004" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
