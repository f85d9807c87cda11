"""Every module of the Ansible collection against a whole appliance: the cases that run on a fake machine elsewhere.

On user-mode Linux, and on QEMU what needs ZFS.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from backend.tests.wiring import Api
from tests.collection import test_modules, test_verbs
from tests.collection.cases import VERB_CASES, take_away
from tests.collection.rig import Rig
from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, appliance
from tests.machines.images import zfs_image
from tests.machines.pace import within
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml

pytestmark = [pytest.mark.timeout(1500), pytest.mark.slow]
DEADLINE_S = 600.0
NOT_HERE = {
    "fc_port": "user-mode Linux has no Fibre Channel HBA",
    "portal over NVMe": "the kernel of Debian's user-mode-linux has no nvmet",
    "portal over NVMe/FC": "the kernel of Debian's user-mode-linux has no nvmet",
    "mapping over NVMe": "the kernel of Debian's user-mode-linux has no nvmet",
}
"""Shapes of nouns that this machine cannot serve. The fake machine has them."""
OF_POOLS = ("array_add_disks",)
"""Verbs that only ZFS has something for: user-mode Linux has no module of it, the appliance's kernel has."""


class PatientApi(Api):
    """A real machine takes its time."""

    def until(self, is_true: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
        super().until(is_true, max(deadline_s, DEADLINE_S))

    def done(self, job: Any, deadline_s: float = DEADLINE_S) -> Any:
        return super().done(job, deadline_s)


@dataclass(frozen=True)
class LiveRig(Rig):
    """A whole appliance. Its disks are all of one kind."""

    made: Appliance

    def free_disks(self, count: int, transport: str = "nvme") -> list[str]:
        return [disk["id"] for disk in self.api.items("/disks", state="free")][:count]

    def settle(self) -> None:
        self.api.until(
            lambda: (
                not any(
                    one["observed"]["progress"] and one["observed"]["progress"]["action"] == "resync"
                    for one in self.api.items("/arrays")
                    if one["observed"]
                )
            )
        )

    def rebuilt(self, array: str) -> None:
        self.api.until(lambda: self.is_whole(array))

    def cut_while_written(self, array: str, disk: str) -> None:
        """Its memory alone is lost. What is written is where no volume is."""
        self.api.made(f"/arrays/{array}:fail", {"disk": disk})
        machine, device = self.made.machine, self.api.get(f"/arrays/{array}")["observed"]["device"]
        writing = f"while dd if=/dev/zero of={device} bs=64k count=64 seek=64 oflag=direct; do :; done"
        machine.check(f"({writing}) >/dev/null 2>&1 &")
        state = f"cat /sys/block/$(basename $(readlink -e {device}))/md/array_state"
        wait_until("the array is written to", lambda: machine.check(state).strip() == "active", pause_s=0.1)
        machine.kill()
        machine.start()
        self.made.wait_for_api()

    def looks(self) -> None:
        """The agent does."""


@pytest.fixture(scope="module")
def at() -> Iterator[Rig]:
    with appliance(Uml("collection", disks=14, disk_mib=160)) as made:
        made.machine.check("ip address add 2001:db8::1/128 dev lo")
        yield from _rig(made)


@pytest.fixture(scope="module")
def with_zfs() -> Iterator[Rig]:
    zfs_image()
    with appliance(Qemu("collection", nvme=3, disk_mib=512)) as made:
        yield from _rig(made)


def _rig(made: Appliance) -> Iterator[Rig]:
    endpoint = made.access.endpoint
    connection = {
        "appliance_url": endpoint.url,
        "appliance_token": endpoint.token,
        "appliance_fingerprint": endpoint.fingerprint,
        "appliance_timeout": int(within(DEADLINE_S)),
    }
    with httpx2.Client(base_url=endpoint.url, verify=False, timeout=within(DEADLINE_S)) as http:
        yield LiveRig(PatientApi(http, endpoint.token), connection, made)


@pytest.mark.uml
@pytest.mark.parametrize("shape", sorted(test_modules.SHAPES.keys() - NOT_HERE.keys()))
def test_a_noun_is_made_repeated_and_taken_away(shape: str, at: Rig) -> None:
    test_modules.test_a_noun_is_made_repeated_and_taken_away(shape, at)


@pytest.mark.uml
@pytest.mark.parametrize("name", [name for name in VERB_CASES if name not in OF_POOLS])
def test_a_verb_is_checked_done_and_repeated(name: str, at: Rig) -> None:
    try:
        test_verbs.test_a_verb_is_checked_done_and_repeated(name, at)
    finally:
        take_away(at)


@pytest.mark.qemu
@pytest.mark.zfs
@pytest.mark.parametrize("name", OF_POOLS)
def test_a_verb_of_pools_is_checked_done_and_repeated(name: str, with_zfs: Rig) -> None:
    test_verbs.test_a_verb_is_checked_done_and_repeated(name, with_zfs)


@pytest.mark.uml
@pytest.mark.parametrize("name", OF_POOLS)
def test_a_verb_of_pools_has_no_pool_where_the_kernel_has_no_zfs(name: str, at: Rig) -> None:
    reported = at.run("array", {"name": "care", "engine": "zfs", "level": "mirror", "disks": at.free_disks(2)})
    assert reported["failed"]
    assert "the kernel module zfs is not built for this kernel" in reported["msg"]
    refused = at.run(name, {"array": "care", "role": "cache", "disks": at.free_disks(1)})
    assert (refused["failed"], refused["problem"]["type"]) == (True, "not-found")


@pytest.mark.uml
def test_everything_can_be_read(at: Rig) -> None:
    for info in test_modules.DOCUMENT.infos():
        if not info.asked:
            test_modules.test_everything_can_be_read(info, at)


@pytest.mark.uml
def test_what_is_left_out_exists() -> None:
    assert NOT_HERE.keys() < test_modules.SHAPES.keys()
    assert set(OF_POOLS) < VERB_CASES.keys()
