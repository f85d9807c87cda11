"""An appliance that is lost, another one with its data disks, and what brings it back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from httpx2 import Response

from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring import Api, add_token, make_services, running
from lunette.agent import serving
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role

LEDGER = ("/var/lib/lunette/agent/ledger.json", "/var/lib/lunette/agent/ledger.key")
Standing = tuple[Api, ApiServices]


@contextmanager
def reinstalled(machine: FakeSystem, services: ApiServices, folder: Path) -> Iterator[Standing]:
    """Another installation with the same data disks: no database, no ledger, and LVM's devices file knows nothing."""
    services.control.stop()
    machine.reboot()
    for path in LEDGER:
        if machine.read_file(path) is not None:
            machine.unlink(path)
    serving.prepare(machine)
    new = make_services(folder, Agent(machine))
    with running(new) as http:
        yield Api(http, add_token(new.store, Role.ADMINISTRATOR)), new


def rebuild(api: Api, *arrays: str, dry_run: bool = False, adopt: bool = True, degraded: bool = False) -> Response:
    """After a look, whose digest it gives back."""
    wanted = {"arrays": list(arrays), "adopt": adopt, "degraded": degraded}
    looked = api.post("/appliance:rebuild", wanted, dry_run=True)
    if dry_run or looked.status_code != 200:
        return looked
    return api.post("/appliance:rebuild", {**wanted, "digest": looked.json()["digest"]})


def rebuilt(api: Api, *arrays: str, dry_run: bool = False, adopt: bool = True) -> Any:
    answer = rebuild(api, *arrays, dry_run=dry_run, adopt=adopt)
    assert answer.status_code == 200, answer.text
    return answer.json()


def settled(services: ApiServices) -> None:
    """Everything that is committed lies on the arrays."""
    services.control.sealer.stop()
    services.control.sealer.round()
