"""Backup and restore over the API: who may, what is refused, and above all what hosts keep and what they get back."""

import base64
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import update

from backend.tests.engine.listeners import PASSWORD, USER, Authority
from backend.tests.engine.webdav_server import webdav_server
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import make_array, make_scene
from backend.tests.wiring import Api, add_token, make_services, running
from lunette.agent.core import Agent
from lunette.api.appliance import backup_extras
from lunette.api.appliance.certificate import ensure_certificate
from lunette.api.auth.passwords import LoginLimit
from lunette.api.requests.services import ApiServices, Files
from lunette.domain.agent_protocol import ObserveServed
from lunette.domain.jobs import JobState
from lunette.domain.roles import Role
from lunette.engine.notifications import outward
from lunette.store.journal import Job
from lunette.store.resources import Array, HostInitiator, Volume

PASSPHRASE = "correct horse battery"
CHAP = {"user": "alice", "secret": "secretsecret1"}
REBUILD_S = 40
Standing = tuple[Api, ApiServices]


def without_limit(services: ApiServices) -> ApiServices:
    object.__setattr__(services, "login_limit", LoginLimit(per_user=1000, per_address=1000))
    return services


@pytest.fixture
def standing(tmp_path: Path, database_url: str, agent: Agent) -> Iterator[Standing]:
    """The whole control plane over the fake machine, on each kind of database."""
    services = without_limit(make_services(tmp_path, agent, database_url))
    with running(services) as http:
        yield Api(http, add_token(services.store, Role.ADMINISTRATOR)), services


def back_up(api: Api, **more: Any) -> bytes:
    answer = api.post("/appliance:backup", {"passphrase": PASSPHRASE, **more})
    assert answer.status_code == 200, answer.text
    return answer.content


def restore(api: Api, file: bytes, *, dry_run: bool = False, **more: Any) -> Response:
    body = {"content": base64.b64encode(file).decode(), "passphrase": PASSPHRASE, **more}
    return api.post("/appliance:restore", body, dry_run=dry_run)


def restored(api: Api, file: bytes, **more: Any) -> Any:
    answer = restore(api, file, **more)
    assert answer.status_code == 200, answer.text
    return answer.json()


def serves_all(api: Api) -> bool:
    return all(mapping["state"] == "open" for mapping in api.items("/mappings"))


def tree(machine: FakeSystem) -> set[str]:
    """Everything that stands in LIO's configfs."""
    found: set[str] = set()
    todo = ["/sys/kernel/config/target"]
    while todo:
        path = todo.pop()
        for name in machine.listdir(path):
            child = f"{path}/{name}"
            found.add(child)
            if machine.is_dir(child):
                todo.append(child)
    return found


def identities(api: Api) -> Any:
    keep = ("naa", "serial", "nguid", "eui64", "uuid")
    return (
        {one["name"]: [one[key] for key in keep] for one in api.items("/volumes")},
        {one["name"]: (one["target_iqn"], one["subsystem_nqn"], one["chap"]) for one in api.items("/hosts")},
        sorted((one["volume"], one["host"], one["lun"]) for one in api.items("/mappings")),
    )


