"""What a real machine refuses: disks that carry something, specs that cannot be met. Nothing may change by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lunette.client import Refused
from lunette.providers.volumes.lvm.plan import COPY_NAME
from tests.lab.appliance import Appliance, appliance
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(600), pytest.mark.slow]
MIB = 1024**2


@pytest.fixture(scope="module")
def machine() -> Iterator[Appliance]:
    """An appliance with ten disks of 256 MiB on user-mode Linux."""
    with appliance(Uml("refusals", disks=10, disk_mib=256)) as made:
        yield made


def refusal(machine: Appliance, path: str, body: dict[str, Any]) -> Refused:
    """Posts what must be refused; checks that arrays, volumes, jobs and what the disks carry are as before."""
    before = _world(machine)
    with pytest.raises(Refused) as caught:
        machine.client.post(path, body)
    assert _world(machine) == before
    return caught.value


def _world(machine: Appliance) -> tuple[list[str], list[str], list[str], str]:
    names = [[str(item["id"]) for item in machine.client.list(path)] for path in ("/arrays", "/volumes", "/jobs")]
    return names[0], names[1], names[2], machine.machine.check(_SEEN, timeout_s=120)


_SEEN = f"""
set -e
grep -o '^md[^ ]* : .*' /proc/mdstat || true
lvs --noheadings -o lv_uuid --select 'lv_name != {COPY_NAME}'
udevadm settle --timeout=60
lsblk --raw --noheadings -o NAME,FSTYPE,PTTYPE | grep -v -e '-{COPY_NAME} '
"""
"""The state of arrays, volumes and disks, without the first resync and the sealed copy, which proceed automatically."""


def _spec(disks: list[str], **more: Any) -> dict[str, Any]:
    return {"name": "refused", "engine": "md", "level": "raid1", "disks": disks, **more}


OCCUPIED = {
    "file system": ("mkfs.ext4 -q -F {dev}", "ext4", "raid1"),
    "partition table": ("sgdisk --new=1:0:0 {dev} && udevadm settle", "gpt", "raid0"),
    "md superblock": (
        (
            "mdadm --create /dev/md/other --run --metadata=1.2 --level=1 --raid-devices=2 {dev} missing"
            " && mdadm --stop /dev/md/other"
        ),
        "linux_raid_member",
        "raid1",
    ),
}
"""How a disk comes to carry something, what that is called, and the level of the array that it is wiped for."""


@pytest.mark.parametrize("what", OCCUPIED)
def test_a_disk_that_carries_something_is_refused_by_name_and_accepted_with_an_explicit_wipe(
    machine: Appliance, what: str
) -> None:
    command, signature, level = OCCUPIED[what]
    first, second = machine.disk_ids("ubd")[2 * list(OCCUPIED).index(what) :][:2]
    device = next(d.path for d in machine.machine.disks if d.serial == _serial(machine, first))
    machine.machine.check(command.format(dev=device))
    problem = refusal(machine, "/arrays", _spec([first, second]))
    assert problem.status == 409
    assert first in str(problem.problem)
    assert signature in str(problem.problem).lower()

    spec = _spec([first, second], wipe=[first], level=level)
    plan = machine.client.post("/arrays", spec, dry_run=True)
    wipes = [step for step in plan["steps"] if step["kind"] == "disk.wipe"]
    assert [step["devices"] for step in wipes] == [[first]]
    assert plan["bytes_destroyed"] > 0
    name = f"wiped-{list(OCCUPIED).index(what)}"
    machine.client.wait(machine.client.post("/arrays", {**spec, "name": name}))
    assert machine.client.get(f"/arrays/{name}")["state"] == "ready"
    assert f" {level} " in machine.machine.check("grep ' : active ' /proc/mdstat")
    machine.client.wait(machine.client.delete(f"/arrays/{name}"))
    assert {d["state"] for d in machine.client.list("/disks") if d["id"] in {first, second}} == {"free"}


def test_a_mounted_disk_is_refused_even_with_a_wipe(machine: Appliance) -> None:
    first, second = machine.disk_ids("ubd")[6:8]
    device = next(d.path for d in machine.machine.disks if d.serial == _serial(machine, first))
    machine.machine.check(f"mkfs.ext4 -q -F {device} && mkdir -p /run/held && mount {device} /run/held")
    try:
        for wipe in ([], [first]):
            problem = refusal(machine, "/arrays", _spec([first, second], wipe=wipe))
            assert problem.status == 409
            assert "/run/held" in str(problem.problem)
            assert first in str(problem.problem)
    finally:
        machine.machine.check(f"umount /run/held && wipefs --all {device}")


def test_the_disk_of_the_system_is_never_a_candidate(machine: Appliance) -> None:
    system = [d for d in machine.client.list("/disks") if d["state"] == "system"]
    assert len(system) == 1
    problem = refusal(machine, "/arrays", _spec([system[0]["id"], machine.disk_ids("ubd")[8]], wipe=[system[0]["id"]]))
    assert problem.status == 409
    assert system[0]["id"] in str(problem.problem)


def test_the_volume_that_does_not_fit_takes_the_whole_batch_with_it(machine: Appliance) -> None:
    disks = machine.disk_ids("ubd")[8:10]
    machine.client.wait(
        machine.client.post("/arrays", {"name": "small", "engine": "md", "level": "raid1", "disks": disks})
    )
    free = machine.client.get("/arrays/small")["free_bytes"]
    size = free // 6 // (4 * MIB) * 4 * MIB
    batch = {"array": "small", "name_pattern": "v%02d", "size_bytes": size}
    fitting = free // size
    problem = refusal(machine, "/volumes:create-batch", {**batch, "count": fitting + 1})
    assert (problem.status, problem.problem["type"]) == (409, "no-space")
    machine.client.wait(machine.client.post("/volumes:create-batch", {**batch, "count": fitting}))
    assert len(list(machine.client.list("/volumes"))) == fitting


def _serial(machine: Appliance, disk_id: str) -> str:
    return str(machine.client.get(f"/disks/{disk_id}")["serial"])
