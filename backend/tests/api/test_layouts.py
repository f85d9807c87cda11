"""GET /layouts over the fake machine."""

from backend.tests.wiring import Api

DISKS = [f"nvme-Fake_NVME_FAKE{n:04d}" for n in range(1, 5)]


def test_layouts_are_reported_before_anything_is_made(appliance: Api) -> None:
    found = appliance.get("/layouts", disks=DISKS)
    raid5 = next(layout for layout in found["layouts"] if layout["level"] == "raid5")
    assert (raid5["engine"], raid5["possible"], raid5["survives_disks"]) == ("md", True, 1)
    assert raid5["write_hole"][0] == "ppl"
    assert 0 < raid5["usable_bytes"] < found["total_bytes"]
    assert found["block_bytes"] == 16384
    assert [disk["problem"] for disk in found["disks"]] == [None] * 4


def test_a_raid10_retains_the_layout_of_its_creation(appliance: Api) -> None:
    found = appliance.get("/layouts", disks=DISKS)["layouts"]
    reported = [x["layout"] for x in found if (x["engine"], x["level"]) == ("md", "raid10")]
    assert reported == ["n2", "f2", "o2", "n3", "f3", "o3"]
    refused = appliance.post("/arrays", {"name": "tank", "level": "raid5", "layout": "f2", "disks": DISKS})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "layout")
    spec = {"name": "tank", "level": "raid10", "layout": "f2", "disks": DISKS}
    plan = appliance.post("/arrays", spec, dry_run=True).json()
    assert "raid10 (f2)" in plan["changes"][0]["detail"]
    assert "can never be grown" in plan["warnings"][0]
    appliance.made("/arrays", spec)
    array = appliance.get("/arrays/tank")
    assert (array["layout"], array["observed"]["layout"], array["health"]) == ("f2", "f2", "resyncing")
    assert appliance.get("/site")["arrays"][0]["layout"] == "f2"


def test_a_block_size_no_volume_has_is_refused(appliance: Api) -> None:
    answer = appliance.call("GET", "/layouts", params={"disks": DISKS, "block_bytes": 5000})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "block_bytes")
