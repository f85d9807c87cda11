"""`POST /disks/{disk}:locate`: the light of the bay a disk sits in, and where it sits."""

from typing import Any

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring import Api
from lunette.agent.core import Agent
from lunette.domain.errors import Conflict, ToolFailed
from lunette.domain.steps import DiskLocate
from lunette.providers.disks import place
from lunette.providers.disks.locate import locate, undo_locate

BAY = "Slot 03"


@pytest.fixture
def seated(appliance: Api, machine: FakeSystem) -> dict[str, Any]:
    """A disk in a bay with a light."""
    machine.blocks.disks[4].transport = "sas"
    machine.blocks.disks[4].bay = BAY
    machine.changed()
    appliance.until(lambda: bool(in_bay(appliance)))
    (found,) = in_bay(appliance)
    return found


def in_bay(appliance: Api) -> list[dict[str, Any]]:
    """By its new name: a look between two changes of the fake machine shows the bay with the old one."""
    found = [disk for disk in appliance.items("/disks") if disk["observed"]["place"]["bay"] == BAY]
    return [disk for disk in found if not disk["id"].startswith("nvme-")]


def test_the_light_is_switched_on_and_off_after_its_plan(
    appliance: Api, machine: FakeSystem, seated: dict[str, Any]
) -> None:
    disk = machine.blocks.disks[4]
    at = seated["observed"]["place"]
    assert (at["enclosure"], at["is_located"]) == ("0x500304801e97c7bf", False)
    path = f"/disks/{seated['id']}:locate"
    plan = appliance.post(path, {}, dry_run=True).json()
    assert [step["kind"] for step in plan["steps"]] == ["disk.locate"]
    assert (plan["changes"][0]["detail"], plan["bytes_destroyed"]) == (f"the locate light of bay {BAY} is turned on", 0)
    assert not disk.is_located
    for _ in range(2):
        job = appliance.made(path, {})
        assert (job["kind"], disk.is_located) == ("disk.locate", True)
    assert appliance.get(f"/disks/{seated['id']}")["observed"]["place"]["is_located"] is True
    appliance.made(path, {"off": True})
    assert not disk.is_located
    kinds = [event["kind"] for event in appliance.items("/events", noun="disk") if event["ref"] == seated["id"]]
    assert "disk.located" in kinds  # the watcher files on its own time that the disk appeared


def test_a_disk_without_a_light_says_where_it_is(appliance: Api) -> None:
    disk = appliance.items("/disks")[0]
    at = disk["observed"]["place"]
    refused = appliance.post(f"/disks/{disk['id']}:locate", {})
    assert (refused.status_code, at["is_located"]) == (409, None)
    assert at["pci_address"] in refused.json()["detail"]
    assert disk["serial"] in refused.json()["detail"]


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/nvme/nvme0/nvme0n1", "0000:3b:00.0"),
        ("/sys/devices/pci0000:5d/0000:5d:05.5/pci10000:00/10000:00:02.0/10000:01:00.0/nvme/nvme0", "10000:01:00.0"),
        ("/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1", None),
    ],
    ids=["a slot", "behind VMD", "several paths"],
)
def test_the_address_is_that_of_the_last_device_on_the_way(
    machine: FakeSystem, monkeypatch: pytest.MonkeyPatch, path: str, address: str | None
) -> None:
    monkeypatch.setattr(machine, "realpath", lambda _path: path)
    assert place.observe(machine, "nvme0n1", (), {}).pci_address == address


def test_another_drive_in_its_place_and_a_bay_that_went_dark_are_refused(
    machine: FakeSystem, agent: Agent, seated: dict[str, Any]
) -> None:
    disk = machine.blocks.disks[4]
    step = DiskLocate(disk_id=seated["id"], serial="OTHER", is_on=True, was_on=False)
    with pytest.raises(Conflict, match="the drive was replaced"):
        locate(machine, step)
    step = step.model_copy(update={"serial": disk.serial})
    assert (locate(machine, step), disk.is_located) == (f"the locate light of bay {BAY} is on", True)
    assert locate(machine, step) is None
    assert (undo_locate(machine, step), disk.is_located) == (f"the locate light of bay {BAY} is off", False)
    locate(machine, step)
    assert undo_locate(machine, step.model_copy(update={"was_on": True})) is None
    assert disk.is_located
    disk.bay = None
    machine.changed()
    with pytest.raises(Conflict, match="is not in a bay"):
        locate(machine, step)


def test_an_enclosure_that_does_nothing_is_reported(
    machine: FakeSystem, seated: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    step = DiskLocate(disk_id=seated["id"], serial=machine.blocks.disks[4].serial, is_on=True, was_on=False)
    monkeypatch.setattr(machine, "write", lambda path, text: None)
    with pytest.raises(ToolFailed, match="does not report"):
        locate(machine, step)
