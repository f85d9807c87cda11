"""A drive on two paths is one disk, and one that nothing tells from others is not built upon."""

from typing import Any

from backend.tests.scene import disk_ids
from backend.tests.wiring import Api
from lunette.system.fake import FakeSystem


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
    wish = {"name": "t", "level": "raid1", "disks": [disk["id"], path["id"]], "wipe": [path["id"]]}
    refused = appliance.post("/arrays", wish, dry_run=True)
    assert refused.status_code == 409
    assert f"cannot be used: it is the second path of disk {disk['id']}" in refused.text


def test_a_drive_that_nothing_tells_from_others_is_not_built_upon(appliance: Api, machine: FakeSystem) -> None:
    bare = machine.blocks.disks[8]
    bare.serial, bare.wwn = "", ""
    machine.insert(bare)
    appliance.until(lambda: any(one["serial"] == "" for one in appliance.items("/disks")))
    disk = next(one for one in appliance.items("/disks") if one["serial"] == "")
    assert (disk["state"], disk["wipeable"]) == ("occupied", False)
    assert "another drive could be taken for it" in disk["occupied_by"]
    wish = {"name": "t", "level": "raid1", "disks": [disk["id"], disk_ids(appliance)[0]]}
    refused = appliance.post("/arrays", wish, dry_run=True)
    assert refused.status_code == 409
    assert "another drive could be taken for it" in refused.text
