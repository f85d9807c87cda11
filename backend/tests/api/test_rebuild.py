"""The database is lost and there is no backup: what the data disks carry brings the appliance back."""

import base64
import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from backend.tests.api.rebuilding import Standing, rebuild, rebuilt, reinstalled, settled
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import disk_ids, make_array, make_scene
from backend.tests.wiring import Api
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.domain.agent_protocol import ObserveServed, ReadCopies, SealCopy
from lunette.domain.sealed_copies import SLOT_BYTES, SLOTS, SealOrder
from lunette.engine.background import sealer
from lunette.engine.background.sealer import Sealer
from lunette.providers.volumes.lvm.observe import observe_groups
from lunette.store.resources import Array, ArrayDisk, Host, HostInitiator, Mapping, Volume
from lunette.store.schema import utc_now

CHAP = {"user": "alice", "secret": "secretsecret1"}


def serves_all(api: Api) -> bool:
    return all(mapping["state"] == "open" for mapping in api.items("/mappings"))


def identities(api: Api) -> Any:
    """What hosts know of the appliance, by name."""
    keep = ("id", "naa", "serial", "nguid", "eui64", "uuid", "size_bytes")
    return (
        {one["name"]: [one[key] for key in keep] for one in api.items("/volumes")},
        {one["name"]: (one["target_iqn"], one["subsystem_nqn"]) for one in api.items("/hosts")},
        sorted((one["volume"], one["host"], one["lun"]) for one in api.items("/mappings")),
        [one["name"] for one in api.items("/snapshots")],
    )


def content(services: ApiServices) -> bytes:
    with services.store.read() as tx:
        return sealer.content(tx)


def test_a_copy_with_invalid_rows_is_refused(with_host: Standing, machine: FakeSystem, tmp_path: Path) -> None:
    """The disks come from an appliance whose owner wrote into its database, to become root on ours."""
    _, services = with_host
    with services.store.write() as tx:
        tx.execute(update(HostInitiator).values(name="../../../../../../var/lib/lunette/api/x"))
    settled(services)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, _):
        fresh.until(lambda: fresh.get("/status")["exports"]["state"] == "converged")
        for dry_run in (True, False):
            [array] = (found := rebuilt(fresh, dry_run=dry_run))["arrays"]
            assert (array["chosen"], found["rebuilt"], found["hosts"]) == (False, False, [])
            assert "host_initiator" in array["problem"]
        assert fresh.items("/arrays") == fresh.items("/hosts") == []


def test_what_no_key_of_this_appliance_sealed_is_read_first_and_adopted_by_word(
    with_host: Standing, machine: FakeSystem, tmp_path: Path
) -> None:
    """The author of the disks decides which hosts get access: all of it is shown, nothing is adopted automatically."""
    api, services = with_host
    api.made("/portals", {"name": "front", "address": "192.0.2.1"})
    api.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "16MiB"})
    api.made("/mappings", {"volume": "data", "host": "db", "lun": 3})
    with services.store.write() as tx:
        tx.execute(update(Array).values(health_command="raid-health"))
    settled(services)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, _):
        fresh.until(lambda: fresh.get("/status")["exports"]["state"] == "converged")
        found = rebuilt(fresh, dry_run=True, adopt=False)
        assert [(one["chosen"], one["sealed_here"]) for one in found["arrays"]] == [(True, False)]
        for reported in (
            "Host db can connect as iqn.2026-01.com.example:db",
            "Host db gets volume data under number 3 (scsi)",
            "Portal front is created: iscsi on 192.0.2.1, port 3260",
            "Array tank is monitored by the health command raid-health",
        ):
            assert reported in found["changes"]
        refused = rebuild(fresh, adopt=False)
        assert (refused.status_code, "`adopt`" in refused.json()["detail"]) == (409, True)
        assert fresh.items("/arrays") == fresh.items("/hosts") == fresh.items("/portals") == []
        assert rebuilt(fresh)["changes"] == found["changes"]


