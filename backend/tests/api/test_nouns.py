"""The nouns over the whole control plane, with the real agent on a fake machine, on both kinds of database."""

from typing import Any

import pytest

from backend.tests.fakemachine import FakeSignature, FakeSystem
from backend.tests.scene import WHOLE, disk_ids, make_array, make_scene
from backend.tests.wiring import Api


def test_the_whole_vertical_is_driven_by_the_api_alone(appliance: Api) -> None:
    make_scene(appliance, volumes=WHOLE)
    appliance.until(lambda: {m["state"] for m in appliance.items("/mappings")} == {"open"})
    volumes = appliance.items("/volumes", host="host2")
    assert [v["name"] for v in volumes] == [f"lun{n:02d}" for n in range(9, 17)]
    assert [v["mapped_to"][0]["lun"] for v in volumes] == list(range(1, 9))
    assert {v["export"]["state"] for v in volumes} == {"open"}
    assert all(v["observed"]["active"] and v["observed"]["size_bytes"] == 16 * 1024**2 for v in volumes)
    host = appliance.get("/hosts/host1")
    assert (host["mappings"], host["export"]["state"]) == (8, "open")
    assert host["target_iqn"].startswith("iqn.2026-11.io.lunette:")
    array = appliance.get("/arrays/tank")
    assert (array["volumes"], array["state"]) == (32, "ready")
    assert [m["state"] for m in array["members"]][:7] == ["in_sync"] * 7
    assert appliance.get("/portals/front")["state"] == "open"
    status = appliance.get("/status")
    assert status["exports"]["state"] == "converged"
    assert (status["counts"]["disks"], status["counts"]["volumes"], status["counts"]["mappings"]) == (12, 32, 32)


def test_a_plan_says_what_would_happen_and_nothing_does(appliance: Api) -> None:
    body = {"name": "tank", "level": "raid5", "disks": disk_ids(appliance)[:3]}
    plan = appliance.post("/arrays", body, dry_run=True)
    assert plan.status_code == 200
    assert plan.json()["devices"] == body["disks"]
    assert plan.json()["bytes_destroyed"] == 0
    assert [step["kind"] for step in plan.json()["steps"]] == ["md.create", "group.create"]
    assert all(step["description"] and not step["irreversible"] for step in plan.json()["steps"])
    assert appliance.items("/arrays") == []
    assert appliance.items("/jobs") == []


def test_a_disk_with_data_is_refused_by_name_and_used_if_its_wipe_is_requested(
    appliance: Api, machine: FakeSystem
) -> None:
    machine.blocks.disks[0].media.signatures.append(FakeSignature("ext4", 0x438, label="data"))
    machine.changed()
    disks = disk_ids(appliance)[:3]
    appliance.until(lambda: bool(appliance.items("/disks", state="occupied")))
    used = appliance.items("/disks", state="occupied")[0]
    assert (used["id"], used["wipeable"]) == (disks[0], True)
    body: dict[str, Any] = {"name": "tank", "level": "raid5", "disks": disks}
    refused = appliance.post("/arrays", body)
    assert (refused.status_code, refused.json()["type"]) == (409, "in-use")
    assert disks[0] in refused.text
    assert "ext4" in refused.text
    assert appliance.items("/arrays") == []
    plan = appliance.post("/arrays", {**body, "wipe": [disks[0]]}, dry_run=True).json()
    assert plan["bytes_destroyed"] == used["size_bytes"]
    assert next((s["kind"], s["irreversible"]) for s in plan["steps"]) == ("disk.wipe", True)
    appliance.made("/arrays", {**body, "wipe": [disks[0]]})
    assert appliance.get(f"/disks/{disks[0]}")["array"] == "tank"


def test_a_long_change_answers_with_a_job_that_can_be_followed(appliance: Api) -> None:
    answer = appliance.post("/arrays", {"name": "tank", "level": "raid1", "disks": disk_ids(appliance)[:2]})
    assert answer.status_code == 202
    job = answer.json()
    assert answer.headers["Location"] == f"/api/v1/jobs/{job['id']}"
    assert job["state"] in ("pending", "running")
    done = appliance.done(job)
    assert done["progress_percent"] == 100.0
    assert [step["state"] for step in done["steps"]] == ["done", "done"]
    assert all(step["description"] and step["finished_at"] for step in done["steps"])
    assert [j["id"] for j in appliance.items("/jobs", state="succeeded", kind="array.create")] == [job["id"]]


def test_a_repeated_long_change_gives_the_same_job(appliance: Api) -> None:
    body = {"name": "tank", "level": "raid1", "disks": disk_ids(appliance)[:2]}
    key = {"Idempotency-Key": "k"}
    first = appliance.post("/arrays", body, headers=key)
    appliance.done(first.json())
    again = appliance.post("/arrays", body, headers=key)
    assert (again.status_code, again.content) == (202, first.content)
    assert len(appliance.items("/arrays")) == 1


