"""`make dev`: the API restarts when its source changes, the page reloads when its own does; no agent, no root.

State is kept in the cache, so the administrator's password survives. LUNETTE_AGENT_SOCKET names the socket of an
agent if there is one; without it the API serves and says that the agent is away.
"""

import os
import subprocess
import sys
from pathlib import Path

from watchfiles import PythonFilter, watch

from tests.run.command import ROOT, cache_folder

_PORT = 8443


def main() -> int:
    """Runs both until Ctrl-C."""
    state = cache_folder() / "dev"
    (state / "data").mkdir(parents=True, exist_ok=True)
    (state / "run").mkdir(exist_ok=True)
    api = [str(Path(sys.executable).with_name("lunette-api")), "--host", "127.0.0.1", "--port", str(_PORT)]
    api += ["--data", str(state / "data"), "--runtime", str(state / "run")]
    api += ["--agent-socket", os.environ.get("LUNETTE_AGENT_SOCKET") or str(state / "run/agent.sock")]
    environment = {**os.environ, "LUNETTE_URL": f"https://127.0.0.1:{_PORT}"}
    page = subprocess.Popen(["npm", "--prefix", "frontend", "run", "dev"], cwd=ROOT, env=environment)
    server = _start(api)
    try:
        for _ in watch(ROOT / "backend/src", watch_filter=PythonFilter(), raise_interrupt=False):
            _stop(server)
            server = _start(api)
    finally:
        _stop(server)
        _stop(page)
    return 0


def _start(api: list[str]) -> subprocess.Popen[bytes]:
    # In a session of its own, Ctrl-C reaches us and not the API, which we then stop as systemd would.
    return subprocess.Popen(api, cwd=ROOT, start_new_session=True)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait()


if __name__ == "__main__":
    sys.exit(main())
