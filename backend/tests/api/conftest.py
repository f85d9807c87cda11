"""An API without an agent, and one over a fake machine; each asked as an administrator."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from backend.tests.api.peers import SHORT
from backend.tests.api.rebuilding import Standing
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import make_array
from backend.tests.wiring import POLL_S, Api, AwayAgent, add_token, make_services, running
from backend.tests.wiring import serving as listening
from backend.tests.wiring_agent import PATIENT_S
from lunette.agent import serving
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.api.server.log import set_up_log
from lunette.domain.roles import Role


@pytest.fixture(autouse=True, scope="session")
def _log() -> None:
    set_up_log()


@pytest.fixture
def services(tmp_path: Path, sqlite_url: str) -> ApiServices:
    return make_services(tmp_path, AwayAgent(), sqlite_url)


@pytest.fixture
def port(services: ApiServices) -> Iterator[int]:
    """Of an API on a real socket without TLS, whose clients have little time and few connections."""
    with listening(services, limits=SHORT) as (address, _):
        yield int(address.rpartition(":")[2])


@pytest.fixture
def http(services: ApiServices) -> Iterator[TestClient]:
    """A browser without credentials; no agent answers."""
    with running(services) as opened:
        yield opened


@pytest.fixture
def api(http: TestClient, services: ApiServices) -> Api:
    """Asked as an administrator; no agent answers."""
    return Api(http, add_token(services.store, Role.ADMINISTRATOR))


@pytest.fixture
def nobody(api: Api) -> Api:
    """The same application, asked without credentials."""
    return Api(api.http)


@pytest.fixture
def machine() -> FakeSystem:
    """Eight NVMe and four SCSI drives, all blank."""
    fake = FakeSystem()
    fake.clock = time.time()
    fake.pause_s = POLL_S
    fake.add_disks(8)
    fake.add_disks(4, "scsi")
    return fake


@pytest.fixture
def agent(machine: FakeSystem) -> Agent:
    """The real agent. It receives the change reports of udev; its loop does not run."""
    serving.prepare(machine)
    made = Agent(machine, patience_s=PATIENT_S)
    machine.reported.append(made.changes.happened)
    return made


@pytest.fixture
def appliance_on_sqlite(tmp_path: Path, sqlite_url: str, agent: Agent) -> Iterator[tuple[Api, ApiServices]]:
    """The whole control plane over the fake machine, and its parts, for troubles of a SQLite file."""
    services = make_services(tmp_path, agent, sqlite_url)
    with running(services) as http:
        yield Api(http, add_token(services.store, Role.ADMINISTRATOR)), services


@pytest.fixture
def appliance(tmp_path: Path, database_url: str, agent: Agent) -> Iterator[Api]:
    """The whole control plane over the fake machine, on each kind of database, asked as an administrator."""
    services = make_services(tmp_path, agent, database_url)
    with running(services) as http:
        yield Api(http, add_token(services.store, Role.ADMINISTRATOR))


@pytest.fixture
def standing(tmp_path: Path, database_url: str, agent: Agent) -> Iterator[Standing]:
    """The whole control plane over the fake machine, on each kind of database."""
    services = make_services(tmp_path, agent, database_url)
    with running(services) as http:
        yield Api(http, add_token(services.store, Role.ADMINISTRATOR)), services


@pytest.fixture
def with_host(standing: Standing) -> Standing:
    """The same with array `tank` and host `db`."""
    api, _ = standing
    make_array(api)
    api.made("/hosts", {"name": "db", "iqns": ["iqn.2026-01.com.example:db"]})
    return standing