IMPOSSIBLE: tuple[tuple[str, dict[str, Any], set[int], str], ...] = (
    ("/arrays", {"name": "a", "level": "raid1", "disks": ["nvme-none", "nvme-nil"]}, {404, 409, 422}, "nvme-none"),
    ("/arrays", {"name": "tank", "level": "raid0", "disks": ["x"]}, {409, 422}, "tank"),
    ("/volumes", {"name": "lun01", "array": "tank", "size_bytes": "16MiB"}, {409}, "lun01"),
    ("/volumes", {"name": "big", "array": "tank", "size_bytes": "100TiB"}, {409}, "big"),
    ("/volumes", {"name": "v", "array": "none", "size_bytes": "16MiB"}, {404, 409, 422}, "none"),
    ("/volumes", {"name": "v", "array": "tank", "size_bytes": 4194305}, {422}, "size_bytes"),
    ("/hosts", {"name": "host1"}, {409}, "host1"),
    ("/hosts", {"name": "h", "iqns": ["iqn.2026-01.com.example:host1"]}, {409}, "host1"),
    ("/mappings", {"volume": "lun01", "host": "host2"}, {409}, "lun01"),
    ("/mappings", {"volume": "lun01", "host": "host2", "lun": 1, "shared": True}, {409}, "lun"),
    ("/mappings", {"volume": "none", "host": "host2"}, {404, 409, 422}, "none"),
    ("/portals", {"name": "p", "address": "192.0.2.1"}, {409}, "192.0.2.1"),
    ("/portals", {"name": "p", "address": "203.0.113.9"}, {409, 422}, "203.0.113.9"),
)


def test_an_impossible_spec_is_refused_in_words_and_changes_nothing(scene: Api) -> None:
    before = scene.get("/status")["counts"]
    for path, body, status, word in IMPOSSIBLE:
        refused = scene.post(path, body)
        assert refused.status_code in status, refused.text
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert word in refused.text
        assert scene.get("/status")["counts"] == before, (path, body)


@pytest.fixture
def scene(appliance: Api) -> Api:
    make_scene(appliance)
    return appliance


def test_a_batch_that_does_not_fit_makes_nothing(appliance: Api) -> None:
    array = make_array(appliance, disks=3)
    room = array["free_bytes"] // (16 * 1024**2)
    body = {"array": "tank", "name_pattern": "lun%02d", "count": room + 1, "size_bytes": "16MiB"}
    refused = appliance.post("/volumes:create-batch", body)
    assert (refused.status_code, refused.json()["type"]) == (409, "no-space")
    assert appliance.items("/volumes") == []


def test_what_is_in_use_is_not_deleted_and_in_order_everything_is(scene: Api) -> None:
    for path in ("/arrays/tank", "/volumes/lun01", "/hosts/host1"):
        refused = scene.delete(path)
        assert refused.status_code == 409, path
    for mapping in scene.items("/mappings"):
        assert scene.delete(f"/mappings/{mapping['id']}").status_code == 204
    plan = scene.delete("/volumes/lun01", dry_run=True).json()
    assert plan["bytes_destroyed"] == 0
    assert [step["kind"] for step in plan["steps"]] == ["exports.gone", "volume.set_aside"]
    for volume in scene.items("/volumes"):
        scene.done(scene.delete(f"/volumes/{volume['id']}").json())
    scene.done(scene.delete("/arrays/tank").json())
    for host in scene.items("/hosts"):
        assert scene.delete(f"/hosts/{host['name']}").status_code == 204
    assert scene.delete("/portals/front").status_code == 204
    assert {d["state"] for d in scene.items("/disks")} == {"free"}
    counts = scene.get("/status")["counts"]
    assert (counts["arrays"], counts["volumes"], counts["hosts"], counts["portals"]) == (0, 0, 0, 0)


def test_a_rename_does_not_change_the_identity(scene: Api) -> None:
    before = scene.get("/volumes/lun01")
    etag = scene.call("GET", "/volumes/lun01").headers["ETag"]
    changed = scene.patch("/volumes/lun01", {"name": "database"}, etag).json()
    for field in ("id", "uuid", "serial", "naa", "nguid", "eui64"):
        assert changed[field] == before[field]
    assert scene.call("GET", "/volumes/lun01").status_code == 404
    assert scene.get(f"/volumes/{before['id']}")["name"] == "database"


