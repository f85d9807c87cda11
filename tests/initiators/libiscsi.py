"""A user-space iSCSI initiator outside of every guest: libiscsi through QEMU's block layer.

It needs no kernel and no root, reaches a portal through a forwarded loopback port, and can be any initiator with any
credentials, so it is what the tests of "who gets in" use.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass

from tests.machines.pace import within


@dataclass(frozen=True)
class Chap:
    """What an initiator shows, and with `mutual_*` what it asks the target to show."""

    user: str
    secret: str
    mutual_user: str | None = None
    mutual_secret: str | None = None


@dataclass(frozen=True)
class Attempt:
    """How a login or an I/O ended; `output` holds libiscsi's own words."""

    ok: bool
    output: str


@dataclass(frozen=True)
class LibiscsiInitiator:
    """One initiator name that connects to one portal."""

    iqn: str
    host: str
    port: int
    chap: Chap | None = None

    def url(self, target: str, lun: int) -> str:
        """libiscsi's URL of a LUN, credentials included (RFC 3986 user part, `%` between user and secret)."""
        credentials, query = "", ""
        if self.chap:
            credentials = f"{self.chap.user}%{self.chap.secret}@"
            if self.chap.mutual_user and self.chap.mutual_secret:
                query = f"?target_user={self.chap.mutual_user}&target_password={self.chap.mutual_secret}"
        return f"iscsi://{credentials}{self.host}:{self.port}/{target}/{lun}{query}"

    def inquire(self, target: str, lun: int) -> Attempt:
        """Logs in and asks INQUIRY."""
        return _run(["iscsi-inq", "-i", self.iqn, self.url(target, lun)])

    def write(self, target: str, lun: int, byte: int, length: int, offset: int = 0) -> Attempt:
        """Writes one byte value over a range and flushes it."""
        return self._io(target, lun, f"write -P {byte} {offset} {length}", "flush")

    def verify(self, target: str, lun: int, byte: int, length: int, offset: int = 0) -> Attempt:
        """Reads a range back; not ok if it holds anything else than this byte value."""
        attempt = self._io(target, lun, f"read -P {byte} {offset} {length}")
        return Attempt(attempt.ok and "Pattern verification failed" not in attempt.output, attempt.output)

    def _io(self, target: str, lun: int, *commands: str) -> Attempt:
        if self.chap and self.chap.mutual_user:
            raise ValueError("QEMU's iSCSI driver knows no mutual CHAP: use the kernel's initiator")
        node: dict[str, object] = {
            "driver": "raw",
            "file": {
                "driver": "iscsi",
                "transport": "tcp",
                "portal": f"{self.host}:{self.port}",
                "target": target,
                "lun": lun,
                "initiator-name": self.iqn,
            },
        }
        argv = ["qemu-io"]
        if self.chap:
            argv += ["--object", f"secret,id=chap,data={self.chap.secret}"]
            file = node["file"]
            assert isinstance(file, dict)
            file |= {"user": self.chap.user, "password-secret": "chap"}
        for command in commands:
            argv += ["-c", command]
        return _run([*argv, "json:" + json.dumps(node)])


def _run(argv: list[str]) -> Attempt:
    ended = subprocess.run(argv, capture_output=True, text=True, timeout=within(120), check=False)
    output = ended.stdout + ended.stderr
    return Attempt(ended.returncode == 0 and "failed" not in output.lower(), output)
