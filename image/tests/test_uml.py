"""The user-mode kernel is given the loader that lies beside it."""

import struct

import pytest

from lunette_image.problem import ImageProblem
from lunette_image.uml import with_interpreter


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