def test_a_copy_that_was_written_by_another_counts_for_less_than_one_that_is_sealed_here(standing: Standing) -> None:
    """However new it says it is: its rows are not taken where one that is sealed here has the array."""
    api, services = standing
    make_array(api, disks=3)
    api.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "16MiB"})
    api.made("/arrays", {"name": "other", "level": "raid1", "disks": disk_ids(api)[-2:]})
    settled(services)
    agent = services.control.agent
    headers = {copy.array_uuid: copy.header for copy in agent.ask(ReadCopies())}
    with services.store.write() as tx:
        tx.execute(update(Volume).values(name="forged"))
        forged = sealer.content(tx)
        group, uuid = tx.execute(select(Array.group_name, Array.uuid).where(Array.name == "other")).one()
    header = headers[uuid]
    assert header is not None
    for seal in (header.seal, "0" * 64, None):
        late = header.model_copy(update={"generation": 10**6, "seal": seal})
        agent.ask(SealCopy(order=SealOrder(group=group, header=late, content=base64.b64encode(forged).decode())))
        with services.store.write() as tx:
            for model in (Mapping, Volume, ArrayDisk, Array):
                tx.execute(delete(model))
        found = rebuilt(api, dry_run=True, adopt=False)
        assert {one["name"]: one["sealed_here"] for one in found["arrays"]} == {"tank": True, "other": False}
        refused = rebuild(api, adopt=False)
        assert (refused.status_code, "the copies on other were not sealed" in refused.json()["detail"]) == (409, True)
        assert rebuilt(api, "tank", adopt=False)["rebuilt"] is True
        assert [one["name"] for one in api.items("/volumes")] == ["data"]


def test_an_appliance_without_a_backup_is_rebuilt_as_it_was(
    standing: Standing, machine: FakeSystem, tmp_path: Path
) -> None:
    api, services = standing
    make_scene(api)
    api.made("/hosts", {"name": "other", "nqns": ["nqn.2014-08.com.example:1"]})
    api.made("/host-groups", {"name": "cluster", "hosts": ["other"]})
    api.made("/volumes", {"name": "thin", "array": "tank", "size_bytes": "64MiB", "provisioning": "thin"})
    api.made("/snapshots", {"name": "before", "volume": "thin"})
    api.until(lambda: serves_all(api))
    settled(services)
    before, sealed = identities(api), content(services)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, new):
        fresh.until(lambda: fresh.get("/status")["exports"]["state"] == "converged")
        assert fresh.items("/arrays") == []
        found = rebuilt(fresh, dry_run=True)
        [array] = found["arrays"]
        assert (array["name"], array["volumes"], array["mappings"]) == ("tank", 9, 8)
        assert (array["chosen"], array["problem"], found["rebuilt"], found["warnings"]) == (True, None, False, [])
        assert found["hosts"] == ["host1", "host2", "host3", "host4", "other"]
        assert fresh.items("/arrays") == [], "a dry run changes nothing"
        assert rebuilt(fresh)["rebuilt"] is True
        assert content(new) == sealed, "rebuilt of what was sealed is what was there"
        agent = new.control.agent
        assert isinstance(agent, Agent)
        fresh.until(lambda: agent.bring_up() and serves_all(fresh))
        fresh.until(lambda: fresh.get("/status")["exports"]["state"] == "converged")
        assert identities(fresh) == before
        assert fresh.get("/drift")["items"] == []
        again = rebuilt(fresh)
        assert (again["arrays"], again["rebuilt"]) == ([], False)
        served = agent.served()
        assert served is not None
        assert {target.iqn for target in served.targets} <= {iqn for iqn, _ in before[1].values()}


def test_a_copy_of_before_another_level_takes_the_one_that_the_machine_has(
    standing: Standing, machine: FakeSystem, tmp_path: Path
) -> None:
    api, services = standing
    make_array(api, disks=4)
    settled(services)
    machine.advance(60)
    (array,) = machine.md.arrays.values()
    array.change_geometry(replace(array.geometry, policy="bitmap"))
    free = f"/dev/disk/by-id/{disk_ids(api)[4]}"
    machine.run(["mdadm", "--manage", f"/dev/{array.kernel_name}", "--add", free])
    machine.run(["mdadm", "--grow", f"/dev/{array.kernel_name}", "--level=6", "--raid-devices=5", "--layout=preserve"])
    machine.advance(60)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, _):
        rebuilt(fresh)
        fresh.until(lambda: not fresh.get("/arrays/tank")["growing"])
        after = fresh.get("/arrays/tank")
        assert (after["level"], after["write_hole"], len(after["members"])) == ("raid6", "bitmap", 5)