def test_a_portal_is_moved_in_place_and_back_by_undo(scene: Api) -> None:
    before = scene.get("/portals/front")
    moved = scene.patch(f"/portals/{before['id']}", {"name": "second", "port": 3270})
    assert moved.status_code == 200, moved.text
    shown = moved.json()
    assert (shown["id"], shown["name"], shown["port"], shown["state"]) == (before["id"], "second", 3270, "pending")
    assert shown["former_places"] == [{"address": before["address"], "port": before["port"]}]
    seq = scene.get("/events", kind="portal.changed")["items"][0]["seq"]
    assert scene.post(f"/events/{seq}:undo").status_code == 201
    back = scene.get(f"/portals/{before['id']}")
    assert (back["name"], back["address"], back["port"]) == ("front", before["address"], before["port"])
    assert scene.patch(f"/portals/{before['id']}", {"port": None}).status_code == 422


def test_groups_share_volumes_under_one_number(scene: Api) -> None:
    for mapping in scene.items("/mappings", host="host1"):
        scene.delete(f"/mappings/{mapping['id']}")
    for number in (5, 6):
        scene.made("/hosts", {"name": f"host{number}", "iqns": [f"iqn.2026-01.com.example:host{number}"]})
    made = scene.made("/host-groups", {"name": "cluster", "hosts": ["host5", "host6"]})
    assert made["hosts"] == ["host5", "host6"]
    mapping = scene.made("/mappings", {"volume": "lun01", "host_group": "cluster", "lun": 0})
    assert (mapping["host_group"], mapping["host"], mapping["lun"]) == ("cluster", None, 0)
    assert scene.get("/hosts/host5")["group"] == "cluster"
    assert [v["name"] for v in scene.items("/volumes", host_group="cluster")] == ["lun01"]


def test_secrets_never_come_back(appliance: Api) -> None:
    chap = {"user": "u", "secret": "secret-secret", "mutual_user": "m", "mutual_secret": "mutual-secret"}
    made = appliance.post("/hosts", {"name": "h", "iqns": ["iqn.2026-01.com.example:h"], "chap": chap})
    assert made.json()["chap"] == {"user": "u", "mutual_user": "m"}
    everything = made.text + appliance.call("GET", "/hosts").text + appliance.call("GET", "/events").text
    assert "secret-secret" not in everything
    assert "mutual-secret" not in everything


def test_a_pulled_disk_is_missing_and_its_array_degraded(scene: Api, machine: FakeSystem) -> None:
    member = scene.get("/arrays/tank")["members"][3]
    disk = next(d for d in machine.blocks.disks if d.serial == member["serial"])
    machine.pull(disk)
    # A look that was under way as the disk was pulled has listed it, and finds the array degraded.
    scene.until(lambda: scene.get("/arrays/tank")["health"] == "degraded")
    scene.until(lambda: scene.get(f"/disks/{member['disk_id']}")["state"] == "missing")
    gone = scene.get(f"/disks/{member['disk_id']}")
    assert (gone["state"], gone["observed"], gone["array"]) == ("missing", None, "tank")
    status = scene.get("/status")
    assert status["health"] in ("warning", "critical")
    assert "tank" in status["sentence"]


def test_engines_report_their_abilities(appliance: Api) -> None:
    engines = {engine["engine"]: engine for engine in appliance.items("/engines")}
    assert engines["md"]["available"] is True
    assert {level["level"] for level in engines["md"]["levels"]} == {
        "raid0",
        "raid1",
        "raid4",
        "raid5",
        "raid6",
        "raid10",
    }
    assert engines["lio"]["kind"] == "export"


def test_every_change_leaves_an_event_that_names_who_did_it(scene: Api) -> None:
    kinds = {event["kind"] for event in scene.items("/events")}
    assert {"host.created", "portal.created", "mapping.created", "job.finished"} <= kinds
    assert "job.progress" not in kinds, "a job of many steps is not as many lines of the log"
    assert "job.progress" in {event["kind"] for event in scene.items("/events", progress=True)}
    assert {event["kind"] for event in scene.items("/events", kind="job.progress")} == {"job.progress"}
    made = scene.items("/events", kind="host.created")
    assert len(made) == 4
    assert made[0]["actor"].startswith("token:")
    assert made[0]["ref"] == scene.get("/hosts/host4")["id"]


@pytest.mark.parametrize("path", ["/hosts", "/host-groups"])
def test_a_deadline_for_missing_volumes_is_set_retained_and_removed(appliance: Api, path: str) -> None:
    field = "opens_without_missing_after_s"
    assert appliance.made(path, {"name": "plain"})[field] is None
    one = f"{path}/{appliance.made(path, {'name': 'due', field: 300})['id']}"
    assert appliance.get(one)[field] == 300
    for wrong in (29, 86401, "soon"):
        refused = appliance.patch(one, {field: wrong})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["field"] == field
    assert appliance.get(one)[field] == 300
    assert appliance.patch(one, {"description": "rack 3"}).json()[field] == 300
    assert appliance.patch(one, {field: None}).json()[field] is None
