"""`lunette disk history`, against a real server over a fake machine whose drives were asked."""

import json
import time
from io import StringIO
from pathlib import Path

from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring import add_token, make_services, serving
from lunette.agent.core import Agent
from lunette.cli import exits
from lunette.cli.main import run as lunette
from lunette.cli.screen import Screen
from lunette.domain.roles import Role
from tests.machines.pace import deadline


def test_a_day_is_a_line_of_what_the_drive_gives(tmp_path: Path) -> None:
    machine = FakeSystem()
    machine.clock = time.time()
    machine.add_disks(1)
    agent = Agent(machine)
    agent.ask_disks()
    services = make_services(tmp_path, agent)
    with serving(services) as (where, _server):
        env = {"LUNETTE_URL": where, "LUNETTE_TOKEN": add_token(services.store, Role.VIEWER)}
        serial = machine.blocks.disks[0].serial

        def ask(*words: str) -> tuple[int, str, str]:
            out, err = StringIO(), StringIO()
            return (
                lunette(["disk", "history", *words], Screen(out, err, env, StringIO()), env),
                out.getvalue(),
                err.getvalue(),
            )

        until = deadline(30)
        while not json.loads((said := ask(serial, "--json"))[1] or "[]"):
            assert time.monotonic() < until, said
            time.sleep(0.1)
        (day,) = json.loads(said[1])
        assert (said[0], day["serial"], day["state"]) == (exits.OK, serial, "ok")
        code, table, _ = ask(serial)
        head, line = table.splitlines()
        assert code == exits.OK
        assert ("HOTTEST" in head, "MEDIA_ERRORS" in head, "PENDING" in head) == (True, True, False), head
        assert line.split()[:3] == [day["day"], "ok", "35"]
        code, _, words = ask("nobody")
        assert (code, "no disk 'nobody'" in words) == (exits.NOT_FOUND, True)
