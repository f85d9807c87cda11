"""The document of everything to be exported, and the releases of what leaves it."""

import time

import pytest
from pydantic import SecretStr
from sqlalchemy import insert, select, update

from backend.tests.agent.exports import dhchap_key
from backend.tests.engine.conftest import ADMIN, DISKS, Appliance
from backend.tests.planner.sites import FC_PORTS
from lunette.agent.brake import merge
from lunette.domain.arrays import ArrayCreate, Level
from lunette.domain.dhchap import DhChap
from lunette.domain.errors import ToolFailed
from lunette.domain.exports import ExportSet, ReleaseKind
from lunette.domain.fc import FcMode, FcPortCreate, FcPortPatch
from lunette.domain.hosts import Chap, HostCreate, HostGroupCreate, HostGroupPatch, HostPatch, OsType
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import Family, MappingCreate
from lunette.domain.volumes import VolumePatch
from lunette.engine.changes import arrays, fc_ports, host_groups, mappings, portals, volumes
from lunette.engine.changes import hosts as hosts_changes
from lunette.engine.exports import exportset
from lunette.store.resources import Array, Host, HostInitiator, Mapping, ReleaseRow, Target, Volume


def document(appliance: Appliance) -> ExportSet:
    with appliance.store.read() as tx:
        return exportset.build(tx, appliance.store.box)


def mapping_id(appliance: Appliance, volume: str) -> str:
    with appliance.store.read() as tx:
        return tx.scalars(select(Mapping.id).join(Volume).where(Volume.name == volume)).one()


def unmap(appliance: Appliance, volume: str) -> None:
    ref = mapping_id(appliance, volume)
    with appliance.store.write() as tx:
        mappings.delete(appliance.control.change(tx, ADMIN), ref)


def released(appliance: Appliance) -> set[tuple[ReleaseKind, str]]:
    return {(release.kind, release.id) for release in document(appliance).released}


def furnish(appliance: Appliance) -> None:
    appliance.array()
    appliance.volumes("v1", "v2", "v3")
    appliance.host("h1")
    appliance.host("h2")
    appliance.portal()
    appliance.map(MappingCreate(volume="v1", host="h1"), MappingCreate(volume="v2", host="h1"))


def test_it_holds_ready_arrays_mapped_volumes_and_owners_of_mappings(appliance: Appliance) -> None:
    furnish(appliance)
    appliance.ask_array("later", DISKS[4:6] + DISKS[6:8])
    found = document(appliance)
    assert [array.name for array in found.arrays] == ["tank"]
    assert found.arrays[0].members == DISKS[:4]
    assert sorted(volume.name for volume in found.volumes) == ["v1", "v2"]
    assert {volume.device for volume in found.volumes} == {
        f"/dev/{there.group}/{there.name}"
        for there in appliance.agent.machine.volumes
        if there.volume_id in {volume.volume_id for volume in found.volumes}
    }
    (target,) = found.targets
    assert [initiator.iqn for initiator in target.initiators] == ["iqn.2026-01.com.example:h1"]
    assert [lun.lun for lun in target.luns] == [1, 2]
    assert [(portal.address, portal.port) for portal in found.portals] == [("0.0.0.0", 3260)]
    assert found.released == ()


def test_building_it_twice_gives_the_same_document(appliance: Appliance) -> None:
    furnish(appliance)
    assert document(appliance) == document(appliance)


def test_secrets_are_opened_for_the_agent_and_sealed_in_the_database(appliance: Appliance) -> None:
    furnish(appliance)
    chap = Chap(user="u", secret=SecretStr("secret-12345"), mutual_user="m", mutual_secret=SecretStr("mutual-12345"))
    with appliance.store.write() as tx:
        hosts_changes.patch(appliance.control.change(tx, ADMIN), "h1", HostPatch(chap=chap))
    found = document(appliance).targets[0].initiators[0].chap
    assert found
    assert (found.user, found.secret.get_secret_value()) == ("u", "secret-12345")
    assert found.mutual_secret
    assert found.mutual_secret.get_secret_value() == "mutual-12345"
    with appliance.store.read() as tx:
        row = tx.scalars(select(Host).where(Host.name == "h1")).one()
    assert "secret-12345" not in str(vars(row))
    with appliance.store.write() as tx:
        hosts_changes.patch(appliance.control.change(tx, ADMIN), "h1", HostPatch(chap=None))
    assert document(appliance).targets[0].initiators[0].chap is None


