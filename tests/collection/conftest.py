"""Two appliances for all tests of the collection; each test makes what it needs and takes away what it made."""

from collections.abc import Iterator

import httpx2
import pytest

from backend.tests.wiring import Api
from tests.collection.playing import PATIENT, Player, appliance
from tests.collection.rig import FakeRig, rig


@pytest.fixture(scope="session")
def player(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    """ansible-playbook, and an appliance in a process of its own that is reached over TLS."""
    folder = tmp_path_factory.mktemp("appliance")
    with appliance(folder) as running:
        yield Player(folder, running)


@pytest.fixture(scope="session")
def api(player: Player) -> Iterator[Api]:
    """To look behind the plays."""
    with httpx2.Client(base_url=player.running.url, verify=False, timeout=PATIENT) as http:
        yield Api(http, player.running.token)


@pytest.fixture(scope="session")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeRig]:
    """An appliance in this process, and modules called in it."""
    with rig(tmp_path_factory.mktemp("rig")) as there:
        there.api.until(lambda: there.api.call("GET", "/firewall").status_code == 200)  # the agent's first look
        yield there
