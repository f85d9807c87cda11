"""One appliance for the tests of a module; each makes what it needs and takes away what it made."""

from collections.abc import Iterator

import httpx2
import pytest

from backend.tests.wiring import Api
from tests.collection.playing import Player, appliance


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    folder = tmp_path_factory.mktemp("appliance")
    with appliance(folder) as running:
        yield Player(folder, running)


@pytest.fixture(scope="module")
def api(player: Player) -> Iterator[Api]:
    with httpx2.Client(base_url=player.running.url, verify=False) as http:
        yield Api(http, player.running.token)