def test_a_host_with_a_secret_is_not_let_in_before_it_is_set_again(
    standing: Standing, machine: FakeSystem, tmp_path: Path
) -> None:
    """Secrets are not on the disks, and a host that had one is never served without."""
    api, services = standing
    make_array(api)
    api.made("/portals", {"name": "front", "address": "192.0.2.1"})
    api.made("/hosts", {"name": "shy", "iqns": ["iqn.2026-01.com.example:shy"], "chap": CHAP})
    api.made("/volumes", {"name": "secret", "array": "tank", "size_bytes": "16MiB"})
    api.made("/mappings", {"volume": "secret", "host": "shy", "lun": 7})
    api.until(lambda: serves_all(api))
    settled(services)
    assert all("secretsecret1" not in text for disk in machine.blocks.disks for text in disk.media.data.values())
    with reinstalled(machine, services, tmp_path / "new") as (fresh, new):
        assert rebuilt(fresh, dry_run=True)["secrets_missing"] == ["shy"]
        assert rebuilt(fresh)["secrets_missing"] == ["shy"]
        agent = new.control.agent
        assert isinstance(agent, Agent)
        fresh.until(lambda: agent.bring_up() and serves_all(fresh))
        served = agent.served()
        assert served is not None
        assert [(len(target.initiators), len(target.luns)) for target in served.targets] == [(0, 1)]
        with pytest.raises(PermissionError):
            machine.login("iqn.2026-01.com.example:shy", served.targets[0].iqn, "192.0.2.1:3260", None)
        new.control.sealer.round()
        fresh.until(lambda: any("set its CHAP or DH-CHAP secret again" in a["message"] for a in fresh.items("/alerts")))
        assert fresh.patch("/hosts/shy", {"chap": CHAP}).status_code == 200
        fresh.until(lambda: len((agent.served() or served).targets[0].initiators) == 1)
        new.control.sealer.round()
        fresh.until(lambda: [a for a in fresh.items("/alerts") if a["resolved_at"] is None] == [])


def test_the_arrays_of_another_appliance_are_refused_where_this_one_has_its_own(
    standing: Standing, machine: FakeSystem, tmp_path: Path
) -> None:
    api, services = standing
    make_array(api)
    settled(services)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, new):
        portal = fresh.made("/portals", {"name": "front", "address": "192.0.2.1"})
        agent = new.control.agent
        fresh.until(lambda: (served := agent.ask(ObserveServed())) is not None and bool(served.portals))
        refused = rebuild(fresh)
        assert refused.status_code == 409
        assert "already serves exports here" in refused.json()["detail"]
        assert fresh.delete(f"/portals/{portal['id']}").status_code == 204
        fresh.made("/hosts", {"name": "mine", "iqns": ["iqn.2026-01.com.example:mine"]})
        refused = rebuild(fresh, "tank")
        assert refused.status_code == 409
        assert "already has mine" in refused.json()["detail"]
        assert rebuild(fresh, "no-such-array").status_code == 422
        assert fresh.items("/arrays") == []


def test_a_forgotten_array_is_taken_up_alongside_what_is_here(standing: Standing) -> None:
    """What is here keeps its name; the array comes once nothing is in its way, and hosts notice nothing."""
    api, services = standing
    make_array(api, disks=4)
    api.made("/portals", {"name": "front", "address": "192.0.2.1"})
    api.made("/hosts", {"name": "h", "iqns": ["iqn.2026-01.com.example:h"]})
    api.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "16MiB"})
    api.made("/mappings", {"volume": "data", "host": "h", "lun": 5})
    api.until(lambda: serves_all(api))
    settled(services)
    before = identities(api)
    with services.store.write() as tx:
        for model in (Mapping, Volume, ArrayDisk, Array):
            tx.execute(delete(model))
        tx.execute(update(Host).values(name="renamed"))
    other = api.made("/hosts", {"name": "x", "iqns": ["iqn.2026-01.com.example:x"]})
    with services.store.write() as tx:
        tx.execute(update(HostInitiator).where(HostInitiator.host_id != other["id"]).values(id="changed-since"))
    refused = rebuild(api)
    assert refused.status_code == 409
    assert "a host initiator with name iqn.2026-01.com.example:h already exists" in refused.json()["detail"]
    assert api.items("/arrays") == []
    assert api.delete("/hosts/x").status_code == 204
    with services.store.write() as tx:
        tx.execute(delete(HostInitiator))
        tx.execute(update(Host).values(name="h"))
    assert rebuilt(api, adopt=False)["hosts"] == [], "it has sealed this copy itself"
    assert identities(api) == before
    api.until(lambda: serves_all(api) and api.get("/status")["exports"]["state"] == "converged")


