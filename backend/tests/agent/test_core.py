"""The agent as a whole on the fake machine: ledger, brake, boot, shutdown, and what it refuses on its own."""

from typing import get_args

import pytest

from backend.tests.agent.exports import (
    exports,
    id_of,
    initiator,
    lun,
    nqn_of,
    nvme_host,
    nvme_portal,
    portal,
    subsystem,
    target,
    volume,
)
from backend.tests.providers.rig import ARRAY_ID, VOLUME_ID, Rig
from backend.tests.wiring_agent import PATIENT_S
from lunette.agent import serving
from lunette.agent.bring_up import GRACE_S, shut_down
from lunette.agent.core import Agent
from lunette.agent.ledger import STATE_DIR
from lunette.domain.arrays import ArrayEngine, ArrayState
from lunette.domain.errors import InUse, LunetteError
from lunette.domain.exports import ConvergeReport, ExportArray, ExportSet, Release, ReleaseKind, ServingState
from lunette.domain.steps import MAKES_ARRAYS, AnyStep, DiskWipe, ExportsGone, VolumeDelete
from lunette.domain.volumes import VolumeEngine
from lunette.providers.exports.lio.converge import exported_volumes


class Store(Rig):
    """A machine that serves one volume to one host."""

    def __init__(self) -> None:
        super().__init__()
        self.array = self.create()
        self.cut_step = self.volume()
        self.report = self.agent.converge(self.desired())

    def desired(self, generation: int = 1, **changes: object) -> ExportSet:
        served = volume(11).model_copy(
            update={
                "volume_id": VOLUME_ID,
                "array_id": ARRAY_ID,
                "group": self.cut_step.group,
                "device": f"/dev/{self.cut_step.group}/{self.cut_step.backing_name}",
            }
        )
        mapped = lun(51, 1, 11).model_copy(update={"volume_id": VOLUME_ID})
        array = ExportArray(
            array_id=ARRAY_ID,
            name="tank",
            engine=ArrayEngine.MD,
            uuid=self.array.uuid,
            group=self.cut_step.group,
            members=tuple(member.disk_id for member in self.array.members),
        )
        whole: dict[str, object] = {
            "generation": generation,
            "arrays": (array,),
            "volumes": (served,),
            "portals": (portal(21),),
            "targets": (target(31, [initiator(41)], [mapped]),),
        }
        return exports(**(whole | changes))

    def restart(self) -> None:
        """The agent alone: kill -9 and a new one."""
        self.agent = Agent(self.machine, patience_s=PATIENT_S)

    def reboot(self) -> None:
        self.machine.reboot()
        self.restart()

    def unmap(self, generation: int = 2) -> ConvergeReport:
        released = (
            Release(kind=ReleaseKind.TARGET, id=id_of(31), generation=generation),
            Release(kind=ReleaseKind.VOLUME, id=VOLUME_ID, generation=generation),
        )
        return self.agent.converge(self.desired(generation, volumes=(), targets=(), released=released))

    def delete_step(self) -> VolumeDelete:
        cut = self.cut_step
        return VolumeDelete(
            engine=VolumeEngine.LVM,
            volume_id=VOLUME_ID,
            group=cut.group,
            backing_name=cut.backing_name,
            size_bytes=cut.size_bytes,
        )


@pytest.fixture
def store() -> Store:
    return Store()


def state(report: ConvergeReport) -> ServingState:
    return report.targets[0].state


def test_a_document_is_served_and_stored(store: Store) -> None:
    assert store.report.accepted
    assert state(store.report) is ServingState.OPEN
    assert store.agent.hello().ledger_generation == 1


def test_a_restarted_agent_changes_nothing_and_knows_what_it_serves(store: Store) -> None:
    store.restart()
    assert store.agent.hello().ledger_generation == 1
    before = len(store.machine.faults.calls)
    assert store.agent.bring_up()
    changes = [call for call in store.machine.faults.calls[before:] if call.changes and "configfs" in call.detail]
    assert [call for call in changes if "/sys/kernel/config" in call.detail and call.name != "run"] == []


def test_a_reboot_brings_everything_back_without_the_api(store: Store) -> None:
    store.reboot()
    assert exported_volumes(store.machine) == frozenset()
    assert store.agent.bring_up()
    assert exported_volumes(store.machine) == {VOLUME_ID}
    session = store.machine.login("iqn.2026-01.com.example:h41", store.desired().targets[0].iqn, "192.0.2.1:3260")
    assert store.machine.lun_device(session, 1)


@pytest.mark.parametrize("over_nvme", [False, True])
def test_a_late_address_is_waited_for_and_its_portal_opens_without_a_call(store: Store, over_nvme: bool) -> None:
    iqn, where = store.desired().targets[0].iqn, ("192.0.2.1:4420" if over_nvme else "192.0.2.1:3260")
    if over_nvme:
        store.unmap()
        mapped = lun(51, 1, 11).model_copy(update={"volume_id": VOLUME_ID})
        targets = {"targets": (), "subsystems": (subsystem(31, [nvme_host(41)], [mapped]),)}
        store.agent.converge(store.desired(3, portals=(nvme_portal(22),), **targets))

    def log_in() -> object:
        if over_nvme:
            return store.machine.connect(nqn_of(41), subsystem(31, [], []).nqn, where, None)
        return store.machine.login("iqn.2026-01.com.example:h41", iqn, where)

    store.machine.addresses.remove("192.0.2.1")
    store.reboot()
    assert not store.agent.bring_up(), "it is looked for again soon"
    with pytest.raises(ConnectionError):
        log_in()
    store.machine.addresses.add("192.0.2.1")
    assert store.agent.bring_up()
    assert log_in()


