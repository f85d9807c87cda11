"""Fibre Channel through the API: a port, a host with a WWPN, a mapping, and what is reported about them."""

from backend.tests.api.test_array_changes import is_known
from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.lio.fc import FakeFcPort
from backend.tests.scene import ADDRESS, make_array
from backend.tests.wiring import Api
from lunette.agent import serving
from lunette.client import JsonObject

OURS, HOST = "50:00:00:00:00:00:00:01", "10:00:00:00:00:00:00:09"


def plug(machine: FakeSystem, driver: str = "qla2xxx") -> FakeFcPort:
    """A port of ours, with LIO and its module loaded as they are at every start of the agent."""
    port = machine.add_fc_port(OURS, driver)
    serving.prepare(machine)
    return port


def serve(appliance: Api, machine: FakeSystem, driver: str = "qla2xxx") -> FakeFcPort:
    """Volume `data` as LUN 1 of host `db`, over a port of ours that `db` is logged in to."""
    port = plug(machine, driver)
    make_array(appliance)
    appliance.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "16MiB"})
    appliance.made("/hosts", {"name": "db", "wwpns": [HOST]})
    appliance.made("/fc-ports", {"wwpn": OURS.upper(), "mode": "target"})
    appliance.made("/mappings", {"volume": "data", "host": "db"})
    machine.fc.join(HOST, port)
    machine.changed()
    appliance.until(lambda: is_known(appliance) and port.sessions == {HOST})
    return port


def test_a_volume_is_served_over_fibre_channel_by_the_api_alone(appliance: Api, machine: FakeSystem) -> None:
    port = serve(appliance, machine)
    assert list(machine.fc.luns(HOST, port)) == [1]
    appliance.until(lambda: appliance.get(f"/fc-ports/{OURS}")["state"] == "open")
    appliance.until(lambda: appliance.get(f"/fc-ports/{OURS}")["observed"]["mode"] == "target")
    appliance.until(lambda: bool(appliance.get(f"/fc-ports/{OURS}")["observed"]["remotes"]))
    shown = appliance.get(f"/fc-ports/{OURS}")
    assert (shown["mode"], shown["observed"]["driver"]) == ("target", "qla2xxx")
    assert [(one["wwpn"], one["host"]) for one in shown["observed"]["remotes"]] == [(HOST, "db")]
    (session,) = appliance.get("/sessions")["items"]
    assert (session["host"], session["protocol"], session["target_wwpn"]) == ("db", "fc", OURS)
    assert (session["target_iqn"], session["subsystem_nqn"]) == (None, None)
    assert appliance.get("/hosts/db")["sessions"] == 1


def test_an_unmanaged_port_is_listed_and_left_alone(appliance: Api, machine: FakeSystem) -> None:
    plug(machine)
    appliance.until(lambda: appliance.get("/fc-ports")["total"] == 1)
    (port,) = appliance.get("/fc-ports")["items"]
    assert (port["id"], port["mode"], port["state"]) == (None, None, "none")
    assert appliance.delete(f"/fc-ports/{OURS}").status_code == 404


def test_a_port_that_stops_being_a_target_names_its_hosts_and_serves_nothing(
    appliance: Api, machine: FakeSystem
) -> None:
    port = serve(appliance, machine)
    plan = appliance.patch(f"/fc-ports/{OURS}", {"mode": "disabled"}, dry_run=True).json()
    assert plan["hosts_interrupted"] == ["db"]
    assert port.sessions == {HOST}
    assert appliance.patch(f"/fc-ports/{OURS}", {"mode": "disabled"}).json()["mode"] == "disabled"
    appliance.until(lambda: port.sessions == set())
    assert appliance.delete(f"/fc-ports/{OURS}").status_code == 204


def test_a_port_that_is_deleted_while_it_serves_nothing_leaves_nothing_behind(
    appliance: Api, machine: FakeSystem
) -> None:
    folder = f"/sys/kernel/config/target/qla2xxx/{OURS}"
    plug(machine)
    appliance.made("/fc-ports", {"wwpn": OURS, "mode": "target"})
    appliance.until(lambda: machine.exists(folder))
    assert appliance.delete(f"/fc-ports/{OURS}").status_code == 204
    appliance.until(lambda: not machine.exists(folder))


def test_fibre_channel_is_not_a_portal(appliance: Api) -> None:
    refused = appliance.post("/portals", {"name": "f", "protocol": "fc", "address": ADDRESS})
    assert refused.status_code == 422
    assert "fc-ports" in refused.json()["errors"][0]["message"]


def engines(appliance: Api) -> list[JsonObject]:
    found: list[JsonObject] = appliance.get("/engines")["items"]
    return found


def test_a_machine_without_ports_reports_that_and_serves_the_rest(appliance: Api, machine: FakeSystem) -> None:
    serving.prepare(machine)
    appliance.until(lambda: any(one["engine"] == "lio" and one["available"] for one in engines(appliance)))
    lio = next(one for one in engines(appliance) if one["engine"] == "lio")
    assert lio["available"]
    assert "fc" not in lio["protocols"]
    reasons = {one["ability"]: one["reason"] for one in lio["lacking"]}
    assert reasons["fc"].startswith("this appliance has no Fibre Channel port")


def test_a_group_does_not_get_a_number_that_one_of_its_hosts_uses(appliance: Api, machine: FakeSystem) -> None:
    """Over Fibre Channel a host sees its own volumes and its group's through one target."""
    serve(appliance, machine)
    appliance.made("/volumes", {"name": "more", "array": "tank", "size_bytes": "16MiB"})
    appliance.made("/host-groups", {"name": "cluster", "hosts": ["db"]})
    refused = appliance.post("/mappings", {"volume": "more", "host_group": "cluster", "lun": 1})
    assert refused.status_code == 409
    assert appliance.made("/mappings", {"volume": "more", "host_group": "cluster"})["lun"] == 2
