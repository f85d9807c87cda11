"""The real system, tested on this machine: commands end in time and as a whole, files are old or new."""

import contextlib
import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from lunette.domain.errors import ToolFailed, Unavailable
from lunette.system.local import LocalSystem

SYSTEM = LocalSystem()
LONG_S = 100
"""What is to be stopped would take so long, and what is not to strike has so much time."""


def is_alive(pid: int) -> bool:
    """True for a running process, false for one that is gone or only waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid: int) -> None:
    """Waits for the end of what was killed."""
    deadline = time.monotonic() + LONG_S / 2
    while is_alive(pid):
        assert time.monotonic() < deadline, "it goes on"
        time.sleep(0.01)


def test_a_command_is_answered_with_what_it_printed() -> None:
    result = SYSTEM.run(["cat"], stdin="twenty\n")
    assert (result.stdout, result.stderr, result.returncode) == ("twenty\n", "", 0)


def test_words_reach_the_command_as_they_are() -> None:
    assert SYSTEM.run(["echo", "$HOME; *", "a  b"]).stdout == "$HOME; * a  b\n"


def test_a_command_without_input_reads_nothing() -> None:
    """A tool that asks a question gets no answer, and so cannot wait for one."""
    assert SYSTEM.run(["cat"]).stdout == ""


def test_tools_speak_the_c_locale_and_see_nothing_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LUNETTE_SECRET", "x")
    names = dict(line.split("=", 1) for line in SYSTEM.run(["env"]).stdout.splitlines())
    assert names["LC_ALL"] == "C.UTF-8"
    assert "LUNETTE_SECRET" not in names
    assert "LANG" not in names


def test_the_search_path_is_fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    intruder = tmp_path / "lsblk"
    intruder.write_text("#!/bin/sh\necho intruder\n")
    intruder.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert SYSTEM.find_tool("lsblk") != str(intruder)


def test_a_failing_command_shows_the_end_of_its_output_and_logs_all_of_it() -> None:
    with pytest.raises(ToolFailed) as caught:
        SYSTEM.run(["ls", "/nowhere-at-all"])
    assert "No such file" in caught.value.detail
    assert "ls /nowhere-at-all: exit code 2" in caught.value.log


def test_an_expected_exit_code_is_not_a_failure() -> None:
    assert SYSTEM.run(["sh", "-c", "exit 5"], ok=(0, 5)).returncode == 5


def test_a_missing_tool_is_named_with_the_package_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lunette.system.local._ENVIRONMENT", {"PATH": "/nowhere"})
    with pytest.raises(Unavailable) as caught:
        SYSTEM.run(["mdadm", "--version"])
    assert "mdadm" in caught.value.detail
    assert "Debian package mdadm" in caught.value.detail


def test_a_timeout_kills_the_whole_process_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = tmp_path / "pids"
    real = subprocess.Popen.communicate

    def once_it_runs(*args: Any, **options: Any) -> Any:
        while not pids.exists() or pids.read_text().count("\n") < 2:
            time.sleep(0.01)
        return real(*args, **options)

    monkeypatch.setattr(subprocess.Popen, "communicate", once_it_runs)
    started = time.monotonic()
    with pytest.raises(ToolFailed) as caught:
        SYSTEM.run(["sh", "-c", f"sleep {LONG_S} & echo $! > {pids}; echo $$ >> {pids}; wait"], timeout_s=0.5)
    assert time.monotonic() - started < LONG_S
    assert "did not finish" in caught.value.detail
    for pid in map(int, pids.read_text().split()):
        ends(pid)


def test_a_command_is_not_run_alongside_one_of_its_kind_that_cannot_die() -> None:
    """No process here withstands SIGKILL, so one that runs stands for what was killed in vain."""
    system, words = LocalSystem(), ("sleep", "0.125")
    child = subprocess.Popen(["sleep", str(LONG_S)])
    system.undead[words] = child.pid
    with pytest.raises(ToolFailed, match=f"hangs in the kernel as process {child.pid}"):
        system.run(words)
    assert system.run(["sleep", "0"]).returncode == 0, "others run"
    child.kill()
    ends(child.pid)
    assert system.run(words).returncode == 0
    assert child.wait() == 0, "it was reaped, so its number is free"


def test_a_child_with_an_open_pipe_does_not_delay_us() -> None:
    started = time.monotonic()
    with pytest.raises(ToolFailed):
        SYSTEM.run(["sh", "-c", f"sleep {LONG_S} &"], timeout_s=0.5)
    assert time.monotonic() - started < LONG_S


def test_no_descriptor_leaks_into_a_command() -> None:
    with Path("/dev/null").open() as held:
        os.set_inheritable(held.fileno(), True)
        names = SYSTEM.run(["ls", "/proc/self/fd"]).stdout.split()
        assert str(held.fileno()) not in names or held.fileno() <= 3


def test_a_durable_write_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    SYSTEM.write_durably(str(path), b"old")
    SYSTEM.write_durably(str(path), b"new", 0o600)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_durable_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ledger.json"
    SYSTEM.write_durably(str(path), b"old")

    def no_space(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        SYSTEM.write_durably(str(path), b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_durable_write_is_flushed_with_its_folder_before_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[str] = []
    real = os.fsync

    def watch(handle: int) -> None:
        flushed.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        real(handle)

    monkeypatch.setattr(os, "fsync", watch)
    SYSTEM.write_durably(str(tmp_path / "ledger.json"), b"new")
    assert len(flushed) == 2
    assert flushed[0].startswith(f"{tmp_path}/.")
    assert flushed[1] == str(tmp_path)


def test_writing_an_attribute_makes_no_file(tmp_path: Path) -> None:
    """A misspelt attribute must fail, not leave a file behind."""
    with pytest.raises(FileNotFoundError):
        SYSTEM.write(str(tmp_path / "enable"), "1")
    assert list(tmp_path.iterdir()) == []


def test_listing_what_is_not_there_is_empty(tmp_path: Path) -> None:
    assert SYSTEM.listdir(str(tmp_path / "nothing")) == []
    assert SYSTEM.read_file(str(tmp_path / "nothing")) is None
    assert not SYSTEM.is_block_device(str(tmp_path))


def test_a_dangling_link_exists(tmp_path: Path) -> None:
    SYSTEM.symlink("/nowhere", str(tmp_path / "link"))
    assert SYSTEM.exists(str(tmp_path / "link"))
    assert SYSTEM.readlink(str(tmp_path / "link")) == "/nowhere"


def test_a_device_is_let_go_of_when_its_zeroing_ends(tmp_path: Path) -> None:
    """A child that starts meanwhile would keep the exclusive claim: the next who needs the device would be refused."""
    device, stop, kept = tmp_path / "device", threading.Event(), []
    device.write_bytes(b"data")

    def observe() -> None:
        while not stop.is_set():
            SYSTEM.run(["true"])

    observers = [threading.Thread(target=observe) for _ in range(4)]
    for one in observers:
        one.start()
    try:
        for _ in range(100):
            SYSTEM.zero(str(device), 0, 4)
            kept += holders(device)
    finally:
        stop.set()
        for one in observers:
            one.join()
    assert kept == []


def holders(path: Path) -> list[str]:
    """Descriptors of any process that are open on this file."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            for link in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    found += [str(link)] if link.readlink() == path else []
    return found