def test_a_late_disk_is_waited_for_and_its_volume_blocked_meanwhile(store: Store) -> None:
    store.reboot()
    store.machine.pull(store.disks[0])
    assert not store.agent.bring_up()
    report = store.agent.converge(store.desired())
    assert state(report) is ServingState.BLOCKED
    assert report.volumes[0].reason == "waiting for array tank: 2 of 3 disks present"
    store.machine.insert(store.disks[0])
    assert store.agent.bring_up()
    assert store.agent.observe().arrays[0].state is not ArrayState.DEGRADED


def test_after_the_grace_time_an_array_starts_without_a_disk(store: Store) -> None:
    store.reboot()
    store.machine.pull(store.disks[0])
    assert not store.agent.bring_up()
    store.machine.sleep(GRACE_S - 1)
    assert not store.agent.bring_up()
    store.machine.sleep(2)
    assert store.agent.bring_up()
    assert store.agent.observe().arrays[0].state is ArrayState.DEGRADED
    assert state(store.agent.converge(store.desired())) is ServingState.OPEN


def test_an_array_degraded_before_the_boot_waits_for_no_disk(store: Store) -> None:
    store.machine.pull(store.disks[0])
    store.reboot()
    assert store.agent.bring_up()
    assert store.agent.observe().arrays[0].state is ArrayState.DEGRADED


def test_a_member_seen_over_a_fabric_takes_no_part(store: Store) -> None:
    store.reboot()
    store.disks[0].transport = "iscsi"
    store.machine.changed()
    assert not store.agent.bring_up()
    assert store.agent.converge(store.desired()).volumes[0].reason == "waiting for array tank: 2 of 3 disks present"


def test_an_array_that_lost_too_many_disks_stays_down_and_says_so(store: Store) -> None:
    store.reboot()
    for disk in store.disks[:2]:
        store.machine.pull(disk)
    store.agent.bring_up()
    store.machine.sleep(GRACE_S + 1)
    assert not store.agent.bring_up()
    reason = store.agent.converge(store.desired()).volumes[0].reason
    assert reason is not None
    assert "tank" in reason
    assert "1 of 3" in reason


def test_an_older_database_takes_nothing_away(store: Store) -> None:
    store.agent.converge(store.desired(5))
    report = store.agent.converge(store.desired(4, volumes=(), targets=()))
    assert (report.accepted, report.generation) == (False, 5)
    assert state(report) is ServingState.OPEN
    store.restart()
    assert store.agent.hello().ledger_generation == 5


def test_what_vanishes_unexplained_is_served_on(store: Store) -> None:
    report = store.agent.converge(store.desired(2, volumes=(), targets=(), arrays=()))
    assert report.accepted
    assert len(report.unexplained) == 5
    assert exported_volumes(store.machine) == {VOLUME_ID}


def test_what_is_released_is_removed(store: Store) -> None:
    report = store.unmap()
    assert report.unexplained == ()
    assert exported_volumes(store.machine) == frozenset()


def test_a_lost_ledger_removes_nothing_that_is_served(store: Store) -> None:
    store.machine.unlink(f"{STATE_DIR}/ledger.json")
    store.restart()
    store.agent.converge(store.desired(1, volumes=(), targets=()))
    assert exported_volumes(store.machine) == {VOLUME_ID}


def test_a_broken_ledger_removes_nothing_that_is_served(store: Store) -> None:
    store.machine.write_durably(f"{STATE_DIR}/ledger.json", b"rubbish")
    store.restart()
    store.agent.converge(store.desired(1, volumes=(), targets=()))
    store.agent.bring_up()
    assert exported_volumes(store.machine) == {VOLUME_ID}
    assert store.machine.read_file(f"{STATE_DIR}/ledger.json.broken") == b"rubbish"


def test_without_a_ledger_no_one_learns_that_nothing_is_served(store: Store) -> None:
    """A restored database would give away what hosts use."""
    known = store.agent.served()
    assert known is not None
    assert [volume.volume_id for volume in known.volumes] == [VOLUME_ID]
    store.machine.unlink(f"{STATE_DIR}/ledger.json")
    store.restart()
    with pytest.raises(InUse, match="it is unknown which host uses which volume"):
        store.agent.served()
    store.reboot()
    assert store.agent.served() is None


def test_a_mapped_volume_is_not_deleted_even_while_its_array_is_down(store: Store) -> None:
    with pytest.raises(InUse, match="mapped"):
        store.do(store.delete_step())
    store.reboot()
    with pytest.raises(LunetteError):
        store.do(store.delete_step())
    assert store.agent.bring_up()
    assert len(store.agent.observe().volumes) == 1


