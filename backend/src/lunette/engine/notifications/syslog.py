"""Syslog: RFC 5424 over UDP (RFC 5426), TCP (RFC 6587, octet counting) or TLS (RFC 5425), or to the local log."""

import os
import socket
from pathlib import Path

from lunette.domain.alerts import Severity
from lunette.domain.messages import Message, MessageKind
from lunette.domain.settings import SyslogSettings, SyslogTransport
from lunette.engine.notifications.failure import TIMEOUT_S, DeliveryFailed, trust, words_of

LOCAL = Path("/dev/log")
DAEMON = 3
"""The facility of a daemon."""
_LEVELS = {Severity.CRITICAL: 2, Severity.WARNING: 4, Severity.INFO: 6}
NOTICE = 5
LONGEST = 4000
"""Characters of text: with four bytes each and the header it still fits into one UDP datagram."""
ENTERPRISE = 32473
"""The number that RFC 5612 reserves for examples; none is registered for Lunette yet."""


def line(message: Message) -> bytes:
    """The message in the format of RFC 5424: UTF-8 after a byte order mark, without line breaks."""
    level = NOTICE if message.kind is MessageKind.RESOLVED else _LEVELS[message.severity]
    facts = {"id": message.id, "kind": message.kind.value, "severity": message.severity.value, "key": message.key or ""}
    reported = " ".join(f'{name}="{_quoted(value)}"' for name, value in facts.items())
    host = "".join(letter for letter in message.appliance if "!" <= letter <= "~")[:255] or "-"
    head = (
        f"<{DAEMON * 8 + level}>1 {message.at:%Y-%m-%dT%H:%M:%S.%fZ} {host} lunette {os.getpid()} {message.kind.value}"
    )
    return f"{head} [lunette@{ENTERPRISE} {reported}] \N{ZERO WIDTH NO-BREAK SPACE}{_text(message)}".encode()


def send(settings: SyslogSettings, message: Message, trusted_ca: str | None, local: Path = LOCAL) -> str:
    """Sends the message. Returns the result in words: syslog has no reply. Raises DeliveryFailed."""
    if settings.transport is SyslogTransport.LOCAL:
        return _to_own_log(message, local)
    server, port = settings.server or "", settings.wanted_port
    where = f"{server}:{port}"
    try:
        if settings.transport is SyslogTransport.UDP:
            _by_datagram(server, port, line(message))
            return f"sent to {where}; UDP has no acknowledgement, so check the log server for the message"
        with socket.create_connection((server, port), TIMEOUT_S) as plain:
            sent = line(message)
            counted = f"{len(sent)} ".encode() + sent
            if settings.transport is SyslogTransport.TLS:
                with trust(trusted_ca).wrap_socket(plain, server_hostname=server) as secure:
                    secure.sendall(counted)
                    secure.unwrap()
            else:
                plain.sendall(counted)
                plain.shutdown(socket.SHUT_WR)
    except OSError as error:
        raise DeliveryFailed(words_of(error, where), was_answered=False) from error
    return f"sent to {where}"


def _by_datagram(server: str, port: int, sent: bytes) -> None:
    family, kind, proto, _, address = socket.getaddrinfo(server, port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, proto) as plain:
        plain.settimeout(TIMEOUT_S)
        plain.sendto(sent, address)


def _to_own_log(message: Message, local: Path) -> str:
    """The journal accepts the older format on its socket."""
    level = NOTICE if message.kind is MessageKind.RESOLVED else _LEVELS[message.severity]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as plain:
            plain.settimeout(TIMEOUT_S)
            plain.sendto(f"<{DAEMON * 8 + level}>lunette: {_text(message)}".encode(), str(local))
    except OSError as error:
        raise DeliveryFailed(
            f"the local log {local} does not accept the message ({error})", was_answered=False
        ) from error
    return f"the local log {local} accepted the message"


def _text(message: Message) -> str:
    parts = [message.subject, message.cause, message.fix if message.kind is MessageKind.RAISED else ""]
    return " | ".join(" ".join(part.split()) for part in parts if part)[:LONGEST]


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("]", "\\]")
