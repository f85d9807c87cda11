"""Logs in to an iSCSI target from the given addresses in turn, like machines cloned with their initiator name.

    twin.py TARGET INITIATOR PORT SECONDS ADDRESS...

It runs on the appliance itself, where loopback has any number of addresses. Every login has the same ISID, so it ends
the previous session (RFC 7143 section 6.3.5), which lasts until then. The next login follows after SECONDS, until the
program is stopped. It implements only a login without authentication (section 11.12).
"""

import itertools
import socket
import struct
import sys
import time

_LOGIN, _OPERATIONAL_TO_FULL_FEATURE = 0x43, 0x87
_ISID = bytes.fromhex("00023d000001")
_TERMS = {
    "HeaderDigest": "None",
    "DataDigest": "None",
    "MaxConnections": "1",
    "InitialR2T": "Yes",
    "ImmediateData": "Yes",
    "MaxBurstLength": "262144",
    "FirstBurstLength": "65536",
    "DefaultTime2Wait": "2",
    "DefaultTime2Retain": "0",
    "MaxOutstandingR2T": "1",
    "ErrorRecoveryLevel": "0",
    "DataPDUInOrder": "Yes",
    "DataSequenceInOrder": "Yes",
}
"""What LIO would propose itself, and wait for the answers to."""


def login(target: str, initiator: str, port: int, address: str) -> socket.socket:
    """A session in its full-feature phase, from `address` to that same address. Raises OSError where it is refused."""
    connection = socket.create_connection((address, port), timeout=10, source_address=(address, 0))
    words = {"InitiatorName": initiator, "TargetName": target, "SessionType": "Normal", **_TERMS}
    data = b"".join(f"{key}={value}\0".encode() for key, value in words.items())
    head = struct.pack(">BBBBI", _LOGIN, _OPERATIONAL_TO_FULL_FEATURE, 0, 0, len(data)) + _ISID
    head += struct.pack(">HIHHII16x", 0, 1, 0, 0, 1, 0)
    connection.sendall(head + data + b"\0" * (-len(data) % 4))
    answer = connection.recv(48, socket.MSG_WAITALL)
    if len(answer) < 48 or answer[36] != 0:
        raise OSError(f"{address}: the login was refused with class {answer[36:38].hex()}")
    return connection


def main() -> None:
    target, initiator, port, seconds, *addresses = sys.argv[1:]
    put_out: socket.socket | None = None
    for address in itertools.cycle(addresses):
        now = login(target, initiator, int(port), address)
        if put_out is not None:
            put_out.close()
        put_out = now
        time.sleep(float(seconds))


if __name__ == "__main__":
    main()
