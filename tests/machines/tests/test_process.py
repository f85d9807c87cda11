"""Only processes that are provably ours are signalled, and all of them."""

import os
import signal
import subprocess
import time
from pathlib import Path

from tests.machines.process import (
    OwnedProcess,
    group_members,
    identify,
    is_alive,
    kill_group,
    signal_group,
    spawn,
    stop_group,
)


def test_a_killed_group_takes_the_children_with_it(tmp_path: Path) -> None:
    parent = spawn(["sh", "-c", "sleep 100 & sleep 100"], tmp_path / "log", cwd=tmp_path)
    while len(group_members(parent)) < 3:
        time.sleep(0.01)
    kill_group(parent)
    assert not is_alive(parent)
    assert group_members(parent) == []


def test_children_are_killed_when_their_leader_is_gone_already(tmp_path: Path) -> None:
    parent = spawn(["sh", "-c", "sleep 100 & echo"], tmp_path / "log", cwd=tmp_path)
    while is_alive(parent):
        time.sleep(0.01)
    assert len(group_members(parent)) == 1
    kill_group(parent)
    assert group_members(parent) == []


def test_a_process_that_got_the_number_later_is_left_alone() -> None:
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as stranger:
        try:
            real = identify(stranger.pid)
            recorded = OwnedProcess(pid=stranger.pid, started=real.started - 1)
            assert not is_alive(recorded)
            assert group_members(recorded) == []
            kill_group(recorded)
            assert stranger.poll() is None
        finally:
            stranger.kill()


def test_a_process_that_ended_is_not_alive(tmp_path: Path) -> None:
    ended = spawn(["true"], tmp_path / "log", cwd=tmp_path)
    while is_alive(ended):
        time.sleep(0.01)
    assert not os.path.exists(f"/proc/{ended.pid}")  # noqa: PTH110 - reaped, not a zombie


def test_a_stopped_group_does_nothing_until_it_is_let_go_on(tmp_path: Path) -> None:
    count = tmp_path / "count"
    parent = spawn(["sh", "-c", f"while :; do echo >>{count}; done"], tmp_path / "log", cwd=tmp_path)
    try:
        while not count.exists():
            time.sleep(0.01)
        stop_group(parent)
        before = count.stat().st_size
        time.sleep(0.2)
        assert count.stat().st_size == before
        signal_group(parent, signal.SIGCONT)
        while count.stat().st_size == before:
            time.sleep(0.01)
    finally:
        kill_group(parent)