def program(folder: Path, body: str) -> str:
    path = folder / "probe"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_an_external_program_is_called_with_its_arguments(tmp_path: Path) -> None:
    assert SYSTEM.ask(program(tmp_path, 'echo "$# $1"'), ["/dev/x y"], timeout_s=10, limit_bytes=100) == "1 /dev/x y\n"


@pytest.mark.parametrize(
    ("body", "timeout_s", "why"),
    [
        (f"exec >&-; sleep {LONG_S}", 0.5, "did not finish in time"),
        (f"sleep {LONG_S} & sleep {LONG_S}", 0.5, "did not finish in time"),
        (f"sleep {LONG_S} & echo $! >pid; exec yes", LONG_S, "printed more than 1000 bytes"),
        ("exit 3", LONG_S, "exit code 3"),
    ],
)
def test_a_program_that_takes_too_much_is_stopped_with_all_it_started(
    tmp_path: Path, body: str, timeout_s: float, why: str
) -> None:
    body, before = body.replace(">pid", f">{tmp_path}/pid"), time.monotonic()
    with pytest.raises(ToolFailed, match=why):
        SYSTEM.ask(program(tmp_path, body), [], timeout_s=timeout_s, limit_bytes=1000)
    assert time.monotonic() - before < LONG_S
    if (tmp_path / "pid").exists():
        ends(int((tmp_path / "pid").read_text()))


def test_a_program_that_cannot_be_run_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="does not start"):
        SYSTEM.ask(str(tmp_path / "nothing"), [], timeout_s=2, limit_bytes=10)


def test_whose_a_file_is_and_who_may_change_it(tmp_path: Path) -> None:
    path = program(tmp_path, "")
    (tmp_path / "link").symlink_to(path)
    facts = SYSTEM.file_facts(path)
    assert facts is not None
    assert (facts.is_plain, facts.uid, facts.mode) == (True, os.getuid(), 0o755)
    link = SYSTEM.file_facts(str(tmp_path / "link"))
    assert link is not None
    assert not link.is_plain
    assert SYSTEM.file_facts(str(tmp_path / "gone")) is None
    assert SYSTEM.file_facts(f"{path}/below") is None


def reads_of(path: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of what the kernel returned while this was read."""
    found: list[int] = []
    read = os.read

    def counted(handle: int, size: int) -> bytes:
        data = read(handle, size)
        found.append(len(data))
        return data

    monkeypatch.setattr(os, "read", counted)
    SYSTEM.read(path)
    monkeypatch.undo()
    return found


def test_an_attribute_of_the_kernel_is_read_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(reads_of("/sys/class/net/lo/mtu", monkeypatch)) == 1


def test_a_file_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "long"
    file.write_text("x" * 200_000)
    lengths = reads_of(str(file), monkeypatch)
    assert (sum(lengths), lengths[-1]) == (200_000, 0)
    assert SYSTEM.read("/proc/kallsyms").endswith("\n")