def test_a_lost_database_is_rebuilt_while_hosts_are_served(standing: Standing) -> None:
    """What changed since the backup is shown and what was served stays as it was."""
    api, _parts = standing
    make_scene(api)
    api.made("/hosts", {"name": "shy", "iqns": ["iqn.2026-01.com.example:shy"], "chap": CHAP})
    api.until(lambda: serves_all(api))
    before = identities(api)
    file = back_up(api)
    assert api.patch("/volumes/lun01", {"name": "renamed"}).status_code == 200
    assert api.delete("/hosts/shy").status_code == 204
    dry = restored(api, file, dry_run=True)
    assert {(one["noun"], one["name"], one["change"]) for one in dry["differences"]} == {
        ("host", "shy", "returns"),
        ("volume", "lun01", "changes"),
    }
    assert (dry["restored"], dry["left_out"], dry["still_served"]) == (False, [], [])
    assert identities(api) != before
    assert restored(api, file)["restored"] is True
    assert identities(api) == before
    api.until(lambda: serves_all(api) and api.get("/status")["exports"]["state"] == "converged")
    assert [event["actor"] for event in api.items("/events", kind="appliance.restored")] != []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (update(HostInitiator).values(name="../../../../../../var/lib/lunette/api/x"), "host_initiator"),
        (update(Array).values(group_name='--config=log{file="/tmp/owned" level=7}'), "group_name"),
        (update(Array).values(health_command="../../../usr/bin/bash"), "health_command"),
        (
            update(Volume).values(
                backstore='{"path": "core/iblock_0/x", "vendor": "v", "product": "p", "revision": "1", '
                '"attributes": [["../../../../../../../../proc/sys/kernel/core_pattern", "|/x"]]}'
            ),
            "backstore",
        ),
    ],
)
def test_a_backup_with_invalid_rows_is_refused_and_names_them(standing: Standing, change: Any, words: str) -> None:
    """The backup was altered and encrypted again with its own passphrase."""
    api, services = standing
    make_array(api)
    api.made("/volumes", {"name": "lun", "array": "tank", "size_bytes": "16MiB"})
    api.made("/hosts", {"name": "db", "iqns": ["iqn.2026-01.com.example:db"]})
    services.control.stop()  # nothing looks at the rows but the backup
    with services.store.write() as tx:
        tx.execute(change)
    file = back_up(api)
    for dry_run in (True, False):
        refused = restore(api, file, dry_run=dry_run)
        assert refused.status_code == 422, refused.text
        assert "Nothing was changed" in refused.json()["detail"]
        assert words in refused.json()["detail"]
        assert not any(word in refused.text for word in ("bash", "owned", "core_pattern", "api/x"))


def test_a_reinstalled_appliance_is_restored_as_it_was(standing: Standing, machine: FakeSystem, tmp_path: Path) -> None:
    """The data disks are the same; the database, the key of its secrets and the boot ledger are gone."""
    api, services = standing
    make_scene(api)
    api.made("/hosts", {"name": "shy", "iqns": ["iqn.2026-01.com.example:shy"], "chap": CHAP})
    api.made("/volumes", {"name": "secret", "array": "tank", "size_bytes": "16MiB"})
    api.made("/mappings", {"volume": "secret", "host": "shy", "lun": 7})
    api.until(lambda: serves_all(api))
    before, standing_tree = identities(api), tree(machine)
    file = back_up(api)
    services.control.stop()
    machine.reboot()
    for path in ("/var/lib/lunette/agent/ledger.json", "/var/lib/lunette/agent/ledger.key"):
        machine.unlink(path)
    new = without_limit(make_services(tmp_path / "new", Agent(machine)))
    with running(new) as http:
        fresh = Api(http, add_token(new.store, Role.ADMINISTRATOR))
        fresh.until(lambda: fresh.get("/status")["exports"]["state"] == "converged")
        assert fresh.items("/volumes") == []
        found = restored(fresh, file)
        assert found["warnings"] == []
        after = Api(http, add_token(new.store, Role.ADMINISTRATOR))
        assert identities(after) == before
        after.until(lambda: agent_of(new).bring_up() and serves_all(after))
        assert tree(machine) == standing_tree
        assert "secretsecret1" in chap_in(machine)


def agent_of(services: ApiServices) -> Agent:
    agent = services.control.agent
    assert isinstance(agent, Agent)
    return agent


def chap_in(machine: FakeSystem) -> str:
    paths = [path for path in tree(machine) if path.endswith("/auth/password")]
    return " ".join(machine.read(path) for path in paths)


