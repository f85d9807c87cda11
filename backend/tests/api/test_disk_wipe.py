"""`POST /disks/{disk}:wipe`: planned, confirmed by the serial, a job, and refused for what is used."""

from typing import Any

import pytest

from backend.tests.fakemachine import FakeSignature, FakeSystem
from backend.tests.scene import disk_ids, make_array
from backend.tests.wiring import Api
from lunette.agent.core import Agent


@pytest.fixture
def used(appliance: Api, machine: FakeSystem, agent: Agent) -> dict[str, Any]:
    """A disk with an old file system; every drive was asked what it can do."""
    fake = machine.blocks.disks[5]
    fake.media.signatures.append(FakeSignature("ext4", 0x438, label="data"))
    fake.media.data[8192] = "secret"
    machine.changed()
    agent.ask_disks()
    appliance.until(lambda: len(appliance.items("/disks", state="occupied")) == 1)
    found: dict[str, Any] = appliance.items("/disks", state="occupied")[0]
    return found


@pytest.mark.parametrize(("method", "is_left"), [("signatures", True), ("format", False), ("sanitize_crypto", False)])
def test_a_disk_is_emptied_after_its_plan(
    appliance: Api, machine: FakeSystem, used: dict[str, Any], method: str, is_left: bool
) -> None:
    body = {"method": method, "confirm": used["serial"]}
    path = f"/disks/{used['id']}:wipe"
    plan = appliance.post(path, body, dry_run=True).json()
    assert (plan["bytes_destroyed"], plan["steps"][0]["irreversible"]) == (used["size_bytes"], True)
    assert appliance.get(f"/disks/{used['id']}")["state"] == "occupied"
    appliance.made(path, body)
    assert appliance.get(f"/disks/{used['id']}")["state"] == "free"
    assert bool(machine.blocks.disks[5].media.data) == is_left
    appliance.made(path, body)


def test_a_wrong_serial_and_a_member_of_an_array_are_refused(appliance: Api, used: dict[str, Any]) -> None:
    wrong = appliance.post(f"/disks/{used['id']}:wipe", {"method": "signatures", "confirm": "OTHER"})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "confirm")
    body = {"method": "signatures", "confirm": used["serial"]}
    appliance.made(f"/disks/{used['id']}:wipe", body)
    make_array(appliance)
    member = next(one for one in appliance.items("/disks") if one["array"])
    body = {"method": "signatures", "confirm": member["serial"]}
    refused = appliance.post(f"/disks/{member['id']}:wipe", body)
    assert refused.status_code == 409
    assert "belongs to array tank" in refused.text
    assert appliance.post("/disks/none:wipe", body).status_code == 404


def test_the_alerts_of_one_disk_are_found_by_its_id(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    first, second = disk_ids(appliance)[:2]
    for disk in machine.blocks.disks[:2]:
        machine.tools.drives.health(disk).critical_warning = 1
    agent.ask_disks()
    appliance.until(lambda: len(appliance.items("/alerts")) == 2)
    found = [(one["key"], one["family"]) for one in appliance.items("/alerts", ref=first)]
    assert found == [(f"disk.spare:{first}", "disk")]
    assert second in appliance.items("/alerts", ref=second)[0]["message"]