@pytest.mark.parametrize(
    ("host", "secret"),
    [("h2", {"chap_user": "alice", "chap_secret_sealed": "lost"}), ("h1", {"dhchap_secret_sealed": "lost"})],
    ids=["of a host without volumes", "of the family without volumes"],
)
def test_a_lost_secret_that_no_export_needs_stops_nothing(
    appliance: Appliance, host: str, secret: dict[str, str]
) -> None:
    furnish(appliance)
    with appliance.store.write() as tx:
        tx.execute(update(Host).where(Host.name == host).values(secret))
    assert len(document(appliance).targets) == 1


def test_a_target_has_the_deadline_of_its_own_owner(appliance: Appliance) -> None:
    appliance.array()
    appliance.volumes("v1", "v2")
    appliance.host("h1")
    with appliance.store.write() as tx:
        group = HostGroupCreate(name="g", hosts=("h1",), opens_without_missing_after_s=60)
        host_groups.create(appliance.control.change(tx, ADMIN), group)
    appliance.map(MappingCreate(volume="v1", host_group="g"))
    appliance.map(MappingCreate(volume="v2", host="h1"))
    before = document(appliance).generation
    with appliance.store.write() as tx:
        hosts_changes.patch(appliance.control.change(tx, ADMIN), "h1", HostPatch(opens_without_missing_after_s=300))
    assert deadlines(appliance) == {"v1": 60, "v2": 300}
    assert document(appliance).generation > before
    with appliance.store.write() as tx:
        hosts_changes.patch(appliance.control.change(tx, ADMIN), "h1", HostPatch(opens_without_missing_after_s=None))
        host_groups.patch(appliance.control.change(tx, ADMIN), "g", HostGroupPatch(description="a cluster"))
    assert deadlines(appliance) == {"v1": 60, "v2": None}


def deadlines(appliance: Appliance) -> dict[str, int | None]:
    """By the volume behind each door."""
    spec = document(appliance)
    names = {volume.volume_id: volume.name for volume in spec.volumes}
    return {names[one.luns[0].volume_id]: one.opens_without_missing_after_s for one in spec.targets}


def test_a_group_is_one_target_with_the_initiators_of_all_its_hosts(appliance: Appliance) -> None:
    appliance.array()
    appliance.volumes("v1")
    appliance.host("h1")
    with appliance.store.write() as tx:
        spec = HostCreate(name="h2", os_type=OsType.ESXI, iqns=("iqn.2026-01.com.example:h2",), wwpns=("21" * 8,))
        hosts_changes.create(appliance.control.change(tx, ADMIN), spec)
        host_groups.create(appliance.control.change(tx, ADMIN), HostGroupCreate(name="g", hosts=("h1", "h2")))
    appliance.map(MappingCreate(volume="v1", host_group="g"))
    (target,) = document(appliance).targets
    assert sorted(initiator.host for initiator in target.initiators) == ["h1", "h2"]
    assert target.os_type is OsType.OTHER
    with appliance.store.write() as tx:
        host_groups.patch(appliance.control.change(tx, ADMIN), "g", HostGroupPatch(hosts=("h2",)))
    (target,) = document(appliance).targets
    assert [initiator.host for initiator in target.initiators] == ["h2"]
    assert target.os_type is OsType.ESXI
    assert {kind for kind, _ in released(appliance)} == {ReleaseKind.INITIATOR}