def test_an_older_backup_takes_nothing_from_hosts_and_shares_no_volume(standing: Standing, machine: FakeSystem) -> None:
    api, services = standing
    make_array(api)
    api.made("/portals", {"name": "front", "address": "192.0.2.1"})
    for name in ("one", "two"):
        api.made("/hosts", {"name": name, "iqns": [f"iqn.2026-01.com.example:{name}"]})
        api.made("/volumes", {"name": name, "array": "tank", "size_bytes": "16MiB"})
    first = api.made("/mappings", {"volume": "one", "host": "one"})
    api.until(lambda: serves_all(api))
    file = back_up(api)
    assert api.delete(f"/mappings/{first['id']}").status_code == 204
    second = api.made("/mappings", {"volume": "one", "host": "two"})
    api.made("/volumes", {"name": "new", "array": "tank", "size_bytes": "16MiB"})
    api.made("/mappings", {"volume": "new", "host": "two"})
    api.until(lambda: serves_all(api) and api.get("/status")["exports"]["state"] == "converged")
    api.until(
        lambda: len((services.control.agent.ask(ObserveServed()) or pytest.fail("nothing is served")).targets) == 1
    )
    serving = tree(machine)
    found = restored(api, file)
    assert [one["words"] for one in found["left_out"]] == ["volume one for one: it is now served to two"]
    api = Api(api.http, add_token(services.store, Role.ADMINISTRATOR))
    api.until(lambda: api.get("/status")["exports"]["state"] == "held")
    assert tree(machine) == serving, "what is served is as it was, and the volume went to nobody else"
    assert api.items("/mappings") == []
    kinds = [one["id"] for one in found["still_served"]]
    assert second["id"] in kinds
    again = restored(api, file, give_up=kinds)
    assert (again["left_out"], again["still_served"]) == ([], [])
    api = Api(api.http, add_token(services.store, Role.ADMINISTRATOR))
    api.until(lambda: [m["host"] for m in api.items("/mappings")] == ["one"] and serves_all(api))
    served = services.control.agent.ask(ObserveServed())
    assert served is not None
    assert [[lun.mapping_id for lun in target.luns] for target in served.targets] == [[first["id"]]]


def test_what_jobs_changed_since_is_not_undone_by_an_older_row(standing: Standing, machine: FakeSystem) -> None:
    """A disk that was exchanged and a volume that grew: the array must start from the disks it has now."""
    api, _ = standing
    array = make_array(api, disks=4)
    volume = api.made("/volumes", {"name": "grown", "array": "tank", "size_bytes": "16MiB"})["resource_ids"][0]
    api.until(lambda: api.get("/status")["exports"]["state"] == "converged")
    file = back_up(api)
    old = array["members"][0]["disk_id"]
    new = next(disk["id"] for disk in api.items("/disks", transport="nvme") if disk["state"] == "free")
    machine.advance(REBUILD_S)
    api.made("/arrays/tank:replace", {"disk": old, "new": new})
    machine.advance(REBUILD_S)
    answer = api.post(f"/volumes/{volume}:grow", {"size_bytes": "32MiB"}, headers={"If-Match": "*"})
    api.done(answer.json())

    def disks() -> set[str]:
        members = api.get(f"/arrays/{array['id']}")["members"]
        return {one["disk_id"] for one in members if one["disk_id"]}

    api.until(lambda: old not in disks() and api.get("/status")["exports"]["state"] == "converged")
    api.until(lambda: not [job for job in api.items("/jobs") if job["state"] in ("pending", "running")])
    now = disks()
    found = restored(api, file)
    assert {"Array tank keeps its current disks", "Volume grown keeps its current size"} <= set(found["warnings"])
    assert disks() == now
    assert api.get(f"/volumes/{volume}")["size_bytes"] == 32 * 1024**2


def test_giving_up_what_is_not_served_is_refused(standing: Standing) -> None:
    api, _ = standing
    refused = restore(api, back_up(api), give_up=["no such id"])
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "give_up"


