"""`make dev`: the API with a fake machine behind it, and the web page; both follow their source. No root, no agent.

The API's state is created again at each start. The console shows the user and the password.
"""

import os
import subprocess
import sys

from watchfiles import PythonFilter, watch

from tests.run.command import ROOT

_PORT = 8000


def main() -> int:
    """Runs both until Ctrl-C."""
    api = [sys.executable, "-m", "backend.tests.dev_server", "--port", str(_PORT)]
    environment = {**os.environ, "LUNETTE_URL": f"http://127.0.0.1:{_PORT}"}
    page = subprocess.Popen(["npm", "--prefix", "frontend", "run", "dev"], cwd=ROOT, env=environment)
    server = _start(api)
    try:
        for _ in watch(
            ROOT / "backend/src", ROOT / "backend/tests/fakemachine", watch_filter=PythonFilter(), raise_interrupt=False
        ):
            _stop(server)
            server = _start(api)
    finally:
        _stop(server)
        _stop(page)
    return 0


def _start(api: list[str]) -> subprocess.Popen[bytes]:
    # In a session of its own, so that Ctrl-C reaches us alone and we stop it in order.
    return subprocess.Popen(api, cwd=ROOT, start_new_session=True)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait()


if __name__ == "__main__":
    sys.exit(main())
