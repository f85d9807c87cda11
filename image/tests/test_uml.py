"""The user-mode kernel is the chosen one, and gets the loader next to it."""

import struct
from pathlib import Path

import pytest

from lunette_image.apt import Mirrors
from lunette_image.base import unpack_argv
from lunette_image.cache import Cache
from lunette_image.problem import ImageProblem
from lunette_image.stable_uml import PACKAGE, stable_key
from lunette_image.uml import ENVIRONMENT, MODULES, PROGRAM, chosen_kernel, kernel_identity, with_interpreter


def program(kind: int) -> bytes:
    """A 64-bit ELF header with one program header of this kind."""
    header = bytearray(64)
    struct.pack_into("<Q", header, 32, 64)
    struct.pack_into("<HH", header, 54, 56, 1)
    return bytes(header) + struct.pack("<IIQQQQQQ", kind, 4, 200, 0x400000, 0, 28, 28, 1) + b"/old\0"


def test_the_program_header_points_to_the_new_loader() -> None:
    changed = with_interpreter(program(kind=3), "/new/loader")
    offset, address = struct.unpack_from("<QQ", changed, 64 + 8)
    (size,) = struct.unpack_from("<Q", changed, 64 + 32)
    assert changed[offset : offset + size] == b"/new/loader\0"
    assert address == 0x400000


def test_a_static_program_is_refused() -> None:
    with pytest.raises(ImageProblem, match="not a dynamic program"):
        with_interpreter(program(kind=1), "/new/loader")


def unpacked(folder: Path, version: str) -> Path:
    """What the package of a user-mode kernel holds."""
    (folder / "uml" / MODULES / version).mkdir(parents=True)
    (folder / "uml" / PROGRAM).parent.mkdir(parents=True)
    (folder / "uml" / PROGRAM).write_text(f"Linux version {version}")
    return folder


def test_the_kernel_is_testings_unless_that_of_debian_13_is_requested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, base = Cache(tmp_path), unpacked(tmp_path / "base-1", "7.2.7")
    stable = unpacked(cache.path("stable", stable_key()), "6.12.43")
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    assert chosen_kernel(cache, base) == base / "uml"
    monkeypatch.setenv(ENVIRONMENT, "stable")
    assert chosen_kernel(cache, base) == stable / "uml"
    assert kernel_identity(base / "uml") != kernel_identity(stable / "uml"), "images have the modules of one kernel"
    monkeypatch.setenv(ENVIRONMENT, "6.12")
    with pytest.raises(ImageProblem, match="can be `testing` or `stable`"):
        chosen_kernel(cache, base)


def test_the_stable_kernel_is_of_the_suite_that_the_appliance_is_of() -> None:
    argv = unpack_argv([PACKAGE], "main", Mirrors("http://mirror.example/debian"), Path("/w"))
    assert [word.split()[2] for word in argv if word.startswith("deb ")] == ["trixie", "trixie-updates"]
    assert "--variant=extract" in argv, "nothing of it is run"
