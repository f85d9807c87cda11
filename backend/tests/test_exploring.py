"""What the full matrix finds is stored, and replayed by `make test`."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tests import exploring

LIMIT = 1000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(exploring, "EXAMPLES", tmp_path / "examples")
    return tmp_path / "examples"


def fails_once() -> None:
    """A run of the full matrix that finds an example."""

    @exploring.explored("sample", 500)
    @given(st.integers(0, 10 * LIMIT))
    def small(number: int) -> None:
        assert number < LIMIT

    with pytest.raises(AssertionError):
        small()


def drawn(name: str, count: int) -> list[int]:
    """The examples that a fixed run takes."""
    seen: list[int] = []

    @exploring.fixed(name, count)
    @given(st.integers(0, 10 * LIMIT))
    def take(number: int) -> None:
        seen.append(number)

    take()
    return seen


def test_an_example_that_was_found_is_the_first_of_a_fixed_run(folder: Path) -> None:
    fails_once()
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert LIMIT in drawn("sample", 1)
    assert LIMIT not in drawn("another", 1)
    assert [path for path in folder.rglob("*") if path.is_file()] == files, "a fixed run writes and removes nothing"


def test_a_fixed_run_takes_the_same_in_every_run() -> None:
    assert drawn("sample", 30) == drawn("sample", 30)


def test_an_example_whose_fault_is_repaired_stays(folder: Path) -> None:
    fails_once()
    files = {path for path in folder.rglob("*") if path.is_file()}

    @exploring.explored("sample", 50)
    @given(st.integers(0, 10 * LIMIT))
    def repaired(number: int) -> None:
        assert number >= 0

    repaired()
    assert files <= {path for path in folder.rglob("*") if path.is_file()}
    assert LIMIT in drawn("sample", 1)
