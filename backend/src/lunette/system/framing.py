"""Messages on the agent's socket: a 4-byte big-endian length, then UTF-8 JSON. Both ends use this."""

import socket
import struct
import time

from lunette.domain.agent_protocol import MAX_MESSAGE_BYTES

_LENGTH = struct.Struct(">I")


class PeerClosed(OSError):
    """The other side closed the connection."""


class MessageTooLarge(OSError):
    """The other side announces more than a message may have."""


def send_message(peer: socket.socket, payload: bytes, deadline: float | None) -> None:
    """Send one message. `deadline` is in time.monotonic() seconds; raises TimeoutError when it passes."""
    if len(payload) > MAX_MESSAGE_BYTES:
        raise MessageTooLarge(f"a message of {len(payload)} bytes exceeds {MAX_MESSAGE_BYTES}")
    view = memoryview(_LENGTH.pack(len(payload)) + payload)
    while view:
        peer.settimeout(_left(deadline))
        view = view[peer.send(view) :]


def receive_message(peer: socket.socket, deadline: float | None) -> bytes:
    """Receive one message whole. Raises PeerClosed, MessageTooLarge, TimeoutError."""
    return receive_bytes(peer, receive_length(peer, deadline), deadline)


def receive_length(peer: socket.socket, deadline: float | None) -> int:
    """The length that a message announces; its bytes follow. Raises as receive_message does."""
    (length,) = _LENGTH.unpack(receive_bytes(peer, _LENGTH.size, deadline))
    if length > MAX_MESSAGE_BYTES:
        raise MessageTooLarge(f"a message of {length} bytes exceeds {MAX_MESSAGE_BYTES}")
    return int(length)


def receive_bytes(peer: socket.socket, count: int, deadline: float | None) -> bytes:
    """So many bytes, which take memory as they arrive. Raises PeerClosed, TimeoutError."""
    found = bytearray()
    while len(found) < count:
        peer.settimeout(_left(deadline))
        part = peer.recv(min(count - len(found), 1 << 20))
        if not part:
            raise PeerClosed("the connection was closed")
        found += part
    return bytes(found)


def _left(deadline: float | None) -> float | None:
    """Time to the deadline: a timeout per call alone would let a trickling peer hold us for ever."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the response timed out")
    return left