def test_unmapping_releases_the_mapping_and_what_was_its_last_use(appliance: Appliance) -> None:
    furnish(appliance)
    before = document(appliance)
    volume_ids = {volume.name: volume.volume_id for volume in before.volumes}
    first, second = mapping_id(appliance, "v1"), mapping_id(appliance, "v2")
    unmap(appliance, "v1")
    assert released(appliance) == {(ReleaseKind.MAPPING, first), (ReleaseKind.VOLUME, volume_ids["v1"])}
    unmap(appliance, "v2")
    target = before.targets[0]
    assert released(appliance) == {
        (ReleaseKind.MAPPING, first),
        (ReleaseKind.VOLUME, volume_ids["v1"]),
        (ReleaseKind.MAPPING, second),
        (ReleaseKind.VOLUME, volume_ids["v2"]),
        (ReleaseKind.TARGET, target.target_id),
        (ReleaseKind.INITIATOR, target.initiators[0].initiator_id),
    }


def test_a_shared_volume_stays_while_one_owner_has_it(appliance: Appliance) -> None:
    furnish(appliance)
    appliance.map(MappingCreate(volume="v1", host="h2", shared=True))
    with appliance.store.read() as tx:
        query = select(Mapping.id).join(Host).where(Host.name == "h2")
        ref = tx.scalars(query).one()
    with appliance.store.write() as tx:
        mappings.delete(appliance.control.change(tx, ADMIN), ref)
    assert ReleaseKind.VOLUME not in {kind for kind, _ in released(appliance)}
    assert ReleaseKind.TARGET in {kind for kind, _ in released(appliance)}


class Judge:
    """Lets the brake judge the document after each change against what is served until then."""

    def __init__(self, appliance: Appliance) -> None:
        self._appliance, self.served = appliance, document(appliance)

    def __call__(self, words: str) -> None:
        wanted = document(self._appliance)
        verdict = merge(self.served, wanted)
        assert verdict.unexplained == (), words
        assert verdict.refusal is None
        assert verdict.effective == wanted.model_copy(update={"released": ()}), words
        self.served = verdict.effective


def test_every_way_to_take_something_away_passes_the_brake(appliance: Appliance) -> None:
    """What the agent's brake leaves unexplained was not released: each change is judged against the one before."""
    furnish(appliance)
    control, store = appliance.control, appliance.store
    with store.write() as tx:
        host_groups.create(control.change(tx, ADMIN), HostGroupCreate(name="g", hosts=("h2",)))
    appliance.map(MappingCreate(volume="v3", host_group="g"))
    step = Judge(appliance)
    with store.write() as tx:
        volumes.patch(control.change(tx, ADMIN), "v1", VolumePatch(name="renamed"))
    step("rename")
    with store.write() as tx:
        hosts_changes.patch(control.change(tx, ADMIN), "h1", HostPatch(iqns=("iqn.2026-01.com.example:new",)))
    step("another initiator")
    with store.write() as tx:
        host_groups.patch(control.change(tx, ADMIN), "g", HostGroupPatch(hosts=("h1",)))
    step("another member")
    unmap(appliance, "renamed")
    step("unmap")
    unmap(appliance, "v2")
    step("last mapping of a host")
    unmap(appliance, "v3")
    step("last mapping of a group")
    with store.write() as tx:
        portals.delete(control.change(tx, ADMIN), "p1")
    step("portal")
    for name in ("renamed", "v2", "v3"):
        with store.write() as tx:
            outcome = volumes.delete(control.change(tx, ADMIN), name)
        appliance.finish(outcome)
    step("volumes")
    with store.write() as tx:
        outcome = arrays.delete(control.change(tx, ADMIN), "tank")
    step("array")
    appliance.finish(outcome)
    step("array gone")
    assert [*step.served.arrays, *step.served.volumes, *step.served.targets, *step.served.portals] == []


