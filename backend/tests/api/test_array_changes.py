"""The life of an array through the API, with the real agent on a fake machine: disks are lost, replaced, removed."""

from typing import Any

from backend.tests.fakemachine import FakeDisk, FakeSignature, FakeSystem
from backend.tests.scene import disk_ids
from backend.tests.wiring import Api
from backend.tests.wiring_agent import passed
from lunette.agent.core import Agent
from lunette.domain.sealed_copies import SPACE_BYTES
from lunette.domain.volumes import EXTENT_BYTES
from lunette.providers.volumes.lvm.plan import METADATA_BYTES

REBUILD_S = 40


def stand(api: Api, *, level: str = "raid5", members: int = 3, spares: int = 0) -> list[str]:
    """An array `tank` of the first disks; all disks' ids."""
    disks = disk_ids(api)
    body = {"name": "tank", "level": level, "disks": disks[:members], "spares": disks[members : members + spares]}
    api.made("/arrays", body)
    return disks


def states(api: Api) -> dict[str, str]:
    return {member["disk_id"]: member["state"] for member in api.get("/arrays/tank")["members"]}


def alerts(api: Api) -> list[Any]:
    return [alert for alert in api.items("/alerts", active=True) if alert["key"].startswith("array.")]


def change(api: Api, verb: str, body: Any) -> None:
    asked = api.post(f"/arrays/tank:{verb}", body)
    assert asked.status_code == 202, asked.text
    assert api.done(asked.json())["state"] == "succeeded"


def is_known(api: Api) -> bool:
    """All that is wanted is in the ledger of the agent and served; before that, a boot brings nothing of it back."""
    return bool(api.get("/status")["exports"]["state"] == "converged")


def drive(machine: FakeSystem, disk_id: str) -> FakeDisk:
    return next(disk for disk in machine.blocks.disks if disk_id in disk.links())