def test_a_disk_of_an_array_we_serve_is_not_wiped_even_while_it_is_down(store: Store) -> None:
    store.reboot()
    found = store.observed(store.disks[0])
    wipe = DiskWipe(disk_id=found.id, serial=found.serial, size_bytes=found.size_bytes, signatures=found.signatures)
    with pytest.raises(InUse, match="array tank"):
        store.do(wipe)
    assert store.observed(store.disks[0]).signatures


def test_an_array_in_service_is_not_undone_even_while_its_disks_are_away(store: Store) -> None:
    """A job from an old database must not clear what cannot be looked into."""
    store.reboot()
    for disk in store.disks[:2]:
        store.machine.pull(disk)
    with pytest.raises(InUse, match="in service"):
        store.undo(store.array)
    assert store.observed(store.disks[2]).signatures


def test_no_step_that_makes_an_array_or_what_lies_on_it_is_undone_while_the_array_is_in_service() -> None:
    steps = get_args(get_args(AnyStep)[0])
    making = {one for one in steps if one.model_fields["kind"].default.endswith(".create")}
    assert {one for one in making if "array_id" in one.model_fields} == {*MAKES_ARRAYS}


def test_waiting_for_exports_ends_when_they_are_removed(store: Store) -> None:
    wait = ExportsGone(volume_ids=(VOLUME_ID,), deadline_s=5)
    before = store.machine.monotonic()
    with pytest.raises(InUse, match="still exported"):
        store.do(wait)
    assert store.machine.monotonic() - before >= 5
    store.unmap()
    assert not store.do(wait)
    assert store.do(store.delete_step())
    assert not store.undo(wait)


def test_waiting_lasts_while_the_ledger_would_bring_the_export_back(store: Store) -> None:
    """Blocked is not gone: with the array back, the host would see its disk again."""
    store.reboot()
    with pytest.raises(InUse):
        store.do(ExportsGone(volume_ids=(VOLUME_ID,), deadline_s=1))


def test_a_shutdown_takes_everything_down_and_the_next_start_brings_it_back(store: Store) -> None:
    assert shut_down(store.machine) == []
    assert exported_volumes(store.machine) == frozenset()
    assert store.machine.listdir("/sys/block") == sorted(disk.kernel_name for disk in store.disks)
    store.restart()
    assert store.agent.bring_up()
    assert exported_volumes(store.machine) == {VOLUME_ID}


def test_withdrawn_exports_leave_the_volumes_up_and_return_with_the_agent(store: Store) -> None:
    volumes = [volume.device for volume in store.agent.observe().volumes if volume.active]
    assert volumes
    assert serving.withdraw(store.machine) == {}
    assert serving.withdraw(store.machine) == {}, "twice is once"
    assert not serving.is_served(store.machine)
    assert [volume.device for volume in store.agent.observe().volumes if volume.active] == volumes
    store.restart()
    assert store.agent.bring_up()
    assert exported_volumes(store.machine) == {VOLUME_ID}


def test_an_observation_after_a_step_is_newer_than_the_step(store: Store) -> None:
    assert len(store.agent.observe().volumes) == 1
    store.unmap()
    store.do(store.delete_step())
    assert store.agent.observe().volumes == ()


def test_a_step_brings_its_array_up_first_and_leaves_one_that_is_up_alone(store: Store) -> None:
    def tuned_by(step: VolumeDelete) -> bool:
        before = len(store.machine.faults.calls)
        store.do(step)
        return any("stripe_cache_size" in call.detail for call in store.machine.faults.calls[before:])

    store.unmap()
    store.reboot()
    assert store.agent.bring_up()
    assert not tuned_by(store.delete_step())
    store.reboot()
    assert tuned_by(store.delete_step()), "the array is down, so all of it is brought up as after every boot"
    assert len(store.agent.observe().arrays) == 1


def test_engines_say_what_they_miss(store: Store) -> None:
    assert {(engine.kind, engine.engine, engine.available) for engine in store.agent.observe().engines} == {
        ("array", "md", True),
        ("array", "zfs", True),
        ("array", "external", True),
        ("array", "lvm", True),
        ("volume", "lvm", True),
        ("volume", "zvol", True),
        ("export", "lio", True),
        ("export", "nvmet", False),
        ("export", "spdk", False),
    }


def test_zfs_without_its_module_names_the_packages_and_costs_nothing(store: Store) -> None:
    store.machine.available_modules.discard("zfs")
    found = {engine.engine: engine for engine in store.agent.observe().engines}
    assert not found["zfs"].available
    assert "zfsutils-linux and zfs-dkms" in (found["zfs"].reason or "")
    assert found["md"].available
    store.machine.tools.remove("zpool")
    since = len(store.machine.faults.calls)
    zpool = {engine.engine: engine for engine in store.agent.observe().engines}["zfs"]
    assert "install the Debian package zfsutils-linux" in (zpool.reason or "")
    assert not [call for call in store.machine.faults.calls[since:] if call.detail.startswith(("zpool", "zfs "))]
