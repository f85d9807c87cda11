"""Kits and paths over HTTP: who may have the secrets, what an archive holds, which path is gone."""

import io
import json
import tarfile

import pytest
from sqlalchemy import select

from backend.tests.agent.exports import dhchap_key
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS, make_array
from backend.tests.wiring import Api, add_token
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.providers.updates.record import OUTAGE
from lunette.store.resources import HostLogin

IQN = "iqn.2026-01.com.example:db"
SECRET, MUTUAL = "secret-of-host", "secret-of-us"
CHAP = {"user": "db", "secret": SECRET, "mutual_user": "us", "mutual_secret": MUTUAL}


@pytest.fixture
def fake_services(appliance_on_sqlite: tuple[Api, ApiServices]) -> ApiServices:
    return appliance_on_sqlite[1]


@pytest.fixture
def mapped(appliance_on_sqlite: tuple[Api, ApiServices]) -> Api:
    """A host with CHAP and one volume, a portal, and a group with another volume."""
    appliance = appliance_on_sqlite[0]
    make_array(appliance)
    for name in ("own", "shared"):
        appliance.made("/volumes", {"name": name, "array": "tank", "size_bytes": "16MiB"})
    appliance.made("/hosts", {"name": "db", "iqns": [IQN], "chap": CHAP})
    appliance.made("/host-groups", {"name": "g", "hosts": ["db"]})
    appliance.made("/portals", {"name": "front", "address": ADDRESS})
    appliance.made("/mappings", {"volume": "own", "host": "db"})
    appliance.made("/mappings", {"volume": "shared", "host_group": "g"})
    return appliance


def as_role(api: Api, services: ApiServices, role: Role) -> Api:
    return Api(api.http, add_token(services.store, role))


def lines(kit: dict[str, list[dict[str, str]]], name: str) -> list[str]:
    return next(one["content"] for one in kit["files"] if one["path"].endswith(name)).splitlines()


def test_a_kit_knows_the_hosts_own_target_and_its_groups(mapped: Api) -> None:
    kit = mapped.get("/hosts/db/kit")
    targets = [mapped.get(path)["target_iqn"] for path in ("/hosts/db", "/host-groups/g")]
    assert [line.split()[0] for line in lines(kit, "iscsi-portals")] == targets
    assert [line.split()[1] for line in lines(kit, "scsi-volumes")] == ["own", "shared"]
    naa = mapped.get("/volumes/own")["naa"]
    assert lines(kit, "scsi-volumes")[0].split()[0] == f"3{naa}"


def test_secrets_go_to_who_may_set_them_and_it_is_written_down(mapped: Api, fake_services: ApiServices) -> None:
    for role, status in ((Role.VIEWER, 403), (Role.OPERATOR, 200), (Role.ADMINISTRATOR, 200)):
        asking = as_role(mapped, fake_services, role)
        for path in ("/hosts/db/kit", "/hosts/db/kit.tar"):
            assert asking.call("GET", path, params={"secrets": "true"}).status_code == status, role
            without = asking.call("GET", path)
            assert without.status_code == 200
            assert SECRET.encode() not in without.content
            assert MUTUAL.encode() not in without.content
    kit = mapped.get("/hosts/db/kit", secrets=True)
    assert f"node.session.auth.password = {SECRET}" in lines(kit, "iscsi-node.conf")
    reported = mapped.items("/events", noun="host")
    assert sum(one["kind"] == "host.secrets_read" for one in reported) == 5
    assert SECRET not in json.dumps(reported)


def test_the_archive_is_the_kit(mapped: Api) -> None:
    response = mapped.call("GET", "/hosts/db/kit.tar")
    assert response.headers["content-type"] == "application/x-tar"
    with tarfile.open(fileobj=io.BytesIO(response.content)) as tar:
        found = {one.name: one for one in tar.getmembers()}
    kit = mapped.get("/hosts/db/kit")
    assert set(found) == {
        "lunette-db/README.txt",
        "lunette-db/apply.sh",
        *(f"lunette-db/files{one['path']}" for one in kit["files"]),
    }
    assert {one.uname for one in found.values()} == {"root"}


def test_a_host_over_nvme_gets_its_subsystem_and_no_multipath(appliance: Api, machine: FakeSystem) -> None:
    machine.run(["modprobe", "nvmet-tcp"])
    make_array(appliance)
    appliance.made("/volumes", {"name": "v", "array": "tank", "size_bytes": "16MiB"})
    nqn, key = "nqn.2014-08.org.nvmexpress:uuid:12345678-1234-4234-8234-123456789abc", dhchap_key(1)
    appliance.made("/hosts", {"name": "db", "nqns": [nqn], "dhchap": {"secret": key}})
    appliance.made("/portals", {"name": "n", "protocol": "nvme-tcp", "address": "0.0.0.0"})
    mapping = appliance.made("/mappings", {"volume": "v", "host": "db"})
    kit = appliance.get("/hosts/db/kit", secrets=True)
    portals = [line.split() for line in lines(kit, "nvme-portals")]
    assert [mapping["subsystem_nqn"], ADDRESS, "4420", "tcp", nqn, nqn.rpartition(":")[2]] in portals
    assert key in json.dumps(kit)
    assert key not in json.dumps(appliance.get("/hosts/db/kit"))