def test_the_backup_of_another_appliance_is_refused_where_this_one_serves(
    standing: Standing, tmp_path: Path, machine: FakeSystem
) -> None:
    api, _ = standing
    other = without_limit(make_services(tmp_path / "other", Agent(FakeSystem())))
    with running(other) as http:
        file = back_up(Api(http, add_token(other.store, Role.ADMINISTRATOR)))
    make_array(api)
    api.until(lambda: api.get("/status")["exports"]["state"] == "converged")
    before = identities(api)
    refused = restore(api, file)
    assert refused.status_code == 409
    assert "restore a backup of this appliance" in refused.json()["detail"]
    assert identities(api) == before


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda file: file[:-9], "9 bytes are missing"),
        (lambda file: b"<html>" + file, "not a Lunette backup"),
        (lambda file: file.replace(b'"schema_revision":"', b'"schema_revision":"9'), "upgrade this appliance first"),
        (lambda file: file[:-1] + bytes([file[-1] ^ 1]), "damaged"),
    ],
)
def test_a_wrong_file_changes_nothing(api_alone: Standing, spoil: Any, words: str) -> None:
    api, _ = api_alone
    refused = restore(api, spoil(back_up(api)))
    assert refused.status_code == 422
    assert words in refused.json()["detail"]
    assert api.items("/events", kind="appliance.restored") == []


def test_a_wrong_passphrase_is_refused_and_cannot_be_guessed_quickly(api_alone: Standing) -> None:
    api, services = api_alone
    file = back_up(api)
    object.__setattr__(services, "login_limit", LoginLimit())
    statuses = [restore(api, file, passphrase=f"wrong passphrase {n}").status_code for n in range(7)]
    assert statuses == [422] * 5 + [429] * 2


@pytest.fixture
def api_alone(tmp_path: Path, sqlite_url: str, agent: Agent) -> Iterator[Standing]:
    """One database is enough for what happens before it is touched."""
    services = without_limit(make_services(tmp_path, agent, sqlite_url))
    with running(services) as http:
        yield Api(http, add_token(services.store, Role.ADMINISTRATOR)), services


def test_a_short_passphrase_makes_no_backup_and_is_not_repeated_in_the_answer(api_alone: Standing) -> None:
    api, _ = api_alone
    refused = api.post("/appliance:backup", {"passphrase": "too short"})
    assert refused.status_code == 422
    assert "too short" not in refused.text


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.VIEWER, Role.METRICS])
def test_only_an_administrator_may(role: Role, api_alone: Standing) -> None:
    api, services = api_alone
    other = Api(api.http, add_token(services.store, role))
    assert other.post("/appliance:backup", {"passphrase": PASSPHRASE}).status_code == 403
    assert restore(other, b"").status_code == 403


def test_it_is_written_down_who_made_a_backup(api_alone: Standing) -> None:
    api, _ = api_alone
    back_up(api)
    assert [event["kind"] for event in api.items("/events", kind="appliance.backed_up")] == ["appliance.backed_up"]


def test_while_a_job_runs_nothing_is_restored(api_alone: Standing) -> None:
    api, services = api_alone
    file = back_up(api)
    with services.store.write() as tx:
        tx.add(
            Job(
                id="j",
                kind="volumes.create",
                title="Make a volume",
                state="running",
                resource_kind="volume",
                resource_ids=["v"],
                plan={},
                actor="me",
                steps_total=1,
            )
        )
    refused = restore(api, file)
    assert refused.status_code == 409
    assert "Make a volume" in refused.json()["detail"]


def test_a_job_that_was_under_way_in_the_backup_does_not_go_on(api_alone: Standing, machine: FakeSystem) -> None:
    """Its disks may hold other data by now: no step is done, and none is undone."""
    api, services = api_alone
    make_array(api)
    made = api.made("/volumes", {"name": "made", "array": "tank", "size_bytes": "16MiB"})
    with services.store.write() as tx:
        tx.execute(update(Job).where(Job.id == made["id"]).values(state=JobState.RUNNING.value))
        tx.execute(update(Volume).values(state="creating"))
    file = back_up(api)
    with services.store.write() as tx:
        tx.execute(update(Job).values(state=JobState.SUCCEEDED.value))
        tx.execute(update(Volume).values(state="ready"))
    found = restored(api, file)
    assert any("is not continued" in warning for warning in found["warnings"])
    api = Api(api.http, add_token(services.store, Role.ADMINISTRATOR))
    assert api.get(f"/jobs/{made['id']}")["state"] == "failed"
    assert api.items("/volumes") == []
    assert len([volume for volume in services.control.observation(0).volumes if volume.volume_id]) == 1


