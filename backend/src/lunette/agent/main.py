"""`lunette-agent`: the root process. `lunette-agent shutdown` closes exports, volumes and arrays for a power-off.

`lunette-agent withdraw` removes the exports from the kernel but leaves volumes and arrays up, so that another program
can serve them. The ledger stays: the next start restores what either command closed.
"""

import argparse
import fcntl
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from lunette.agent import serving
from lunette.agent.bring_up import shut_down
from lunette.agent.core import Agent
from lunette.agent.ledger import STATE_DIR, Broken, Ledger
from lunette.agent.loop import AgentLoop
from lunette.agent.notify import notify
from lunette.agent.server import Server, allowed_uids, listen
from lunette.domain.agent_protocol import SOCKET_PATH
from lunette.domain.errors import LunetteError
from lunette.domain.exports import ExportSet
from lunette.providers.updates import record, trial
from lunette.system.heap import give_back
from lunette.system.local import LocalSystem
from lunette.system.modules import load
from lunette.system.reserve import Reserve

log = logging.getLogger(__name__)
MODULES = ("md_mod", "raid0", "raid1", "raid10", "raid456", "dm_mod", "dm_crypt", "target_core_mod")
LOCK_S = 60.0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the agent until SIGTERM, or close everything. Returns the exit code."""
    options = _options(argv)
    _log_to_stderr()
    folder = Path(options.state_dir)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _only_one(folder, LOCK_S if options.command == "shutdown" else 1.0):
            return _COMMANDS[options.command](options)
    except (OSError, LunetteError) as error:
        log.error("lunette-agent stops: %s", error)
        return 1


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lunette-agent", description=__doc__)
    parser.add_argument("command", nargs="?", choices=tuple(_COMMANDS), default="run")
    parser.add_argument("--socket", default=SOCKET_PATH, help="socket to listen on")
    parser.add_argument("--state-dir", default=STATE_DIR, help="folder of the boot ledger")
    parser.add_argument("--allow-uid", type=int, action="append", default=[], help="user to allow in addition to root")
    return parser.parse_args(argv)


def _serve(options: argparse.Namespace) -> int:
    reserve = _reserve(options)
    system = LocalSystem(reserve)
    for module in MODULES:
        load(system, module)
    _prepare_exports(system)
    _settle(system)
    agent = Agent(system, state_dir=options.state_dir)
    give_back()
    server = Server(agent, listen(options.socket), allowed_uids(tuple(options.allow_uid)))
    loop = AgentLoop(agent, reserve.fill)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
    loop.start()
    notify("READY=1")
    log.info("listening socket=%s", options.socket)
    server.serve(lambda: notify("WATCHDOG=1"))
    notify("STOPPING=1")
    loop.stop()
    return 0


def _reserve(options: argparse.Namespace) -> Reserve:
    return Reserve(f"{options.state_dir}/reserve")


def _prepare_exports(system: LocalSystem) -> None:
    """Load the export engines, so that they are available from the start. If the kernel lacks one, the others work."""
    try:
        for reason in serving.prepare(system):
            log.warning("an export engine is missing: %s", reason)
    except (LunetteError, OSError) as error:
        log.warning("the export engines could not be loaded: %s", error)


def _settle(system: LocalSystem) -> None:
    """Report an update whose system did not prove healthy. Errors here never prevent serving."""
    try:
        reason = trial.settle(system)
        if reason is not None:
            log.error("the update failed, the previous system is running: %s", reason)
    except (LunetteError, OSError) as error:
        log.error("the selected slot could not be checked: %s", error)


def _ledger(options: argparse.Namespace) -> ExportSet | None:
    """What was served; None if the ledger cannot be read: then only exports under Lunette's names are closed."""
    try:
        return Ledger(LocalSystem(), options.state_dir).load()
    except (Broken, OSError) as error:
        log.error("the boot ledger is damaged: %s", error)
        return None


def _shut_down(options: argparse.Namespace) -> int:
    system = LocalSystem(_reserve(options))
    try:
        record.exports_closed(system)
    except OSError as error:  # only for information, and no reason to leave the exports open
        log.warning("the time of closing the exports was not recorded: %s", error)
    return _exit_code(shut_down(system, _ledger(options)))


def _withdraw(options: argparse.Namespace) -> int:
    return _exit_code([f"{path}: {why}" for path, why in serving.withdraw(LocalSystem(), _ledger(options)).items()])


def _exit_code(refused: Sequence[str]) -> int:
    for line in refused:
        log.error("not closed: %s", line)
    return 1 if refused else 0


_COMMANDS = {"run": _serve, "shutdown": _shut_down, "withdraw": _withdraw}


def _only_one(folder: Path, patience_s: float) -> IO[bytes]:
    """Lock the directory: two agents must never work on one machine. Raises OSError after the timeout."""
    lock = (folder / "agent.lock").open("wb")
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                lock.close()
                raise OSError(f"another lunette-agent holds {folder}: stop it first") from None
            time.sleep(0.1)
        else:
            os.set_inheritable(lock.fileno(), False)
            return lock


class _JsonLines(logging.Formatter):
    """One line of JSON per record; the journal adds the time."""

    def format(self, record: logging.LogRecord) -> str:
        line = {"level": record.levelname.lower(), "logger": record.name, "event": record.getMessage()}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)


if __name__ == "__main__":
    sys.exit(main())
