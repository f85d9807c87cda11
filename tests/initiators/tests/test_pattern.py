"""The pattern tells what is wrong with a block, and the log tells what was promised."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.initiators import pattern
from tests.initiators.luns import observe

SEED = 7
BLOCKS = 600


@pytest.fixture
def device(tmp_path: Path) -> Path:
    path = tmp_path / "device"
    with path.open("xb") as file:
        file.truncate(BLOCKS * pattern.BLOCK_BYTES)
    return path


def put(path: Path, block: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(block * pattern.BLOCK_BYTES)
        file.write(content)


def test_what_was_written_verifies(device: Path) -> None:
    pattern.write(str(device), SEED, 0, BLOCKS)
    assert pattern.verify(str(device), SEED, 0, BLOCKS) == {"blocks": BLOCKS, "wrong": 0, "first_wrong": {}}
    assert pattern.verify(str(device), SEED + 1, 0, BLOCKS)["wrong"] == BLOCKS


@pytest.mark.parametrize(
    ("damage", "described"),
    [
        (lambda: bytes(pattern.BLOCK_BYTES), "zeroes"),
        (lambda: b"x" * pattern.BLOCK_BYTES, "foreign data"),
        (lambda: pattern.stamped(SEED, 299), "block 299 of seed 7, generation 0"),
        (lambda: pattern.stamped(SEED, 300)[:512] + pattern.stamped(SEED, 301)[512:], "a torn block 300 of seed 7"),
        (lambda: pattern.stamped(SEED, 300, 5), "block 300 of seed 7, generation 5"),
    ],
)
def test_a_wrong_block_is_named_with_what_it_holds(device: Path, damage: Callable[[], bytes], described: str) -> None:
    pattern.write(str(device), SEED, 0, BLOCKS)
    put(device, 300, damage())
    assert pattern.verify(str(device), SEED, 0, BLOCKS)["first_wrong"] == {300: described}


def test_of_several_devices_each_has_a_line(device: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other"
    other.write_bytes(bytes(BLOCKS * pattern.BLOCK_BYTES))
    both = [str(device), str(SEED), str(other), str(SEED + 1)]
    assert pattern.main(["write", "0", str(BLOCKS), *both]) == 0
    assert pattern.main(["verify", "0", str(BLOCKS), *both]) == 0
    put(other, 1, pattern.stamped(SEED, 1))
    assert pattern.main(["verify", "0", str(BLOCKS), *both]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["wrong"] for line in lines] == [0, 0, 0, 1]


def test_acknowledged_writes_verify_and_a_lost_one_is_found(
    device: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, rests = tmp_path / "log", [0.0]
    clock = SimpleNamespace(monotonic=lambda: sum(rests), sleep=rests.append)  # a flush takes as long as it takes
    monkeypatch.setattr(pattern, "time", clock)
    pattern.log(str(device), SEED, 20, str(log), 0.8, flush=True)
    assert pattern.verify_log(str(device), SEED, str(log)) == {"blocks": 20, "wrong": 0, "first_wrong": {}}
    newest = pattern.read_log(log.read_text())[3]
    put(device, 3, pattern.stamped(SEED, 3, newest - 1))
    assert pattern.verify_log(str(device), SEED, str(log))["wrong"] == 1


def test_a_write_under_way_may_have_arrived(device: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("5 1\n6 1\n5 2")
    for block in (5, 6):
        put(device, block, pattern.stamped(SEED, block, 2 if block == 5 else 1))
    assert pattern.verify_log(str(device), SEED, str(log))["wrong"] == 0


def test_devices_are_found_by_target_and_interface(tmp_path: Path) -> None:
    for number, interface in enumerate(("i1", "i2")):
        session = tmp_path / f"class/iscsi_session/session{number}"
        block = session / f"device/target{number}:0:0/{number}:0:0:{number + 3}/block/sd{'ab'[number]}"
        block.mkdir(parents=True)
        (block / "size").write_text("8\n")
        named = {"targetname": "iqn.t", "ifacename": interface, "state": "LOGGED_IN" if number else "FAILED"}
        for key, value in named.items():
            (session / key).write_text(value + "\n")
    assert observe("iqn.t", "i1", str(tmp_path)) == {"connected": False, "devices": {3: "/dev/sda"}}
    assert observe("iqn.t", "i2", str(tmp_path)) == {"connected": True, "devices": {4: "/dev/sdb"}}
    assert observe("iqn.other", "i1", str(tmp_path)) == {"connected": False, "devices": {}}
