"""Look at and end machines that another process left running.

python3 -m tests.machines list
python3 -m tests.machines stop NAME…        kill, and remove disks and logs
python3 -m tests.machines run NAME COMMAND  as root in the guest
python3 -m tests.machines sweep             remove what dead runs left; machines of `make lab` stay
"""

from __future__ import annotations

import argparse
import sys

from tests.machines.model import MachineError
from tests.machines.running import running_machine
from tests.machines.state import StateFolder, recorded_machines, sweep


def _describe(name: str) -> str:
    folder = StateFolder(name)
    record = folder.read()
    if record is None:
        return f"{name:<24} gone"
    state = "stale" if not folder.is_wanted(record) else "kept" if record.kept else "in use"
    ports = " ".join(f"{guest}->127.0.0.1:{host}" for guest, host in sorted(record.ports.items()))
    return f"{name:<24} {record.kind:<5} {state:<7} {ports}"


def main() -> int:
    """Run one of the commands above."""
    parser = argparse.ArgumentParser(prog="python3 -m tests.machines", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    commands.add_parser("sweep")
    commands.add_parser("stop").add_argument("names", nargs="+")
    run = commands.add_parser("run")
    run.add_argument("name")
    run.add_argument("shell")
    chosen = parser.parse_args()
    try:
        return _run(chosen)
    except MachineError as error:
        print(error, file=sys.stderr)
        return 1


def _run(chosen: argparse.Namespace) -> int:
    match chosen.command:
        case "list":
            print("\n".join(_describe(name) for name in recorded_machines()) or "no machines")
        case "sweep":
            print("\n".join(f"removed {name}" for name in sweep()) or "nothing to remove")
        case "stop":
            for name in chosen.names:
                running_machine(name).discard()
                print(f"{name} is stopped and its disks are removed")
        case "run":
            result = running_machine(chosen.name).run(chosen.shell, timeout_s=3600.0)
            sys.stdout.write(result.stdout)
            return result.rc
    return 0


if __name__ == "__main__":
    sys.exit(main())