def test_taking_a_port_or_a_wwpn_away_passes_the_brake(appliance: Appliance) -> None:
    furnish(appliance)
    control, store = appliance.control, appliance.store
    step = Judge(appliance)
    with store.write() as tx:
        hosts_changes.patch(control.change(tx, ADMIN), "h1", HostPatch(wwpns=("10:00:00:00:00:00:00:01",)))
        fc_ports.create(control.change(tx, ADMIN), FcPortCreate(wwpn=FC_PORTS[0]))
    step("a port")
    assert [port.wwpn for port in step.served.fc_ports] == [FC_PORTS[0]]
    assert {one.wwpn for target in step.served.targets for one in target.fc_initiators} == {"10:00:00:00:00:00:00:01"}
    with store.write() as tx:
        hosts_changes.patch(control.change(tx, ADMIN), "h1", HostPatch(wwpns=()))
    step("another WWPN")
    with store.write() as tx:
        hosts_changes.patch(control.change(tx, ADMIN), "h1", HostPatch(wwpns=("10:00:00:00:00:00:00:02",)))
    step("a WWPN that goes with the last mapping")
    for volume in ("v1", "v2"):
        unmap(appliance, volume)
    step("unmap")
    assert step.served.targets == ()
    with store.write() as tx:
        fc_ports.patch(control.change(tx, ADMIN), FC_PORTS[0], FcPortPatch(mode=FcMode.DISABLED))
    step("the mode of a port")
    with store.write() as tx:
        fc_ports.delete(control.change(tx, ADMIN), FC_PORTS[0])
    step("port")
    assert step.served.fc_ports == ()


def test_a_deletion_that_failed_brings_the_array_back(appliance: Appliance) -> None:
    appliance.array()
    before = document(appliance)
    appliance.agent.failures["do", "group.remove"] = ToolFailed("no")
    with appliance.store.write() as tx:
        outcome = arrays.delete(appliance.control.change(tx, ADMIN), "tank")
    assert document(appliance).arrays == ()
    appliance.control.runner.run(outcome.job_id or "")
    after = document(appliance)
    assert after.arrays == before.arrays
    assert after.generation > before.generation + 1


def test_the_generation_grows_with_every_change_of_the_exports_and_only_then(appliance: Appliance) -> None:
    appliance.array()
    with appliance.store.read() as tx:
        before = exportset.generation(tx)
    appliance.host("h1")
    with appliance.store.write() as tx:
        spec = ArrayCreate(name="dry", level=Level.RAID1, disks=DISKS[4:6])
        arrays.create(appliance.control.change(tx, ADMIN, dry_run=True), spec)
    appliance.volumes("v1")
    with appliance.store.read() as tx:
        assert exportset.generation(tx) == before
    appliance.map(MappingCreate(volume="v1", host="h1"))
    with appliance.store.read() as tx:
        assert exportset.generation(tx) == before + 1


NQN = "nqn.2014-08.org.nvmexpress:uuid:12345678-1234-4234-8234-123456789abc"


def nvme_host(appliance: Appliance, name: str = "n1") -> str:
    dhchap = DhChap.model_validate({"secret": dhchap_key(1), "mutual_secret": dhchap_key(2)})
    iqns = (f"iqn.2026-01.com.example:{name}",)
    with appliance.store.write() as tx:
        spec = HostCreate(name=name, iqns=iqns, nqns=(NQN,), dhchap=dhchap)
        return hosts_changes.create(appliance.control.change(tx, ADMIN), spec).ids[0]


def test_what_is_mapped_over_nvme_is_in_a_subsystem_and_nowhere_else(appliance: Appliance) -> None:
    furnish(appliance)
    nvme_host(appliance)
    appliance.volumes("over-nvme", "over-scsi")
    appliance.map(
        MappingCreate(volume="over-nvme", host="n1", family=Family.NVME), MappingCreate(volume="over-scsi", host="n1")
    )
    found = document(appliance)
    (subsystem,) = found.subsystems
    target = next(target for target in found.targets if target.owner == subsystem.owner)
    assert [host.nqn for host in subsystem.hosts] == [NQN]
    assert ([lun.lun for lun in subsystem.luns], [lun.lun for lun in target.luns]) == ([1], [2])
    assert subsystem.nqn.startswith("nqn.2026-11.io.lunette:")
    assert len(subsystem.serial) == 20
    asked = subsystem.hosts[0].dhchap
    assert asked
    assert asked.mutual_secret
    assert (asked.secret.get_secret_value(), asked.mutual_secret.get_secret_value()) == (dhchap_key(1), dhchap_key(2))
    with appliance.store.read() as tx:
        row = tx.scalars(select(Host).where(Host.name == "n1")).one()
    assert "DHHC" not in str(vars(row))
    with appliance.store.write() as tx:
        hosts_changes.patch(appliance.control.change(tx, ADMIN), "n1", HostPatch(dhchap=None))
    assert document(appliance).subsystems[0].hosts[0].dhchap is None


