"""What the pages of relations send on a large site, compressed as on the wire: counted bytes, not times."""

import gzip
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.wiring import add_token, make_services, serving
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.engine.control import Control
from tests.benchmarks.scale_site import ServingAgent, fill
from tests.run.command import ROOT

VOLUMES, HOSTS = 1_000, 50
LARGE = 10_000
MOST_BYTES = 1_000_000
SOURCE = ROOT / "frontend/src/lists/everyRow.ts"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of an API over a site with so many volumes, and a token."""
    agent = ServingAgent()
    made = make_services(tmp_path, agent)
    fill(made.store, VOLUMES, HOSTS)
    agent.look_at(made.store)
    token = add_token(made.store, Role.VIEWER)
    with serving(ApiServices(**{**vars(made), "control": Control(made.store, agent)})) as (url, _server):
        yield url, token


def test_the_volumes_of_matrix_and_topology_fit_into_a_megabyte(site: tuple[str, str]) -> None:
    """Identifiers are random, so ten times the volumes are ten times the bytes."""
    url, token = site
    found = re.search(r"VOLUME_FIELDS = \[(.*?)\]", SOURCE.read_text(), re.DOTALL)
    assert found is not None
    fields = ",".join(re.findall(r"'(\w+)'", found[1]))
    sent = sum(
        len(fetch(url, token, path))
        for path in (
            f"/volumes?limit={VOLUMES}&sort=name&fields={fields}",
            f"/hosts?limit={HOSTS}",
            "/sessions?limit=1000",
        )
    )
    assert VOLUMES * 10 < sent < MOST_BYTES * VOLUMES / LARGE


def fetch(url: str, token: str, path: str) -> bytes:
    """The body as it was sent, which is compressed."""
    headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "gzip"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/api/v1{path}", headers=headers)) as answer:
        assert answer.headers["Content-Encoding"] == "gzip", path
        body: bytes = answer.read()
    assert gzip.decompress(body).startswith(b'{"items":[{')
    return body