def test_a_spare_takes_the_place_of_a_lost_disk_and_another_makes_up_for_it(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    disks = stand(appliance, spares=1)
    appliance.until(lambda: is_known(appliance) and agent.bring_up())
    machine.advance(REBUILD_S)
    assert states(appliance) == dict.fromkeys(disks[:3], "in_sync") | {disks[3]: "spare"}
    machine.pull(drive(machine, disks[1]))
    assert states(appliance)[disks[3]] == "spare", "md waits for the next write"
    appliance.until(lambda: passed(agent, lambda: states(appliance).get(disks[3]) == "rebuilding"))
    appliance.until(lambda: bool(alerts(appliance)))
    (alert,) = alerts(appliance)
    assert "tank" in alert["message"]
    assert disks[1] in alert["message"]
    machine.advance(REBUILD_S)
    appliance.until(lambda: [a["key"].partition(":")[0] for a in alerts(appliance)] == ["array.disk"])
    assert f"lunette array replace tank {disks[1]}" in alerts(appliance)[0]["fix"]
    change(appliance, "replace", {"disk": disks[1], "new": disks[4]})
    appliance.until(lambda: not alerts(appliance))
    assert states(appliance) == {disks[0]: "in_sync", disks[2]: "in_sync", disks[3]: "in_sync", disks[4]: "spare"}


def test_a_site_document_distinguishes_spares_and_creates_the_same_array_again(appliance: Api) -> None:
    disks = stand(appliance, spares=1)
    exported = appliance.get("/site")
    (array,) = exported["arrays"]
    assert (array["disks"], array["spares"]) == (disks[:3], disks[3:4])
    assert appliance.post("/site:plan", {"site": exported}).json()["changes"] == []
    appliance.done(appliance.post("/site:apply", {"site": {"arrays": []}, "destroy": ["array/tank"]}).json())
    appliance.done(appliance.post("/site:apply", {"site": exported}).json())
    assert states(appliance)[disks[3]] == "spare"


def test_a_working_disk_is_copied_and_then_removed_automatically(appliance: Api, machine: FakeSystem) -> None:
    disks = stand(appliance)
    machine.advance(REBUILD_S)
    drive(machine, disks[3]).media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    machine.changed()
    spec = {"disk": disks[0], "new": disks[3]}
    refused = appliance.post("/arrays/tank:replace", spec)
    assert (refused.status_code, refused.json()["type"]) == (409, "in-use")
    assert "ext4" in refused.text
    change(appliance, "replace", {**spec, "wipe": [disks[3]]})
    appliance.until(lambda: states(appliance).get(disks[3]) == "replacing")
    assert appliance.get("/arrays/tank")["health"] == "clean"
    assert states(appliance)[disks[0]] == "in_sync"
    machine.advance(REBUILD_S)
    appliance.until(lambda: disks[0] not in states(appliance))
    appliance.until(lambda: appliance.get(f"/disks/{disks[0]}")["state"] == "free")
    assert appliance.items("/jobs")[0]["title"] == f"Remove replaced disk {disks[0]} from array tank"
    assert set(states(appliance).values()) == {"in_sync"}


def test_an_array_grows_and_what_the_reshape_drops_is_restored_automatically(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    disks = stand(appliance)
    machine.advance(REBUILD_S)
    before = appliance.get("/arrays/tank")
    plan = appliance.post("/arrays/tank:grow", {"disks": [disks[3]]}, dry_run=True).json()
    assert [step["kind"] for step in plan["steps"]] == ["md.add", "md.write_hole", "md.reshape"]
    assert "write hole is open" in plan["warnings"][0]
    change(appliance, "grow", {"disks": [disks[3]]})
    appliance.until(lambda: appliance.get("/arrays/tank")["health"] == "reshaping")
    during = appliance.get("/arrays/tank")
    assert (during["growing"], during["write_hole"], during["observed"]["write_hole"]) == (True, "ppl", "none")
    assert during["observed"]["progress"]["action"] == "reshape"
    assert during["usable_bytes"] == before["usable_bytes"]
    refused = appliance.post("/arrays/tank:grow", {"disks": [disks[4]]})
    assert (refused.status_code, refused.json()["type"]) == (409, "conflict")
    assert "being reshaped" in refused.json()["detail"]
    appliance.until(lambda: is_known(appliance))
    machine.power_cut()
    appliance.until(lambda: passed(agent, lambda: appliance.get("/arrays/tank")["health"] == "reshaping"))
    machine.advance(REBUILD_S)
    appliance.until(lambda: passed(agent, lambda: not appliance.get("/arrays/tank")["growing"]))
    after = appliance.get("/arrays/tank")
    assert after["observed"]["write_hole"] == "ppl"
    more = after["usable_bytes"] - before["usable_bytes"]
    kept = METADATA_BYTES + SPACE_BYTES + 2 * EXTENT_BYTES  # of the group, whatever its size
    assert abs(2 * more - (before["usable_bytes"] + kept)) <= 8 * EXTENT_BYTES
    assert after["free_bytes"] > before["free_bytes"] * 14 // 10
    assert set(states(appliance).values()) == {"in_sync"}
    assert appliance.items("/jobs")[0]["title"] == "Finish the growth of array tank"


def test_a_raid5_becomes_a_raid6_while_it_is_used_and_the_row_learns_it(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    disks = stand(appliance)
    machine.advance(REBUILD_S)
    before = appliance.get("/arrays/tank")
    spec = {"level": "raid6", "disks": [disks[3]]}
    plan = appliance.post("/arrays/tank:reshape", spec, dry_run=True).json()
    assert [step["kind"] for step in plan["steps"]] == ["md.add", "md.write_hole", "md.relevel"]
    change(appliance, "reshape", spec)
    appliance.until(lambda: not appliance.get("/arrays/tank")["growing"])
    during = appliance.get("/arrays/tank")
    assert (during["level"], during["write_hole"], during["health"]) == ("raid6", "bitmap", "rebuilding")
    assert (during["observed"]["layout"], during["observed"]["write_hole"]) == ("left-symmetric-6", "bitmap")
    assert during["usable_bytes"] == before["usable_bytes"]
    appliance.until(lambda: is_known(appliance))
    machine.power_cut()
    appliance.until(lambda: passed(agent, lambda: appliance.get("/arrays/tank")["health"] == "rebuilding"))
    machine.advance(REBUILD_S)
    appliance.until(lambda: appliance.get("/arrays/tank")["health"] == "clean")
    assert set(states(appliance).values()) == {"in_sync"}
    refused = appliance.post("/arrays/tank:reshape", {"level": "raid6"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "level")


def test_a_member_without_which_the_array_is_lost_is_not_failed(appliance: Api, machine: FakeSystem) -> None:
    disks = stand(appliance)
    machine.advance(REBUILD_S)
    change(appliance, "fail", {"disk": disks[0]})
    refused = appliance.post("/arrays/tank:fail", {"disk": disks[1]})
    assert (refused.status_code, refused.json()["type"]) == (409, "in-use")
    assert "no redundancy left" in refused.json()["detail"]
    assert appliance.get("/arrays/tank")["health"] == "degraded"
    change(appliance, "readd", {"disk": disks[0]})
    appliance.until(lambda: appliance.get("/arrays/tank")["health"] == "rebuilding")


def test_a_disk_belongs_to_one_array_from_the_request_on(appliance: Api, machine: FakeSystem) -> None:
    disks = stand(appliance)
    change(appliance, "add-spares", {"disks": [disks[3]]})
    refused = appliance.post("/arrays", {"name": "other", "level": "raid1", "disks": disks[3:5]})
    assert refused.status_code == 409
    assert "belongs to array tank" in refused.text
    change(appliance, "remove", {"disk": disks[3]})
    appliance.made("/arrays", {"name": "other", "level": "raid1", "disks": disks[3:5]})


def test_a_scrub_shows_progress_and_can_be_stopped(appliance: Api, machine: FakeSystem) -> None:
    stand(appliance)
    machine.advance(REBUILD_S)
    appliance.until(lambda: appliance.get("/arrays/tank")["health"] == "clean")
    change(appliance, "scrub", {"action": "check"})
    appliance.until(lambda: (appliance.get("/arrays/tank")["observed"]["progress"] or {}).get("action") == "check")
    change(appliance, "scrub", {"action": "stop"})
    appliance.until(lambda: appliance.get("/arrays/tank")["observed"]["progress"] is None)
    assert appliance.get("/arrays/tank")["observed"]["last_scrub"] == "check"


def test_the_rebuild_speed_is_stored_and_set_again_after_a_boot(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    stand(appliance)
    answer = appliance.patch("/arrays/tank", {"sync_speed_min_bytes_s": "5MiB", "sync_speed_max_bytes_s": "50MiB"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["sync_speed_max_bytes_s"] == 50 * 1024**2
    low = "/sys/block/md127/md/sync_speed_min"

    def is_set(text: str) -> bool:
        return passed(agent, lambda: machine.read(low) == text)

    appliance.until(lambda: is_set("5120 (local)\n"))
    machine.write(low, "system")  # as after a boot
    appliance.until(lambda: is_set("5120 (local)\n"))
    appliance.patch("/arrays/tank", {"sync_speed_min_bytes_s": None})
    appliance.until(lambda: is_set("1000 (system)\n"))
    assert appliance.get("/arrays/tank")["sync_speed_max_bytes_s"] == 50 * 1024**2


def tuned(appliance: Api, name: str) -> dict[str, Any]:
    return next(value for value in appliance.get("/arrays/tank")["tuning"] if value["name"] == name)


def test_a_tuning_is_stored_and_set_again_after_a_boot_and_corrected_after_a_drift(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    stand(appliance)
    threads, cache = (f"/sys/block/md127/md/{name}" for name in ("group_thread_cnt", "stripe_cache_size"))

    def is_set(path: str, text: str) -> bool:
        return passed(agent, lambda: machine.read(path).strip() == text)

    appliance.until(lambda: is_set(threads, "4"))  # set automatically, for eight cores
    appliance.until(lambda: is_set(cache, "256"))
    plan = appliance.patch("/arrays/tank", {"stripe_cache_size": 1024, "group_thread_cnt": 2}, dry_run="true").json()
    assert [change["detail"].partition(" is ")[0] for change in plan["changes"]] == [
        "group_thread_cnt",
        "stripe_cache_size",
    ]
    answer = appliance.patch("/arrays/tank", {"stripe_cache_size": 1024, "group_thread_cnt": 2})
    assert (answer.status_code, answer.json()["stripe_cache_size"]) == (200, 1024)
    appliance.until(lambda: is_set(cache, "1024") and is_set(threads, "2"))
    appliance.until(lambda: tuned(appliance, "group_thread_cnt")["observed"] == "2")
    reported = tuned(appliance, "group_thread_cnt")
    assert (reported["value"], reported["automatic"]) == ("2", False)
    assert tuned(appliance, "skip_copy")["automatic"] is True
    machine.write(cache, "300")
    appliance.until(lambda: is_set(cache, "1024"))
    machine.power_cut()  # the ledger alone brings it back
    appliance.until(lambda: is_set(cache, "1024"))
    appliance.patch("/arrays/tank", {"stripe_cache_size": None})
    appliance.until(lambda: is_set(cache, "256"))
    appliance.until(lambda: is_set(threads, "2"))


def test_a_stripe_cache_takes_a_share_of_the_memory_at_most(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    stand(appliance)
    appliance.patch("/arrays/tank", {"stripe_cache_size": 32768})
    # A part of 32 of 16 GiB, by three disks and 4 KiB, is more than md takes at all; with less memory it is not.
    appliance.until(lambda: tuned(appliance, "stripe_cache_size")["value"] == "32768")
    machine.memory_bytes = 2**30
    machine.changed()

    def is_lowered() -> bool:
        return passed(agent, lambda: machine.read("/sys/block/md127/md/stripe_cache_size") == "2730\n")

    appliance.until(is_lowered)
    appliance.until(lambda: tuned(appliance, "stripe_cache_size")["value"] == "2730")
    assert "memory for 2730" in tuned(appliance, "stripe_cache_size")["why"]


def test_the_scheduler_of_every_member_is_unchanged(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    stand(appliance)
    appliance.patch("/arrays/tank", {"scheduler": "mq-deadline"})
    members = {member["disk_id"] for member in appliance.get("/arrays/tank")["members"]}
    disks = [disk for disk in machine.blocks.disks if members & set(disk.links())]
    assert len(disks) == len(members)

    def is_set(name: str) -> bool:
        return passed(agent, lambda: {disk.scheduler for disk in disks} == {name})

    appliance.until(lambda: is_set("mq-deadline"))
    assert {disk.scheduler for disk in machine.blocks.disks if disk not in disks} == {"none"}
    refused = appliance.patch("/arrays/tank", {"scheduler": "bfq"})
    assert refused.status_code == 422
    appliance.patch("/arrays/tank", {"scheduler": None})
    appliance.until(lambda: is_set("none"))


def test_log_and_cache_disks_of_a_pool_come_and_go_and_show_their_roles(appliance: Api, machine: FakeSystem) -> None:
    disks = disk_ids(appliance)
    spec = {"name": "tank", "engine": "zfs", "level": "mirror", "disks": disks[:2], "log": [disks[2]]}
    appliance.made("/arrays", spec)
    usable = appliance.get("/arrays/tank")["usable_bytes"]
    change(appliance, "add-disks", {"role": "cache", "disks": [disks[3]]})
    change(appliance, "add-disks", {"role": "log", "disks": [disks[4]]})
    roles = {member["disk_id"]: (member["role"], member["slot"]) for member in appliance.get("/arrays/tank")["members"]}
    assert roles == {
        disks[0]: ("data", 0),
        disks[1]: ("data", 1),
        disks[2]: ("log", None),
        disks[4]: ("log", None),
        disks[3]: ("cache", None),
    }
    assert appliance.get("/arrays/tank")["usable_bytes"] == usable
    change(appliance, "remove", {"disk": disks[2]})
    change(appliance, "remove", {"disk": disks[3]})
    assert set(states(appliance)) == {disks[0], disks[1], disks[4]}
    assert {appliance.get(f"/disks/{disk}")["state"] for disk in disks[2:4]} == {"free"}
    refused = appliance.post("/arrays/tank:add-disks", {"role": "spare", "disks": [disks[3]]})
    assert refused.status_code == 422, "spares have a call of their own"


def test_a_dirty_degraded_array_stays_stopped_until_it_is_forced(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    disks = stand(appliance, level="raid6", members=4)
    appliance.until(lambda: is_known(appliance) and agent.bring_up())
    machine.advance(REBUILD_S)
    machine.pull(drive(machine, disks[1]))
    machine.md.cut_while_written()
    machine.power_cut()
    machine.advance(REBUILD_S)

    def is_stopped() -> bool:
        return bool((appliance.get("/arrays/tank")["observed"] or {}).get("dirty_degraded"))

    appliance.until(lambda: passed(agent, is_stopped))
    stopped = appliance.get("/arrays/tank")
    assert stopped["health"] == "missing"
    assert {one["role"] for one in stopped["members"]} == {"data"}, "data disks are no spares because the array is down"
    assert states(appliance) == dict.fromkeys(disks[:4], "unknown") | {disks[1]: "missing"}
    before = appliance.items("/jobs")
    assert appliance.post("/arrays/tank:force-start", {"confirm": "tonk"}).status_code == 422
    plan = appliance.post("/arrays/tank:force-start", {"confirm": "tank"}, dry_run=True).json()
    assert [(step["kind"], step["irreversible"]) for step in plan["steps"]] == [("md.force_start", True)]
    assert "nothing identifies them" in plan["warnings"][0]
    assert appliance.items("/jobs") == before
    change(appliance, "force-start", {"confirm": "tank"})
    after = appliance.get("/arrays/tank")
    assert (after["health"], after["observed"]["dirty_degraded"]) == ("degraded", False)
    assert appliance.post("/arrays/tank:force-start", {"confirm": "tank"}).status_code == 409


def mostly(api: Api) -> set[str]:
    return set(api.get("/arrays/tank")["write_mostly"])


def observed_mostly(agent: Agent) -> set[str | None]:
    (array,) = [one for one in agent.observe().arrays if one.ours]
    return {one.disk_id for one in array.members if one.write_mostly}


def test_a_mirror_reads_the_other_disks_and_a_new_one_takes_that_over(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    disks = disk_ids(appliance)
    body = {"name": "tank", "level": "raid1", "disks": disks[:2], "write_mostly": disks[1:2]}
    assert appliance.post("/arrays", body | {"write_mostly": disks[:2]}).status_code == 422
    assert appliance.post("/arrays", body | {"level": "raid10"}).status_code == 422
    appliance.made("/arrays", body)
    appliance.until(lambda: is_known(appliance) and agent.bring_up())
    machine.advance(REBUILD_S)
    assert mostly(appliance) == {disks[1]}
    appliance.until(lambda: observed_mostly(agent) == {disks[1]})
    machine.pull(drive(machine, disks[1]))
    appliance.until(lambda: passed(agent, lambda: appliance.get("/arrays/tank")["health"] == "degraded"))
    change(appliance, "replace", {"disk": disks[1], "new": disks[3]})
    assert mostly(appliance) == {disks[3]}
    assert appliance.patch("/arrays/tank", {"write_mostly": None}).is_success
    assert mostly(appliance) == set()
    assert appliance.patch("/arrays/tank", {"write_mostly": [disks[0]]}).is_success
    assert mostly(appliance) == {disks[0]}
    (kept,) = appliance.get("/site")["arrays"]
    assert kept["write_mostly"] == [disks[0]]


def test_a_spare_of_the_group_is_lent_to_the_array_that_needs_it(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    disks = disk_ids(appliance)
    first = {"name": "tank", "level": "raid1", "disks": disks[:2], "spare_group": "shelf"}
    appliance.made("/arrays", first)
    appliance.made("/arrays", {"name": "pond", "level": "raid1", "disks": disks[2:4], "spares": disks[4:5]})
    appliance.until(lambda: is_known(appliance) and agent.bring_up())
    machine.advance(REBUILD_S)
    machine.pull(drive(machine, disks[1]))
    appliance.until(lambda: bool(alerts(appliance)))
    (alert,) = alerts(appliance)
    assert "spare group shelf" in alert["fix"]
    assert appliance.get("/arrays/pond")["members"][2]["state"] == "spare", "it is in no group"
    joined = appliance.call("PATCH", "/arrays/pond", json={"spare_group": "shelf"}, headers={"If-Match": "*"})
    assert joined.status_code == 200, joined.text
    appliance.until(lambda: states(appliance).get(disks[4]) == "rebuilding")
    machine.advance(REBUILD_S)
    appliance.until(lambda: states(appliance).get(disks[4]) == "in_sync")
    assert [m["disk_id"] for m in appliance.get("/arrays/pond")["members"]] == disks[2:4]
    reported = [event["message"] for event in appliance.items("/events") if event["kind"] == "array.changing"]
    assert f"Spare {disks[4]} of array pond moves to array tank, which lost a disk (spare group shelf)" in reported


def test_a_spare_group_can_be_removed_and_does_not_apply_to_raid0(appliance: Api) -> None:
    disks = stand(appliance)
    for group in ("shelf", None):
        asked = appliance.call("PATCH", "/arrays/tank", json={"spare_group": group}, headers={"If-Match": "*"})
        assert asked.status_code == 200
        assert appliance.get("/arrays/tank")["spare_group"] == group
    refused = appliance.post("/arrays", {"name": "s", "level": "raid0", "disks": disks[4:6], "spare_group": "shelf"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "spare_group"
