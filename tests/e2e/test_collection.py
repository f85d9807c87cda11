"""Every module of the Ansible collection against a whole appliance: the cases that run on a fake machine elsewhere."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from backend.tests.wiring import Api
from tests.collection import test_modules, test_verbs
from tests.collection.bench import Bench
from tests.collection.cases import VERB_CASES, take_away
from tests.lab.appliance import Appliance, appliance
from tests.machines.uml import Uml

pytestmark = [pytest.mark.timeout(1500), pytest.mark.uml, pytest.mark.slow]
DEADLINE_S = 180.0
NOT_HERE = {
    "fc_port": "user-mode Linux has no Fibre Channel HBA",
    "portal over NVMe": "the kernel of Debian's user-mode-linux has no nvmet",
    "portal over NVMe/FC": "the kernel of Debian's user-mode-linux has no nvmet",
    "mapping over NVMe": "the kernel of Debian's user-mode-linux has no nvmet",
}
"""Shapes of nouns that this machine cannot serve. The fake machine has them."""


class PatientApi(Api):
    """A real machine takes its time."""

    def until(self, is_true: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
        super().until(is_true, max(deadline_s, DEADLINE_S))

    def done(self, job: Any, deadline_s: float = DEADLINE_S) -> Any:
        return super().done(job, deadline_s)


class LiveBench(Bench):
    """A whole appliance. Its disks are all of one kind."""

    def free_disks(self, count: int, transport: str = "nvme") -> list[str]:
        return [disk["id"] for disk in self.api.items("/disks", state="free")][:count]

    def rebuilt(self, array: str) -> None:
        self.api.until(lambda: self.is_whole(array))


@pytest.fixture(scope="module")
def at() -> Iterator[Bench]:
    with appliance(Uml("collection", disks=14, disk_mib=160)) as made:
        made.machine.check("ip address add 2001:db8::1/128 dev lo")
        yield from _bench(made)


def _bench(made: Appliance) -> Iterator[Bench]:
    endpoint = made.access.endpoint
    connection = {
        "appliance_url": endpoint.url, "appliance_token": endpoint.token, "appliance_fingerprint": endpoint.fingerprint,
    }  # fmt: skip
    with httpx2.Client(base_url=endpoint.url, verify=False, timeout=60) as http:
        yield LiveBench(PatientApi(http, endpoint.token), connection)


@pytest.mark.parametrize("shape", sorted(test_modules.SHAPES.keys() - NOT_HERE.keys()))
def test_a_noun_is_made_repeated_and_taken_away(shape: str, at: Bench) -> None:
    test_modules.test_a_noun_is_made_repeated_and_taken_away(shape, at)


@pytest.mark.parametrize("name", VERB_CASES)
def test_a_verb_is_checked_done_and_repeated(name: str, at: Bench) -> None:
    try:
        test_verbs.test_a_verb_is_checked_done_and_repeated(name, at)
    finally:
        take_away(at)


def test_everything_can_be_read(at: Bench) -> None:
    for info in test_modules.DOCUMENT.infos():
        if not info.asked:
            test_modules.test_everything_can_be_read(info, at)


def test_what_is_left_out_exists() -> None:
    assert NOT_HERE.keys() < test_modules.SHAPES.keys()
