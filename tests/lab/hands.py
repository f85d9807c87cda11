"""Acts on the machines while a test uses the web page, requested over HTTP on 127.0.0.1.

The browser tests are TypeScript and own no machine. They POST /<act> with a JSON object of arguments, and get the
result of the act as JSON, or 500 with a message if it fails.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.initiators.libiscsi import LibiscsiInitiator
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.machine import Machine
from tests.machines.model import MachineError

_PROGRAMS = "/usr/sbin"
BROKEN = "the tool is broken"
"""What a broken tool says."""
_BYTE = 0x5A
Act = Callable[..., object]


class Hands:
    """The acts there are; each takes the arguments its HTTP request holds."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def acts(self) -> Mapping[str, Act]:
        """Name of each act in a request."""
        return {
            "pull": self._machine.pull,
            "insert": self._machine.insert,
            "restart-api": self.restart_api,
            "stop-api": self.stop_api,
            "start-api": self.start_api,
            "suspend-api": self.suspend_api,
            "resume-api": self.resume_api,
            "break-tool": self.break_tool,
            "mend-tool": self.mend_tool,
            "write-and-verify": self.write_and_verify,
        }

    def restart_api(self) -> None:
        """The API goes away and comes back, as after an upgrade."""
        self._machine.check("systemctl restart lunette-api", timeout_s=120)

    def stop_api(self) -> None:
        """The API is gone, and stays away."""
        self._machine.check("systemctl stop lunette-api", timeout_s=120)

    def start_api(self) -> None:
        """It is there again."""
        self._machine.check("systemctl start lunette-api", timeout_s=120)

    def suspend_api(self) -> None:
        """The API hangs: its connections stay open, and it sends nothing."""
        self._machine.check("systemctl kill --signal=STOP lunette-api")

    def resume_api(self) -> None:
        """The API continues."""
        self._machine.check("systemctl kill --signal=CONT lunette-api")

    def break_tool(self, tool: str) -> None:
        """The machine's tool `tool`, such as lvcreate, refuses whatever it is asked for."""
        program = f"{_PROGRAMS}/{tool}"
        self._machine.check(
            f"mv {program} {program}.whole && printf '#!/bin/sh\\necho {BROKEN} >&2\\nexit 5\\n' > {program}"
            f" && chmod 755 {program}"
        )

    def mend_tool(self, tool: str) -> None:
        """The tool does its work again."""
        self._machine.check(f"mv -f {_PROGRAMS}/{tool}.whole {_PROGRAMS}/{tool}")

    def write_and_verify(self, iqn: str, target: str, lun: int) -> str:
        """As the host `iqn`: log in, write 1 MiB, leave, come back, compare. Returns the initiator's last words."""
        host = LibiscsiInitiator(iqn, self._machine.address, self._machine.forward(PORTAL_PORT))
        for attempt in (host.write(target, lun, _BYTE, MIB), host.verify(target, lun, _BYTE, MIB)):
            if not attempt.ok:
                raise AssertionError(f"{iqn} at LUN {lun} of {target}: {attempt.output}")
        return attempt.output


@contextmanager
def offered(acts: Mapping[str, Act]) -> Iterator[str]:
    """The acts are served for the time of the block; yields their URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            arguments = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
            try:
                status, answer = 200, acts[self.path.removeprefix("/")](**arguments)
            except (AssertionError, LookupError, MachineError, OSError, TypeError, ValueError) as error:
                status, answer = 500, f"{type(error).__name__}: {error}"
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Quiet: Playwright's report tells what was done."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
