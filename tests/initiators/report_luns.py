"""Which LUNs does a target show this initiator? Asked by REPORT LUNS over libiscsi itself.

`iscsi-ls` cannot ask that through a forwarded port: it follows the address that discovery names, which is the one
inside of the guest. Here the login goes to the given portal and stays there. Mutual CHAP is refused as it should be
with a wrong answer, but libiscsi 1.19 and LIO cannot complete it with a right one: that is for kernel.py.
"""

from __future__ import annotations

import ctypes
import ctypes.util

from tests.initiators.libiscsi import LibiscsiInitiator

_NORMAL_SESSION = 2
_ALL_LUNS = 0
_ANSWER_BYTES = 16 * 1024
_GOOD = 0


class Refused(Exception):
    """The login or the question was refused; the text is libiscsi's own."""


class _LunList(ctypes.Structure):
    _fields_ = (("count", ctypes.c_uint32), ("luns", ctypes.c_uint16 * (_ANSWER_BYTES // 8)))


def report_luns(initiator: LibiscsiInitiator, target: str) -> list[int]:
    """Log in, ask, log out. Raises Refused, also when nothing listens at the portal.

    LIO answers with LUN 0 alone where an initiator has no LUN at all, as SPC wants it.
    """
    library = _library()
    context = library.iscsi_create_context(initiator.iqn.encode())
    try:
        _log_in(library, context, initiator, target)
        task = library.iscsi_reportluns_sync(context, _ALL_LUNS, _ANSWER_BYTES)
        if not task or ctypes.c_int.from_address(task).value != _GOOD:
            raise Refused(_error(library, context))
        try:
            reported = ctypes.cast(library.scsi_datain_unmarshall(task), ctypes.POINTER(_LunList)).contents
            return sorted(reported.luns[index] for index in range(reported.count))
        finally:
            library.scsi_free_scsi_task(task)
            library.iscsi_logout_sync(context)
    finally:
        library.iscsi_destroy_context(context)


def _log_in(library: ctypes.CDLL, context: int, initiator: LibiscsiInitiator, target: str) -> None:
    library.iscsi_set_noautoreconnect(context, 1)
    library.iscsi_set_session_type(context, _NORMAL_SESSION)
    library.iscsi_set_targetname(context, target.encode())
    if initiator.chap:
        chap = initiator.chap
        library.iscsi_set_initiator_username_pwd(context, chap.user.encode(), chap.secret.encode())
        if chap.mutual_user and chap.mutual_secret:
            library.iscsi_set_target_username_pwd(context, chap.mutual_user.encode(), chap.mutual_secret.encode())
    portal = f"{initiator.host}:{initiator.port}".encode()
    if library.iscsi_connect_sync(context, portal) or library.iscsi_login_sync(context):
        raise Refused(_error(library, context))


def _error(library: ctypes.CDLL, context: int) -> str:
    text: bytes = library.iscsi_get_error(context)
    return text.decode(errors="replace").strip()


def _library() -> ctypes.CDLL:
    name = ctypes.util.find_library("iscsi")
    if name is None:
        raise Refused("libiscsi is missing on this host: install the package libiscsi-bin")
    library = ctypes.CDLL(name)
    handle, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    library.iscsi_create_context.restype = handle
    library.iscsi_create_context.argtypes = (text,)
    library.iscsi_get_error.restype = text
    library.iscsi_reportluns_sync.restype = handle
    library.iscsi_reportluns_sync.argtypes = (handle, number, number)
    library.scsi_datain_unmarshall.restype = handle
    for name, more in (
        ("iscsi_get_error", ()),
        ("iscsi_set_noautoreconnect", (number,)),
        ("iscsi_set_session_type", (number,)),
        ("iscsi_set_targetname", (text,)),
        ("iscsi_set_initiator_username_pwd", (text, text)),
        ("iscsi_set_target_username_pwd", (text, text)),
        ("iscsi_connect_sync", (text,)),
        ("iscsi_login_sync", ()),
        ("iscsi_logout_sync", ()),
        ("iscsi_destroy_context", ()),
        ("scsi_datain_unmarshall", ()),
        ("scsi_free_scsi_task", ()),
    ):
        getattr(library, name).argtypes = (handle, *more)
    return library