def test_the_certificate_is_included_and_in_place_at_the_next_start(api_alone: Standing, tmp_path: Path) -> None:
    api, services = api_alone
    files = Files(tmp_path, tmp_path / "tls" / "cert.pem", tmp_path / "tls" / "key.pem", own=True)
    object.__setattr__(services, "files", files)
    ensure_certificate(files.tls_cert, files.tls_key, "first", ())
    first = files.tls_cert.read_text(), files.tls_key.read_text()
    file, bare = back_up(api), back_up(api, certificate=False)
    for path in (files.tls_cert, files.tls_key):
        path.unlink()
    ensure_certificate(files.tls_cert, files.tls_key, "second", ())
    second = files.tls_cert.read_text(), files.tls_key.read_text()
    for content, more in ((bare, {}), (file, {"certificate": False})):
        restored(api, content, **more)
        backup_extras.install_staged(services.store, files)
        assert (files.tls_cert.read_text(), files.tls_key.read_text()) == second
        api = Api(api.http, add_token(services.store, Role.ADMINISTRATOR))
    restored(api, file)
    assert (files.tls_cert.read_text(), files.tls_key.read_text()) == second
    backup_extras.install_staged(services.store, files)
    assert (files.tls_cert.read_text(), files.tls_key.read_text()) == first
    assert files.tls_key.stat().st_mode & 0o777 == 0o600
    files.tls_cert.write_text("replaced since")
    backup_extras.install_staged(services.store, files)
    assert files.tls_cert.read_text() == "replaced since", "it is put in place once"


def test_the_state_before_is_stored_and_can_be_restored_itself(api_alone: Standing, tmp_path: Path) -> None:
    api, services = api_alone
    object.__setattr__(services, "files", Files(tmp_path, tmp_path / "no", tmp_path / "no", own=False))
    file = back_up(api)
    api.made("/hosts", {"name": "since", "iqns": ["iqn.2026-01.com.example:since"]})
    kept = restored(api, file)["kept"]
    api = Api(api.http, add_token(services.store, Role.ADMINISTRATOR))
    assert api.items("/hosts") == []
    assert Path(kept).stat().st_mode & 0o777 == 0o600
    restored(api, Path(kept).read_bytes())
    api = Api(api.http, add_token(services.store, Role.ADMINISTRATOR))
    assert [host["name"] for host in api.items("/hosts")] == ["since"]


def test_a_backup_on_the_server_restores_and_no_answer_has_its_secrets(
    standing: Standing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, _parts = standing
    monkeypatch.setattr(outward, "FORBIDDEN", (ip_network("127.0.0.2"),))
    refused = api.post("/appliance:store-backup")
    assert (refused.status_code, "set `backup` in the settings first" in refused.text) == (409, True)
    make_scene(api)
    authority = Authority()
    with webdav_server(authority, tmp_path / "dav") as server:
        target = {"url": server.url, "user": USER, "password": PASSWORD, "passphrase": PASSPHRASE, "keep": 3}
        changed = api.patch("/settings", {"backup": target, "trusted_ca": authority.pem})
        assert changed.status_code == 200, changed.text
        stored = api.post("/appliance:store-backup")
        assert stored.status_code == 200, stored.text
        (name,) = server.names()
        file = (server.root / name).read_bytes()
        shown = api.get("/settings")
    assert stored.json() == {"name": name, "made_at": stored.json()["made_at"], "size_bytes": len(file)}
    assert shown["backup_state"]["stored"] == [stored.json()]
    assert shown["backup_state"]["trouble"] is None
    assert shown["backup_state"]["next_run_at"] > stored.json()["made_at"]
    assert (shown["backup"]["has_password"], shown["backup"]["has_passphrase"]) == (True, True)
    assert not [secret for secret in (PASSWORD, PASSPHRASE) if secret in str(shown)]
    (event,) = api.items("/events", kind="appliance.backup_stored")
    assert event["actor"].startswith("token:administrator")
    found = restored(api, file, dry_run=True)
    assert (found["has_certificate"], found["restored"]) == (False, False)
