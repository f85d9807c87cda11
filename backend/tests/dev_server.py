"""The API with a fake machine behind it, for work on the web page: `python -m backend.tests.dev_server`.

Everything is real but the machine, and the TLS unless a certificate is given: the page's own development server takes
the browser's requests and passes them on. What is made here is gone when the process ends. Not part of the product.
"""

import argparse
import contextlib
import math
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import httpx2
import uvicorn

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.lio.iscsi import FakeSession
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.scene import ADDRESS, WHOLE, make_scene
from backend.tests.wiring import Api, add_token, add_user, make_app
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role

PASSWORD = "lunette-developer"
TICK_S = 0.2
WORK_S = 1.0
ASK_S = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--empty", action="store_true", help="do not make arrays, volumes and hosts to look at")
    parser.add_argument("--certificate", help="serve TLS with this certificate (PEM)")
    parser.add_argument("--key", help="its private key (PEM)")
    options = parser.parse_args()
    machine = FakeSystem()
    machine.power.stays_up = True
    machine.add_disks(8, size_bytes=64 * 1024**3)
    machine.add_disks(4, "scsi", size_bytes=32 * 1024**3)
    machine.run(["modprobe", "nvmet-tcp"])
    machine.add_fc_port("21:00:00:24:ff:00:00:01", "qla2xxx")
    threading.Thread(target=_tick, args=(machine,), daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="lunette-dev-") as folder:
        app, services = make_app(Path(folder), machine)
        threading.Thread(target=_ask_disks, args=(machine, services), daemon=True).start()
        add_user(services.store, "admin", Role.ADMINISTRATOR, PASSWORD)
        token = add_token(services.store, Role.ADMINISTRATOR)
        url = f"{'https' if options.certificate else 'http'}://{options.host}:{options.port}"
        if not options.empty:
            threading.Thread(target=_scene, args=(url, token, machine), daemon=True).start()
        print(f"API {url}   user admin   password {PASSWORD}", flush=True)
        uvicorn.run(
            app,
            host=options.host,
            port=options.port,
            log_level="warning",
            timeout_graceful_shutdown=1,
            ssl_certfile=options.certificate,
            ssl_keyfile=options.key,
        )


def _tick(machine: FakeSystem) -> None:
    """Lets the machine's clock go with ours, so that resyncs move and ages stay true."""
    while True:
        time.sleep(TICK_S)
        if (late := time.time() - machine.clock) > 0:
            machine.advance(late)


def _ask_disks(machine: FakeSystem, services: ApiServices) -> None:
    """What a thread of the agent does. One drive is worn, one fails."""
    machine.tools.drives.health(machine.blocks.disks[1]).used = 88
    machine.tools.drives.health(machine.blocks.disks[-1]).is_failing = True
    agent = services.control.agent
    while isinstance(agent, Agent):
        agent.ask_disks()
        time.sleep(ASK_S)


def _scene(url: str, token: str, machine: FakeSystem) -> None:
    """Something to look at, and hosts that are logged in and work."""
    with httpx2.Client(base_url=url, verify=False) as http:  # our own port: its certificate is not checked
        api = Api(http, token)
        api.until(lambda: _answers(http))
        make_scene(api, "2GiB", WHOLE)
        _over_nvme(api)
        api.until(lambda: all(mapping["state"] == "open" for mapping in api.items("/mappings")))
        hosts = [host for host in api.items("/hosts") if host["iqns"]]
        sessions = [machine.login(host["iqns"][0], host["target_iqn"], f"{ADDRESS}:3260") for host in hosts]
        print("The scene is made.", flush=True)
    _work(machine, sessions)


def _over_nvme(api: Api) -> None:
    """A host, and a group of two, that see volumes over NVMe/TCP."""
    nqn = "nqn.2014-08.org.nvmexpress:uuid:7a0d8d7e-1c5b-4c3a-9d2e-0f1a2b3c4d"
    api.made("/portals", {"name": "fast", "address": ADDRESS, "protocol": "nvme-tcp"})
    for number, name in enumerate(("render1", "node1", "node2")):
        api.made("/hosts", {"name": name, "nqns": [f"{nqn}{number:02}"]})
    api.made("/host-groups", {"name": "nodes", "hosts": ["node1", "node2"]})
    api.made("/volumes:create-batch", {"array": "tank", "name_pattern": "scene%d", "count": 5, "size_bytes": "1GiB"})
    for number in range(1, 6):
        owner = {"host": "render1"} if number < 4 else {"host_group": "nodes"}
        api.made("/mappings", {"volume": f"scene{number}", "family": "nvme", **owner})


def _work(machine: FakeSystem, sessions: Sequence[FakeSession]) -> None:
    """Each host reads and writes all of its volumes, now more and now less, as long as it is logged in."""
    while True:
        time.sleep(WORK_S)
        for number, session in enumerate(sessions):
            busy = 1.0 + math.sin(time.time() / 60 + number)
            for lun in session.luns:
                reads, writes = int(900 * busy / lun), int(300 * busy / lun)
                io = Io(reads, reads * 16384, writes, writes * 16384, int(reads * 0.4), int(writes * 0.9))
                with contextlib.suppress(OSError):  # it logged out, or its volume is gone
                    machine.carry(session, lun, io)


def _answers(http: httpx2.Client) -> bool:
    try:
        return http.get("/api/v1/health").is_success
    except httpx2.TransportError:
        return False


if __name__ == "__main__":
    main()