def test_an_array_without_one_of_its_disks_is_started_only_if_that_is_said(
    standing: Standing, machine: FakeSystem, tmp_path: Path
) -> None:
    api, services = standing
    make_array(api)
    settled(services)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, _):
        machine.pull(next(disk for disk in machine.blocks.disks if disk.media.superblock))
        [array] = rebuilt(fresh)["arrays"]
        assert "1 of its disks are missing" in array["problem"]
        assert fresh.items("/arrays") == []
        answer = rebuild(fresh, degraded=True).json()
        assert answer["rebuilt"] is True, answer
        assert [one["name"] for one in fresh.items("/arrays")] == ["tank"]


def test_a_change_is_sealed_automatically_and_the_copy_is_deleted_with_its_array(
    standing: Standing, machine: FakeSystem
) -> None:
    api, services = standing
    array = make_array(api)

    def sealed() -> Any:
        [found] = services.control.agent.ask(ReadCopies())
        return found.header and found.header.generation

    api.until(lambda: sealed() is not None)
    first = sealed()
    api.made("/hosts", {"name": "new", "iqns": ["iqn.2026-01.com.example:new"]})
    api.until(lambda: sealed() > first)
    assert api.items("/volumes") == []
    assert api.get("/drift")["items"] == [], "the copy is nobody's volume"
    api.done(api.delete(f"/arrays/{array['id']}").json())
    assert services.control.agent.ask(ReadCopies()) == ()


def test_a_damaged_slot_leaves_the_other_and_two_leave_nothing(
    standing: Standing, machine: FakeSystem, tmp_path: Path
) -> None:
    api, services = standing
    make_array(api)
    settled(services)
    api.made("/hosts", {"name": "late", "iqns": ["iqn.2026-01.com.example:late"]})
    settled(services)
    [copy] = services.control.agent.ask(ReadCopies())
    assert copy.header is not None
    with services.store.read() as tx:
        device = f"/dev/{tx.scalars(select(Array.group_name)).one()}/sealed"
    texts = {slot: machine.read_data(machine.realpath(device), slot * SLOT_BYTES) for slot in (0, 1)}
    assert all(texts.values())
    for damaged, expected in (((0,), 1), ((0, 1), 0)):
        for slot in damaged:
            machine.write_data(machine.realpath(device), slot * SLOT_BYTES, "torn")
        [found] = services.control.agent.ask(ReadCopies())
        assert (found.header is not None) == bool(expected)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, _):
        [array] = rebuilt(fresh)["arrays"]
        assert array["problem"] == "both slots of its sealed copy are damaged"
        assert fresh.items("/arrays") == []


def test_no_room_for_the_copy_fails_no_change_and_is_reported(standing: Standing, machine: FakeSystem) -> None:
    """An array from before this version may be full; a new one keeps the place from the start."""
    api, services = standing
    services.control.sealer.stop()
    make_array(api)
    [group] = observe_groups(machine, {})
    [pool] = services.control.observation(0).groups
    assert pool.free_bytes == group.free_bytes - SLOTS * SLOT_BYTES
    machine.run(["lvcreate", "-y", "--name", "full", "--size", f"{group.free_bytes}b", group.name])
    clock = [utc_now()]
    own = Sealer(services.store, services.control.agent, now=lambda: clock[0])

    def alerts() -> list[str]:
        return [one["message"] for one in api.items("/alerts") if one["resolved_at"] is None]

    own.round()
    assert alerts() == [], "not at once"
    clock[0] += dt.timedelta(seconds=sealer.GRACE_S + 1)
    own.round()
    assert alerts() == ["The sealed copy on array tank is not up to date"]
    assert api.post("/hosts", {"name": "h", "iqns": ["iqn.2026-01.com.example:h"]}).status_code == 201
    machine.run(["lvremove", "-y", f"{group.name}/full"])
    own.round()
    assert alerts() == []
    [copy] = services.control.agent.ask(ReadCopies())
    assert copy.header is not None
