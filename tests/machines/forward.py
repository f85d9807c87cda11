"""Program: listen in one network namespace, connect in another, copy bytes both ways.

    python3 forward.py LISTEN_NAMESPACE ADDRESS:PORT CONNECT_NAMESPACE ADDRESS:PORT

A namespace is a path such as /proc/123/ns/net, or `-` for the one it is started in. Run as a file with
plain python3: it imports nothing of ours.
"""

from __future__ import annotations

import ctypes
import os
import socket
import sys
import threading

_CLONE_NEWNET = 0x40000000
_BUFFER_BYTES = 1 << 18
_CONNECT_TIMEOUT_S = 10.0


def enter(namespace: int) -> None:
    """Move this thread, and the threads it starts, to a network namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def endpoint(text: str) -> tuple[str, int]:
    """`10.0.0.1:3260` as address and port."""
    address, port = text.rsplit(":", 1)
    return address, int(port)


def pump(source: socket.socket, sink: socket.socket) -> None:
    """Copy until the source ends or either side fails; then nothing more goes to the sink."""
    buffer = bytearray(_BUFFER_BYTES)
    view = memoryview(buffer)
    try:
        while count := source.recv_into(buffer):
            sink.sendall(view[:count])
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


def serve(client: socket.socket, target: tuple[str, int]) -> None:
    """One connection, from its start to its end."""
    with client:
        try:
            server = socket.create_connection(target, timeout=_CONNECT_TIMEOUT_S)
        except OSError:
            return  # the client sees its connection closed, as with a server that is down
        with server:
            server.settimeout(None)
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = threading.Thread(target=pump, args=(server, client), daemon=True)
            back.start()
            pump(client, server)
            back.join()


def main(listen_namespace: str, listen: str, connect_namespace: str, connect: str) -> None:
    """Serve for ever."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    names = (listen_namespace, connect_namespace)
    listen_in, connect_in = (home if name == "-" else os.open(name, os.O_RDONLY) for name in names)
    enter(listen_in)
    with socket.create_server(endpoint(listen), backlog=128) as listener:
        enter(connect_in)
        print("listening", flush=True)
        while True:
            client, _ = listener.accept()
            threading.Thread(target=serve, args=(client, endpoint(connect)), daemon=True).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
