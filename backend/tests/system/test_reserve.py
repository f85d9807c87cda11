"""The agent's reserve on a real file system that is full."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.full_disk import empty, fill, small_file_system
from lunette.system.local import LocalSystem
from lunette.system.reserve import Reserve

KIB = 1 << 10


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """One MiB, of which nothing is used."""
    with small_file_system(tmp_path / "small", 1024 * KIB) as made:
        yield made


def reserve_in(folder: Path) -> Reserve:
    return Reserve(str(folder / "reserve"), 256 * KIB, 64 * KIB)


def left(folder: Path) -> int:
    return (folder / "reserve").stat().st_size


@pytest.mark.root
def test_durable_writes_go_on_with_the_reserve_while_the_drive_is_full(folder: Path) -> None:
    reserve = reserve_in(folder)
    reserve.fill()
    system, path = LocalSystem(reserve), str(folder / "ledger.json")
    system.write_durably(path, b"old" * KIB)
    fill(folder)
    for number in range(4):
        system.write_durably(path, bytes([number]) * 40 * KIB)
        assert Path(path).read_bytes() == bytes([number]) * 40 * KIB
        fill(folder)
    assert left(folder) == 0
    with pytest.raises(OSError, match="No space left"):
        system.write_durably(path, b"x" * 60 * KIB)
    assert Path(path).read_bytes() == bytes([3]) * 40 * KIB
    system.rename(path, f"{path}.outdated")  # takes no room
    assert sorted(os.listdir(folder)) == ["filler", "ledger.json.outdated", "reserve"]


@pytest.mark.root
def test_a_write_takes_as_many_steps_as_it_needs(folder: Path) -> None:
    reserve = reserve_in(folder)
    reserve.fill()
    fill(folder)
    LocalSystem(reserve).write_durably(str(folder / "ledger.json"), b"x" * 100 * KIB)
    assert left(folder) == 128 * KIB


@pytest.mark.root
def test_it_is_made_again_once_there_is_plenty_of_room(folder: Path) -> None:
    reserve = reserve_in(folder)
    reserve.fill()
    fill(folder)
    assert reserve.give(str(folder))
    reserve.fill()
    assert left(folder) == 192 * KIB, "what was freed is for others to use first"
    empty(folder)
    os.truncate(folder / "reserve", 0)
    os.truncate(folder / "reserve", 256 * KIB)  # as `cp` leaves it
    for _ in range(2):
        reserve.fill()
        assert left(folder) == 256 * KIB
    assert (folder / "reserve").stat().st_blocks * 512 == 256 * KIB


@pytest.mark.root
def test_another_file_system_that_is_full_takes_nothing_of_it(folder: Path, tmp_path: Path) -> None:
    reserve = reserve_in(tmp_path)
    reserve.fill()
    fill(folder)
    with pytest.raises(OSError, match="No space left"):
        LocalSystem(reserve).write_durably(str(folder / "note"), b"x")
    assert left(tmp_path) == 256 * KIB


def test_without_a_reserve_nothing_is_given(tmp_path: Path) -> None:
    assert not reserve_in(tmp_path).give(str(tmp_path))
