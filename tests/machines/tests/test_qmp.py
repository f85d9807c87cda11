"""A machine that starts is distinguished from one that has failed, at any moment."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

from tests.machines.qmp import answers


def test_a_monitor_that_nobody_listens_on_yet_does_not_answer_and_does_later(tmp_path: Path) -> None:
    path = tmp_path / "monitor.sock"
    assert not answers(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        assert path.exists()
        assert not answers(path), "the file is there, and a connection is refused"
        listener.listen()
        emulator = threading.Thread(target=_greet, args=(listener,))
        emulator.start()
        assert answers(path)
        emulator.join()


def test_a_monitor_that_closes_at_once_does_not_answer(tmp_path: Path) -> None:
    path = tmp_path / "monitor.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen()
        emulator = threading.Thread(target=_leave, args=(listener,))
        emulator.start()
        assert not answers(path)
        emulator.join()


def _leave(listener: socket.socket) -> None:
    listener.accept()[0].close()


def _greet(listener: socket.socket) -> None:
    link, _ = listener.accept()
    with link:
        link.sendall(b'{"QMP": {}}\n')
        link.recv(4096)
        link.sendall(b'{"return": {}}\n')
