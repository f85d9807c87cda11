"""Persistent reservations as a host asks for them, through libiscsi's own library: it needs no kernel and no root.

Structures and numbers are those of libiscsi's scsi-lowlevel.h; service actions and types those of SPC-4.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum

GOOD, CHECK_CONDITION, CONFLICT = 0x00, 0x02, 0x18
"""SCSI status codes."""
WRITE_EXCLUSIVE_REGISTRANTS_ONLY = 5
_NORMAL_SESSION = 2
BLOCK_BYTES = 512
_READ_KEYS = 0
_ANSWER_S = 120
"""A command that is not answered for so long has failed, and its session with it."""


class Action(IntEnum):
    """Service actions of PERSISTENT RESERVE OUT."""

    REGISTER = 0
    RESERVE = 1
    CLEAR = 3


class _Keys(ctypes.Structure):
    """scsi_persistent_reserve_out_basic."""

    _fields_ = (
        ("key", ctypes.c_uint64),
        ("new_key", ctypes.c_uint64),
        ("spec_i_pt", ctypes.c_uint8),
        ("all_tg_pt", ctypes.c_uint8),
        ("aptpl", ctypes.c_uint8),
    )


class _ReadKeys(ctypes.Structure):
    """The head of scsi_persistent_reserve_in_read_keys; the keys follow it."""

    _fields_ = (
        ("generation", ctypes.c_uint32),
        ("additional_length", ctypes.c_int32),
        ("count", ctypes.c_int32),
        ("keys", ctypes.c_uint64 * 64),
    )


class _Piece(ctypes.Structure):
    """scsi_iovec."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


@dataclass(frozen=True)
class Nexus:
    """One session of one initiator with one LUN; the session's name stays the same from one login to the next."""

    library: ctypes.CDLL
    context: ctypes.c_void_p
    lun: int

    def reserve(self, action: Action, key: int, new_key: int = 0, *, kept: bool = False, kind: int = 0) -> int:
        """PERSISTENT RESERVE OUT; `kept` sets APTPL. The status."""
        keys = _Keys(key, new_key, 0, 0, int(kept))
        return self._status("iscsi_persistent_reserve_out_sync", int(action), 0, kind, ctypes.byref(keys))

    def keys(self) -> list[int]:
        """The registered keys."""
        call = self.library.iscsi_persistent_reserve_in_sync
        call.restype = ctypes.c_void_p
        task = ctypes.c_void_p(call(self.context, self.lun, _READ_KEYS, 1024))
        unmarshall = self.library.scsi_datain_unmarshall
        unmarshall.restype = ctypes.POINTER(_ReadKeys)
        found = unmarshall(task).contents
        keys = list(found.keys[: found.count])
        self.library.scsi_free_scsi_task(task)
        return keys

    def write(self, content: bytes, block: int = 0) -> int:
        """Writes one block of 512 bytes. The status. Raises ConnectionError if the session breaks."""
        if len(content) != BLOCK_BYTES:
            raise ValueError(f"a block has {BLOCK_BYTES} bytes, not {len(content)}")
        return self._status("iscsi_write10_sync", block, content, BLOCK_BYTES, BLOCK_BYTES, 0, 0, 0, 0, 0)

    def read(self, block: int) -> bytes:
        """What one block of 512 bytes holds. Raises ConnectionError if it cannot be read."""
        data = ctypes.create_string_buffer(BLOCK_BYTES)
        piece = _Piece(ctypes.addressof(data), BLOCK_BYTES)
        options = (0, 0, 0, 0, 0)  # rdprotect, dpo, fua, fua_nv, group_number
        status = self._status(
            "iscsi_read10_iov_sync", block, BLOCK_BYTES, BLOCK_BYTES, *options, ctypes.byref(piece), 1
        )
        if status != GOOD:
            raise ConnectionError(f"a read of block {block} ended with status {status:#x}")
        return data.raw

    def _status(self, name: str, *arguments: object) -> int:
        """The status of a command; what a unit attention stands in front of is asked again."""
        call = getattr(self.library, name)
        call.restype = ctypes.c_void_p
        for _ in range(4):
            task = ctypes.c_void_p(call(self.context, self.lun, *arguments))
            if task.value is None:
                raise ConnectionError(f"{name}: {self.library.iscsi_get_error(self.context)!r}")
            status: int = ctypes.cast(task, ctypes.POINTER(ctypes.c_int))[0]
            self.library.scsi_free_scsi_task(task)
            if status != CHECK_CONDITION:
                break
        return status


@contextmanager
def logged_in(iqn: str, portal: str, target: str, lun: int, *, session: int) -> Iterator[Nexus]:
    """A login of an initiator; `session` chooses the name of its session (ISID). Raises ConnectionError."""
    library = ctypes.CDLL(ctypes.util.find_library("iscsi") or "libiscsi.so.7")
    library.iscsi_create_context.restype = ctypes.c_void_p
    library.iscsi_get_error.restype = ctypes.c_char_p
    context = ctypes.c_void_p(library.iscsi_create_context(iqn.encode()))
    try:
        library.iscsi_set_isid_en(context, 0x7D, session)
        library.iscsi_set_targetname(context, target.encode())
        library.iscsi_set_session_type(context, _NORMAL_SESSION)
        library.iscsi_set_noautoreconnect(context, 1)
        library.iscsi_set_timeout(context, _ANSWER_S)
        if library.iscsi_full_connect_sync(context, portal.encode(), lun):
            raise ConnectionError(f"{portal}: {library.iscsi_get_error(context)!r}")
        yield Nexus(library, context, lun)
        library.iscsi_logout_sync(context)
    finally:
        library.iscsi_destroy_context(context)
