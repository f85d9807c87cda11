"""A drive on two paths is one disk, and one that nothing tells from others is not built upon."""

from typing import Any

import pytest
from sqlalchemy import select

from backend.tests.api.rebuilding import Standing
from backend.tests.fakemachine import FakeSignature, FakeSystem
from backend.tests.scene import disk_ids, make_array
from backend.tests.wiring import Api
from backend.tests.wiring_agent import passed
from lunette.agent import serving
from lunette.agent.core import Agent
from lunette.engine.journal import disk_rows
from lunette.store.resources import ArrayDisk


def second_paths(appliance: Api) -> list[dict[str, Any]]:
    return [one for one in appliance.items("/disks") if "second path" in (one["occupied_by"] or "")]


def test_the_second_path_of_a_drive_is_shown_on_it_and_refused_by_name(appliance: Api, machine: FakeSystem) -> None:
    first, second = machine.blocks.disks[8:10]
    second.serial, second.wwn = first.serial, first.wwn
    machine.insert(second)
    appliance.until(lambda: bool(second_paths(appliance)))
    (path,) = second_paths(appliance)
    disk = appliance.get(f"/disks/{first.serial}")
    assert sorted(disk["observed"]["paths"]) == [f"/dev/{first.kernel_name}", f"/dev/{second.kernel_name}"]
    assert (disk["state"], path["state"], path["wipeable"]) == ("free", "occupied", False)
    spec = {"name": "t", "level": "raid1", "disks": [disk["id"], path["id"]], "wipe": [path["id"]]}
    refused = appliance.post("/arrays", spec, dry_run=True)
    assert refused.status_code == 409
    assert f"cannot be used: it is the second path of disk {disk['id']}" in refused.text


def test_an_indistinguishable_drive_is_used_on_request_and_recognized_by_its_content(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    bare = machine.blocks.disks[8:11]
    for disk in bare:
        disk.serial, disk.wwn, disk.transport = "", "", "spi"
    machine.insert(bare[0])
    appliance.until(lambda: sum(one["serial"] == "" for one in appliance.items("/disks")) == 3)
    names = [disk.kernel_name for disk in bare[:2]]
    bare[2].media.signatures.append(FakeSignature("ext4", 0x438, label="data"))
    machine.insert(bare[2])
    appliance.until(lambda: any("ext4" in (one["occupied_by"] or "") for one in appliance.items("/disks")))
    word = f"unidentified:{bare[2].kernel_name}"
    spec = {"name": "one", "level": "raid1", "disks": [f"unidentified:{names[0]}", word], "wipe": [word]}
    used = appliance.post("/arrays", spec, dry_run=True)
    assert used.status_code == 409
    assert "Wipe it manually" in used.text
    words = [f"unidentified:{name}" for name in names]
    zfs = appliance.post("/arrays", {"name": "z", "engine": "zfs", "level": "mirror", "disks": words}, dry_run=True)
    assert "can only be a member of md arrays" in zfs.text
    appliance.made("/arrays", {"name": "one", "level": "raid1", "disks": words})

    def members() -> dict[str, str]:
        found = [one for one in appliance.items("/disks") if one["array"] == "one" and one["observed"]]
        return {one["id"]: one["observed"]["device"] for one in found}

    appliance.until(lambda: sum(name.startswith("md-") for name in members()) == 2, 20)
    before = members()
    assert sorted(before.values()) == sorted(f"/dev/{name}" for name in names)
    machine.reboot()
    serving.prepare(machine)
    bare[1].kernel_name, bare[2].kernel_name = bare[2].kernel_name, bare[1].kernel_name
    machine.insert(bare[0])
    appliance.until(lambda: passed(agent, lambda: machine.blocks.above(bare[1].kernel_name) != []))
    machine.insert(bare[0])
    appliance.until(lambda: f"/dev/{bare[1].kernel_name}" in members().values())
    assert set(members()) == set(before)
    other = next(one for one in appliance.items("/disks") if one["id"] == bare[2].kernel_name)
    assert other["array"] is None


def test_an_indistinguishable_drive_is_not_used_in_an_array(appliance: Api, machine: FakeSystem) -> None:
    bare = machine.blocks.disks[8]
    bare.serial, bare.wwn = "", ""
    machine.insert(bare)
    appliance.until(lambda: any(one["serial"] == "" for one in appliance.items("/disks")))
    disk = next(one for one in appliance.items("/disks") if one["serial"] == "")
    assert (disk["state"], disk["wipeable"]) == ("occupied", False)
    assert "another drive could be mistaken for it" in disk["occupied_by"]
    spec = {"name": "t", "level": "raid1", "disks": [disk["id"], disk_ids(appliance)[0]]}
    refused = appliance.post("/arrays", spec, dry_run=True)
    assert refused.status_code == 409
    assert "another drive could be mistaken for it" in refused.text


@pytest.mark.parametrize("is_other_drive", [False, True])
def test_disks_that_an_older_version_called_by_another_link_go_by_their_names_of_today(
    standing: Standing, agent: Agent, machine: FakeSystem, is_other_drive: bool
) -> None:
    appliance, services = standing
    make_array(appliance)
    today = {disk["id"] for disk in appliance.items("/disks") if disk["array"]}
    with services.store.write() as tx:
        for row in tx.scalars(select(ArrayDisk)):
            row.disk_id = row.disk_id.removesuffix("_1")
            row.serial += "X" * is_other_drive

    def named() -> set[str]:
        with services.store.read() as tx:
            return set(tx.scalars(select(ArrayDisk.disk_id)))

    before = named()
    assert len(before) == 8
    assert before.isdisjoint(today)
    if is_other_drive:
        disk_rows.follow_links(services.store, services.control.services, agent.observe())
        assert named() == before
        return
    machine.changed()
    appliance.until(lambda: named() == today)
    appliance.until(lambda: all(disk["observed"] for disk in appliance.items("/disks") if disk["array"]))
    assert not [alert for alert in appliance.items("/alerts") if "failed or is missing" in alert["message"]]
    assert appliance.get("/arrays/tank")["health"] in ("clean", "resyncing")