def test_unmapping_over_nvme_releases_the_subsystem_and_leaves_the_target(appliance: Appliance) -> None:
    furnish(appliance)
    nvme_host(appliance)
    appliance.volumes("over-nvme", "over-scsi")
    appliance.map(
        MappingCreate(volume="over-nvme", host="n1", family=Family.NVME), MappingCreate(volume="over-scsi", host="n1")
    )
    before = document(appliance)
    mapping, volume = mapping_id(appliance, "over-nvme"), next(v for v in before.volumes if v.name == "over-nvme")
    unmap(appliance, "over-nvme")
    assert released(appliance) == {
        (ReleaseKind.MAPPING, mapping),
        (ReleaseKind.VOLUME, volume.volume_id),
        (ReleaseKind.SUBSYSTEM, before.subsystems[0].target_id),
        (ReleaseKind.INITIATOR, before.subsystems[0].hosts[0].initiator_id),
    }
    verdict = merge(before, document(appliance))
    assert (verdict.unexplained, verdict.effective.subsystems) == ((), ())
    assert verdict.effective.targets == before.targets


def test_acknowledged_releases_are_forgotten_and_later_ones_stay(appliance: Appliance) -> None:
    furnish(appliance)
    unmap(appliance, "v1")
    seen = document(appliance)
    unmap(appliance, "v2")
    with appliance.store.write() as tx:
        assert exportset.acknowledged(tx, seen.generation) == len(seen.released)
    with appliance.store.read() as tx:
        assert {row.generation for row in tx.scalars(select(ReleaseRow))} == {seen.generation + 1}


@pytest.mark.slow
def test_ten_thousand_mapped_volumes_are_built_within_seconds(lone: Appliance) -> None:
    array_id = lone.array()
    ids = IdentitySource()
    with lone.store.write() as tx:
        hosts = [(ids.id(), f"h{n}") for n in range(40)]
        tx.execute(insert(Host), [{"id": ref, "name": name, "os_type": "linux"} for ref, name in hosts])
        names = [{"id": ids.id(), "host_id": r, "kind": "iqn", "name": f"iqn.2026-01.com.x:{n}"} for r, n in hosts]
        tx.execute(insert(HostInitiator), names)
        tx.execute(
            insert(Target),
            [
                {"id": ids.id(), "host_id": r, "iqn": ids.target_iqn("a" * 12), "nqn": ids.subsystem_nqn("a" * 12)}
                for r, _ in hosts
            ],
        )
        rows = [
            {
                "id": ids.id(),
                "name": f"v{n}",
                "state": "ready",
                "array_id": array_id,
                "size_bytes": 4 << 20,
                "provisioning": "thick",
                "backing_name": f"v{n}",
                **ids.volume().model_dump(),
            }
            for n in range(10_000)
        ]
        tx.execute(insert(Volume), rows)
        tx.execute(
            insert(Mapping),
            [
                {"id": ids.id(), "volume_id": row["id"], "host_id": hosts[n % 40][0], "lun": n // 40, "shared": False}
                for n, row in enumerate(rows)
            ],
        )
    with lone.store.read() as tx:
        assert tx.scalars(select(Array.name)).all() == ["tank"]
    began = time.thread_time()  # what others do meanwhile does not count
    found = document(lone)
    assert time.thread_time() - began < 10
    assert len(found.volumes) == 10_000
    assert sum(len(target.luns) for target in found.targets) == 10_000
