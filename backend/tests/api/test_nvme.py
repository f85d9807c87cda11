"""NVMe through the API: a portal, a host with keys, a mapping, and what is reported about them."""

import json

from backend.tests.agent.exports import dhchap_key
from backend.tests.api.test_undo import last
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS, make_array
from backend.tests.wiring import Api

NQN = "nqn.2014-08.org.nvmexpress:uuid:12345678-1234-4234-8234-123456789abc"


def test_a_volume_is_served_over_nvme_by_the_api_alone(appliance: Api, machine: FakeSystem) -> None:
    machine.run(["modprobe", "nvmet-tcp"])
    make_array(appliance)
    appliance.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "16MiB"})
    keys = {"secret": dhchap_key(1), "mutual_secret": dhchap_key(2)}
    host = appliance.made("/hosts", {"name": "db", "nqns": [NQN], "dhchap": keys})
    assert host["dhchap"] == {"hash": "sha256", "dh_group": "ffdhe2048", "is_mutual": True}
    portal = appliance.made("/portals", {"name": "n", "protocol": "nvme-tcp", "address": ADDRESS})
    assert (portal["engine"], portal["port"]) == ("nvmet", 4420)
    mapping = appliance.made("/mappings", {"volume": "data", "host": "db"})
    assert (mapping["family"], mapping["lun"], mapping["target_iqn"]) == ("nvme", 1, None)
    appliance.until(lambda: appliance.get("/hosts/db")["export"]["state"] == "open")
    proof = (keys["secret"], keys["mutual_secret"])
    controller = machine.connect(NQN, mapping["subsystem_nqn"], f"{ADDRESS}:4420", proof)
    assert machine.nvme
    assert list(machine.nvme.devices(controller)) == [1]
    answers = [appliance.get(path) for path in ("/hosts/db", "/hosts", "/events", "/mappings", "/status")]
    assert "DHHC" not in json.dumps(answers)


def test_sessions_that_cannot_be_seen_are_not_counted_as_none(appliance: Api, machine: FakeSystem) -> None:
    assert appliance.get("/sessions")["unseen"] == []
    test_a_volume_is_served_over_nvme_by_the_api_alone(appliance, machine)
    page = appliance.get("/sessions")
    assert (page["items"], [one["family"] for one in page["unseen"]]) == ([], ["nvme"])
    assert appliance.get("/hosts/db")["sessions"] is None
    assert appliance.get("/status")["counts"]["sessions"] is None


def test_a_broken_key_is_refused_by_its_field_and_not_shown(appliance: Api) -> None:
    broken = dhchap_key(1)[:-3] + "A=:"
    refused = appliance.post("/hosts", {"name": "db", "nqns": [NQN], "dhchap": {"secret": broken}})
    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert error["field"] == "dhchap.secret"
    assert broken not in refused.text


def test_spdk_takes_over_from_the_kernel_and_shows_who_is_connected(appliance: Api, machine: FakeSystem) -> None:
    test_a_volume_is_served_over_nvme_by_the_api_alone(appliance, machine)
    spec = {"name": "s", "protocol": "nvme-tcp", "engine": "spdk", "address": ADDRESS}
    refused = appliance.post("/portals", spec)
    assert {one["field"] for one in refused.json()["errors"]} >= {"engine"}
    assert "nvmf_tgt is not installed" in refused.text
    machine.install_spdk()
    refused = appliance.post("/portals", spec)
    assert "portal n is served by nvmet" in refused.text
    assert appliance.delete("/portals/n").status_code == 204
    portal = appliance.made("/portals", spec)
    assert (portal["engine"], portal["port"]) == ("spdk", 4420)
    appliance.until(lambda: appliance.get("/portals/s")["state"] == "open")
    subsystem = appliance.get("/mappings")["items"][0]["subsystem_nqn"]
    machine.spdk.connect(NQN, subsystem, f"{ADDRESS}:4420", (dhchap_key(1), dhchap_key(2)))
    page = appliance.get("/sessions")
    assert [(one["host"], one["portal"]) for one in page["items"]] == [("db", f"{ADDRESS}:4420")]
    assert page["unseen"] == []
    assert appliance.get("/site")["portals"][-1]["engine"] == "spdk"


def test_a_volume_is_served_over_nvme_fc_once_there_is_a_port(appliance: Api, machine: FakeSystem) -> None:
    address = "nn-0x20000000c9000001:pn-0x10000000c9000001"
    spec = {"name": "fabric-a", "protocol": "nvme-fc", "address": address}
    machine.run(["modprobe", "nvmet-tcp"])
    refused = appliance.post("/portals", spec)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "protocol")
    assert "lpfc_enable_nvmet" in refused.text
    machine.fc.plug_nvme(address)
    machine.changed()
    make_array(appliance)
    appliance.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "16MiB"})
    appliance.made("/hosts", {"name": "db", "nqns": [NQN]})
    portal = appliance.made("/portals", spec)
    assert (portal["engine"], portal["address"], portal["port"]) == ("nvmet", address, None)
    mapping = appliance.made("/mappings", {"volume": "data", "host": "db"})
    appliance.until(lambda: appliance.get("/hosts/db")["export"]["state"] == "open")
    appliance.until(lambda: appliance.get("/portals/fabric-a")["state"] == "open")
    assert machine.nvme
    assert list(machine.nvme.devices(machine.connect(NQN, mapping["subsystem_nqn"], address, None, "fc"))) == [1]
    paths = appliance.get("/hosts/db/paths")
    assert [(one["protocol"], one["address"]) for one in paths["paths"]] == [("nvme-fc", address)]
    kit = appliance.get("/hosts/db/kit")
    assert [one["run"] for one in kit["commands"] if "nvmefc-boot-connections" in one["run"]]
    assert address in json.dumps(appliance.get("/volumes/data:why"))


def test_a_portal_over_nvme_fc_is_in_the_site_and_is_restored_by_undo(appliance: Api, machine: FakeSystem) -> None:
    test_a_volume_is_served_over_nvme_fc_once_there_is_a_port(appliance, machine)
    (portal,) = appliance.get("/site")["portals"]
    assert (portal["protocol"], portal.get("port")) == ("nvme-fc", None)
    assert appliance.delete("/portals/fabric-a").status_code == 204
    assert appliance.post(f"/events/{last(appliance, 'portal.deleted')}:undo").is_success
    assert appliance.get("/portals/fabric-a")["port"] is None