def test_a_kit_names_the_outage_that_the_plan_of_an_update_names(mapped: Api, machine: FakeSystem) -> None:
    mapped.made("/hosts", {"name": "win", "os_type": "windows", "iqns": ["iqn.1991-05.com.example:win"]})
    mapped.made("/volumes", {"name": "third", "array": "tank", "size_bytes": "16MiB"})
    mapped.made("/mappings", {"volume": "third", "host": "win"})
    assert "not been measured" in mapped.get("/hosts/win/kit")["notes"][-1]
    machine.files.seed(OUTAGE, b"431")
    machine.changed()
    mapped.until(lambda: "retained for 862 s" in mapped.get("/hosts/win/kit")["notes"][-1])
    assert "for 431 s; an update that fails takes twice as long" in mapped.get("/hosts/win/kit")["notes"][-1]


def test_a_kit_of_an_unknown_host_is_not_found(api: Api) -> None:
    assert [api.call("GET", f"/hosts/nope/{name}").status_code for name in ("kit", "kit.tar")] == [404, 404]


def test_without_the_agent_the_kit_says_what_it_leaves_out(api: Api) -> None:
    api.made("/hosts", {"name": "db", "iqns": [IQN]})
    assert "agent does not answer" in api.get("/hosts/db/kit")["warnings"][0]


def connection(appliance: Api, host: str) -> str:
    """As the list and the host itself show it."""
    shown = appliance.get(f"/hosts/{host}")["connection"]
    (listed,) = appliance.items("/hosts", name=host)
    assert listed["connection"] == shown
    return str(shown)


def stored_login(services: ApiServices) -> bool:
    with services.store.read() as tx:
        return tx.scalar(select(HostLogin.last_seen_at)) is not None


def test_paths_follow_the_sessions_of_the_machine(
    appliance_on_sqlite: tuple[Api, ApiServices], machine: FakeSystem
) -> None:
    appliance, services = appliance_on_sqlite
    make_array(appliance)
    appliance.made("/volumes", {"name": "v", "array": "tank", "size_bytes": "16MiB"})
    host = appliance.made("/hosts", {"name": "db", "iqns": [IQN]})
    for name, port in (("a", 3260), ("b", 3270)):
        appliance.made("/portals", {"name": name, "address": ADDRESS, "port": port})
    appliance.made("/mappings", {"volume": "v", "host": "db"})
    appliance.until(lambda: appliance.get("/hosts/db")["export"]["state"] == "open")
    assert (host["connection"], host["last_seen_at"]) == ("never", None)
    assert [path["state"] for path in appliance.get("/hosts/db/paths")["paths"]] == ["down", "down"]
    target = appliance.get(f"/hosts/{host['id']}")["target_iqn"]
    on_a, on_b = (machine.login(IQN, target, f"{ADDRESS}:{port}") for port in (3260, 3270))
    there = appliance.get("/hosts/db/paths")
    assert (there["state"], there["volumes"][0]["seen"]) == ("up", 2)
    assert connection(appliance, "db") == "online"
    appliance.until(lambda: stored_login(services))
    machine.logout(on_b)
    assert connection(appliance, "db") == "degraded"
    gone = appliance.get("/hosts/db/paths")
    assert gone["sentence"] == f"Host db: expected 2 paths, seen 1: no connection to portal b ({ADDRESS}:3270)."
    machine.logout(on_a)
    assert [path["state"] for path in appliance.get("/hosts/db/paths")["paths"]] == ["down", "down"]
    assert connection(appliance, "db") == "offline"
    assert appliance.get("/hosts/db")["last_seen_at"] is not None


def test_paths_of_an_unknown_host_are_not_found_and_without_the_agent_unknown(api: Api) -> None:
    assert api.call("GET", "/hosts/nope/paths").status_code == 404
    api.made("/hosts", {"name": "db", "iqns": [IQN]})
    assert api.get("/hosts/db/paths")["state"] == "unknown"


def test_a_member_is_judged_by_the_paths_to_the_volumes_of_its_group(mapped: Api, machine: FakeSystem) -> None:
    mapped.made("/portals", {"name": "second", "address": ADDRESS, "port": 3270})
    mapped.until(lambda: all(one["state"] == "open" for one in mapped.items("/portals")))
    targets = [mapped.get(path)["target_iqn"] for path in ("/hosts/db", "/host-groups/g")]
    mapped.until(lambda: all(one["state"] == "open" for one in mapped.items("/mappings")))
    chap = (CHAP["user"], CHAP["secret"])
    logins = [machine.login(IQN, target, f"{ADDRESS}:{port}", chap) for target in targets for port in (3260, 3270)]
    assert connection(mapped, "db") == "online"
    machine.logout(logins[-1])
    assert connection(mapped, "db") == "degraded"
