"""GET /arrays/layouts over the fake machine."""

from backend.tests.wiring import Api

DISKS = [f"nvme-Fake_NVME_FAKE{n:04d}" for n in range(1, 5)]


def test_layouts_are_told_before_anything_is_made(appliance: Api) -> None:
    found = appliance.get("/arrays/layouts", disks=DISKS)
    raid5 = next(layout for layout in found["layouts"] if layout["level"] == "raid5")
    assert (raid5["engine"], raid5["possible"], raid5["survives_disks"]) == ("md", True, 1)
    assert raid5["write_hole"][0] == "ppl"
    assert 0 < raid5["usable_bytes"] < found["total_bytes"]
    assert found["block_bytes"] == 16384
    assert [disk["problem"] for disk in found["disks"]] == [None] * 4


def test_a_block_size_no_volume_has_is_refused(appliance: Api) -> None:
    answer = appliance.call("GET", "/arrays/layouts", params={"disks": DISKS, "block_bytes": 5000})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "block_bytes")
