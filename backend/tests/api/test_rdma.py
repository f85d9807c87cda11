"""RDMA through the API: which devices there are, and portals on them."""

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS
from backend.tests.wiring import Api


def test_devices_are_listed_with_link_and_addresses(appliance: Api, machine: FakeSystem) -> None:
    assert appliance.items("/rdma-devices") == []
    machine.plug_rdma()
    appliance.until(lambda: bool(appliance.items("/rdma-devices")))
    (device,) = appliance.items("/rdma-devices")
    assert (device["id"], device["interface"], device["state"], device["reason"]) == ("rxe0/1", "eth0", "active", None)
    first = device["addresses"][0]
    assert (first["address"], first["kind"]) == (ADDRESS, "RoCE v2")


def test_a_portal_over_iser_opens_waits_and_returns_with_its_device(appliance: Api, machine: FakeSystem) -> None:
    spec = {"name": "fast", "protocol": "iser", "address": ADDRESS}
    refused = appliance.post("/portals", spec)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "protocol")
    assert "install an RDMA network card" in refused.text
    machine.plug_rdma()
    appliance.until(lambda: any("iser" in engine["protocols"] for engine in appliance.items("/engines")))
    portal = appliance.made("/portals", spec)
    assert (portal["engine"], portal["port"]) == ("lio", 3261)
    appliance.until(lambda: appliance.get("/portals/fast")["state"] == "open")
    machine.unplug_rdma()
    appliance.until(lambda: appliance.get("/portals/fast")["state"] == "blocked")
    assert "no RDMA device" in appliance.get("/portals/fast")["reason"]
    machine.plug_rdma()
    appliance.until(lambda: appliance.get("/portals/fast")["state"] == "open")
