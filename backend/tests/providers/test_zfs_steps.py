"""What pools promise about disks and machines that are not theirs. The fault harness covers the steps themselves."""

from collections.abc import Callable

import pytest

from backend.tests.agent.exports import exports
from backend.tests.fakemachine import FakeDisk, FakeSignature, FakeSystem
from backend.tests.fakemachine.faults import Crash, When
from backend.tests.providers.rig import ARRAY_ID, ARRAY_UUID, VOLUME_ID, Rig
from backend.tests.wiring_agent import PATIENT_S
from lunette.agent.bring_up import GRACE_S, BringUp, shut_down
from lunette.domain.arrays import ArrayCreate, ArrayEngine, ArrayState, Level, ObservedArray
from lunette.domain.errors import Conflict, InUse, ToolFailed
from lunette.domain.exports import ExportArray
from lunette.domain.sizes import MIB
from lunette.domain.steps import MemberDisk, PoolCreate, PoolReplace, VolumeCut
from lunette.providers.arrays.zfs import assemble, plan
from lunette.providers.arrays.zfs.module import HOSTID, keep_hostid
from lunette.providers.volumes.zvol import plan as zvol


class Farm(Rig):
    """A machine with a raidz1 of its first three disks and one zvol of it; the fourth disk is blank."""

    def __init__(self, step: Callable[[Rig], PoolCreate] | None = None) -> None:
        super().__init__()
        self.create_step = step(self) if step else pool_step(self, self.disks[:3])
        self.do(self.create_step)
        (self.cut_step,) = zvol.cut_steps(self.create_step.pool, [(VOLUME_ID, 64 * MIB)])
        self.do(self.cut_step)
        self.boot()

    def replace_step(self, new: FakeDisk) -> PoolReplace:
        step, found = self.create_step, self.observed(new)
        return PoolReplace(
            array_id=ARRAY_ID,
            guid=step.guid,
            pool=step.pool,
            old=step.members[0],
            disk_bytes=1,
            new=MemberDisk(disk_id=found.id, serial=found.serial),
        )

    @property
    def device(self) -> str:
        return zvol.device_path(self.cut_step.group, self.cut_step.backing_name)

    def boot(self) -> None:
        """A new agent, as after a boot."""
        self.bringing_up = BringUp(self.machine, patience_s=PATIENT_S)

    def bring_up(self) -> str | None:
        """What the pool waits for after one pass."""
        step = self.create_step
        array = ExportArray(
            array_id=ARRAY_ID,
            name="tank",
            engine=ArrayEngine.ZFS,
            uuid=step.guid,
            group=step.pool,
            members=step.devices(),
        )
        self.bringing_up.run(exports(arrays=(array,)))
        return self.bringing_up.waiting.get(ARRAY_ID)

    def pool(self) -> ObservedArray:
        (found,) = self.agent.observe().arrays
        return found

    def imports(self) -> list[str]:
        return [call.detail for call in self.machine.faults.calls if call.detail.startswith("zpool import")]


def pool_step(rig: Rig, disks: list[FakeDisk]) -> PoolCreate:
    found = [rig.observed(disk) for disk in disks]
    spec = ArrayCreate(name="tank", engine=ArrayEngine.ZFS, level=Level.RAIDZ1, disks=tuple(disk.id for disk in found))
    return plan.create_step(ARRAY_ID, ARRAY_UUID, spec, found)


@pytest.fixture
def rig() -> Rig:
    return Rig()


@pytest.fixture
def farm() -> Farm:
    return Farm()


def hostid(machine: FakeSystem) -> bytes | None:
    return machine.read_file(HOSTID)


def test_the_hostid_is_there_before_the_pool_and_stays_after_a_power_cut(farm: Farm) -> None:
    first = hostid(farm.machine)
    assert first is not None
    assert (len(first), any(first), farm.machine.files.mode(HOSTID)) == (4, True, 0o644)
    calls = [f"{call.name} {call.detail}" for call in farm.machine.faults.calls]
    assert calls.index(f"write_durably {HOSTID}") < calls.index("run modprobe zfs")
    farm.machine.power_cut()
    assert farm.bring_up() is None
    assert hostid(farm.machine) == first


def test_two_machines_draw_two_hostids() -> None:
    machines = [FakeSystem(), FakeSystem()]
    for machine in machines:
        keep_hostid(machine)
    assert hostid(machines[0]) != hostid(machines[1])


@pytest.mark.parametrize("broken", [b"", b"\x01\x02", bytes(4)])
def test_an_invalid_hostid_is_replaced_and_a_valid_one_stays(broken: bytes) -> None:
    machine = FakeSystem()
    machine.files.seed(HOSTID, broken)
    keep_hostid(machine)
    drawn = hostid(machine)
    assert drawn not in (broken, None)
    keep_hostid(machine)
    assert hostid(machine) == drawn


def test_a_kill_while_the_hostid_is_written_leaves_none_or_a_whole_one() -> None:
    for when in When:
        machine = FakeSystem()
        machine.faults.crash_at(2, when)
        with pytest.raises(Crash):
            keep_hostid(machine)
        machine.faults.restart_process()
        machine.power_cut()
        assert len(hostid(machine) or bytes(4)) == 4


def test_a_pool_that_another_machine_has_in_use_is_left_alone_and_says_so(farm: Farm) -> None:
    farm.machine.power_cut()
    farm.machine.files.seed(HOSTID, bytes.fromhex("0badcafe"))
    reason = farm.bring_up() or ""
    assert "another system is using it" in reason
    assert "hostid=" in reason
    assert "-f" not in reason
    assert farm.machine.zfs.imported == {}


def test_an_exported_pool_is_imported_on_another_machine(farm: Farm) -> None:
    assert shut_down(farm.machine) == []
    farm.machine.reboot()
    farm.machine.files.seed(HOSTID, bytes.fromhex("0badcafe"))
    assert farm.bring_up() is None


def test_only_recorded_disks_are_read(farm: Farm) -> None:
    """The fourth disk carries the same pool, as a disk that was replaced and came back does."""
    farm.machine.zfs.partition(farm.disks[3])
    copy = farm.machine.zfs.label_of(farm.disks[0])
    assert copy is not None
    farm.disks[3].partitions[0].media.zfs = copy
    farm.machine.reboot()
    assert farm.bring_up() is None
    (command,) = farm.imports()
    assert [f"{m.disk_id}-part1" in command for m in farm.create_step.members] == [True] * 3
    assert farm.disks[3].links()[0] not in command
    assert f" {farm.create_step.guid}" in command
    assert [m.disk_id for m in farm.pool().members] == [m.disk_id for m in farm.create_step.members]


def test_a_late_disk_is_waited_for_and_a_lost_one_is_done_without(farm: Farm) -> None:
    farm.machine.reboot()
    farm.machine.pull(farm.disks[0])
    assert farm.bring_up() == "waiting for array tank: 2 of 3 disks present"
    farm.machine.sleep(GRACE_S + 1)
    assert farm.bring_up() is None
    assert farm.pool().state is ArrayState.DEGRADED


def test_a_disk_that_returns_takes_its_place_again_and_a_whole_pool_costs_no_command(farm: Farm) -> None:
    farm.machine.pull(farm.disks[0])
    assert farm.bring_up() is None
    assert farm.pool().state is ArrayState.DEGRADED
    farm.machine.insert(farm.disks[0])
    assert farm.bring_up() is None
    assert farm.pool().state is not ArrayState.DEGRADED
    since = len(farm.machine.faults.calls)
    assert farm.bring_up() is None
    assert not [call for call in farm.machine.faults.calls[since:] if call.detail.startswith("zpool")]


def test_a_disk_that_was_missing_at_the_import_rejoins_when_it_returns(farm: Farm) -> None:
    """Of such a disk JSON says CANT_OPEN, of one that left later REMOVED."""
    farm.machine.reboot()
    farm.machine.pull(farm.disks[0])
    farm.bring_up()
    farm.machine.sleep(GRACE_S + 1)
    assert farm.bring_up() is None
    assert '"CANT_OPEN"' in farm.machine.run(["zpool", "status", "-j", "--json-int"]).stdout
    assert farm.pool().state is ArrayState.DEGRADED
    farm.machine.insert(farm.disks[0])
    assert farm.bring_up() is None
    assert farm.pool().state is not ArrayState.DEGRADED


def test_a_disk_that_zfs_gave_up_for_its_errors_is_not_readded(farm: Farm) -> None:
    farm.machine.pull(farm.disks[0])
    farm.machine.insert(farm.disks[0])
    farm.machine.zfs.imported[farm.create_step.pool].given_up.add(0)
    assert farm.bring_up() is None
    assert not [call for call in farm.machine.faults.calls if call.detail.startswith("zpool online")]


def test_a_pool_that_lost_too_many_disks_stays_down_and_says_so(farm: Farm) -> None:
    farm.machine.reboot()
    for disk in farm.disks[:2]:
        farm.machine.pull(disk)
    farm.bring_up()
    farm.machine.sleep(GRACE_S + 1)
    assert "did not start with 1 of 3 disks: cannot import" in (farm.bring_up() or "")


def test_a_member_seen_over_a_fabric_takes_no_part(farm: Farm) -> None:
    farm.machine.reboot()
    farm.disks[0].transport = "iscsi"
    farm.machine.changed()
    assert farm.bring_up() == "waiting for array tank: 2 of 3 disks present"


@pytest.fixture
def stripe() -> Farm:
    """A farm whose pool is one data disk with a log, a cache and a special disk."""
    return Farm(step_with_roles)


def step_with_roles(rig: Rig) -> PoolCreate:
    found = [rig.observed(disk) for disk in rig.disks[:4]]
    roles = dict(zip(("disks", "log", "cache", "special"), [(disk.id,) for disk in found], strict=True))
    spec = ArrayCreate.model_validate({"name": "tank", "engine": "zfs", "level": "stripe", **roles})
    order = [disk for ids in spec.by_role().values() for disk in found if disk.id in ids]
    return plan.create_step(ARRAY_ID, ARRAY_UUID, spec, order)


def test_a_partition_whose_link_was_missing_for_a_moment_is_searched_again(rig: Rig) -> None:
    rig.machine.zfs.lost_links = 1
    assert rig.do(step_with_roles(rig))
    assert not rig.do(step_with_roles(rig))


def test_a_partition_that_is_not_found_twice_ends_the_creation_and_leaves_blank_disks(rig: Rig) -> None:
    rig.machine.zfs.lost_links = 2
    step = step_with_roles(rig)
    with pytest.raises(ToolFailed):
        rig.do(step)
    rig.undo(step)
    assert [disk.partitions for disk in rig.disks] == [[]] * 4


def test_a_pool_without_its_log_waits_for_it_and_nothing_is_forced(stripe: Farm) -> None:
    """It may hold writes that were acknowledged to hosts."""
    stripe.machine.power_cut()
    stripe.machine.pull(stripe.disks[1])
    assert stripe.bring_up() == "waiting for array tank: 3 of 4 disks present"
    stripe.machine.sleep(GRACE_S + 1)
    reason = stripe.bring_up() or ""
    assert "its log disks are missing" in reason
    assert not any(" -m " in command for command in stripe.imports())
    stripe.machine.insert(stripe.disks[1])
    assert stripe.bring_up() is None
    assert {m.state for m in stripe.pool().members} == {"in_sync"}


def test_a_pool_without_its_cache_starts_after_the_grace_and_takes_it_back(stripe: Farm) -> None:
    stripe.machine.power_cut()
    stripe.machine.pull(stripe.disks[2])
    stripe.bring_up()
    stripe.machine.sleep(GRACE_S + 1)
    assert stripe.bring_up() is None
    assert stripe.pool().state is ArrayState.CLEAN
    stripe.machine.insert(stripe.disks[2])
    assert stripe.bring_up() is None
    assert {m.state for m in stripe.pool().members} == {"in_sync"}


def test_a_pool_without_its_special_disk_stays_down(stripe: Farm) -> None:
    stripe.machine.power_cut()
    stripe.machine.pull(stripe.disks[3])
    stripe.bring_up()
    stripe.machine.sleep(GRACE_S + 1)
    assert "did not start with 3 of 4 disks: cannot import" in (stripe.bring_up() or "")


def test_a_foreign_cache_disk_is_not_a_blank_data_disk(rig: Rig) -> None:
    """Its label names no pool, so its owner is unknown; only a disk that is to be a cache may carry one."""
    rig.machine.zfs.partition(rig.disks[0])
    rig.disks[0].partitions[0].media.signatures = [FakeSignature("zfs_member", 262144, None, None)]
    rig.machine.changed()
    step = pool_step(rig, rig.disks[:3])
    with pytest.raises(InUse, match="allow wiping it"):
        rig.do(step)
    rig.undo(step)
    assert rig.disks[0].partitions[0].media.signatures


def test_a_foreign_cache_disk_does_not_replace_a_data_disk_and_is_left_alone(farm: Farm) -> None:
    farm.machine.zfs.partition(farm.disks[3])
    farm.disks[3].partitions[0].media.signatures = [FakeSignature("zfs_member", 262144, None, None)]
    farm.machine.changed()
    step = farm.replace_step(farm.disks[3])
    with pytest.raises(InUse, match="allow wiping it"):
        farm.do(step)
    farm.undo(step)
    assert farm.disks[3].partitions[0].media.signatures


@pytest.mark.parametrize("claims", [True, False], ids=["lio", "nvmet"])
def test_a_shutdown_leaves_a_pool_of_which_a_zvol_is_open(farm: Farm, *, claims: bool) -> None:
    """zpool export would wait for ever for it; nvmet serves a device without claiming it."""
    opener = farm.machine.blocks.open_exclusively if claims else farm.machine.blocks.open_shared
    kernel_name = opener(farm.device, "somebody")
    still_open = frozenset() if claims else frozenset({f"/dev/{kernel_name}"})
    (refused,) = assemble.shut_down(farm.machine, still_open)
    assert refused == f"pool {farm.create_step.pool}: {farm.cut_step.backing_name} still open"
    assert farm.create_step.pool in farm.machine.zfs.imported


def test_a_shutdown_leaves_every_pool_with_volumes_if_open_volumes_are_unknown(farm: Farm) -> None:
    (refused,) = assemble.shut_down(farm.machine, None)
    assert refused == f"pool {farm.create_step.pool}: {farm.cut_step.backing_name} may still be open"
    assert farm.create_step.pool in farm.machine.zfs.imported
    assert assemble.shut_down(farm.machine, frozenset()) == []


def test_a_foreign_pool_is_not_exported_and_shown_as_foreign(farm: Farm) -> None:
    farm.machine.zfs.imported[farm.create_step.pool].data.properties.clear()
    assert not farm.pool().ours
    assert shut_down(farm.machine) == []
    assert farm.create_step.pool in farm.machine.zfs.imported


def test_a_disk_of_a_foreign_pool_is_refused_and_unchanged(farm: Farm) -> None:
    farm.machine.zfs.partition(farm.disks[3])
    farm.disks[3].partitions[0].media.signatures = [FakeSignature("zfs_member", 262144, "theirs", "77")]
    farm.machine.changed()
    with pytest.raises(InUse, match="allow wiping it"):
        farm.do(farm.replace_step(farm.disks[3]))
    assert farm.disks[3].partitions[0].media.signatures


def test_a_disk_that_cannot_be_read_is_not_taken_for_blank(rig: Rig) -> None:
    step = pool_step(rig, rig.disks[:3])
    rig.do(step)
    part = f"/dev/{rig.disks[2].partition_name(1)}"
    rig.machine.faults.break_calls(lambda call: call.detail == f"wipefs --json --no-act -- {part}")
    with pytest.raises(ToolFailed, match="cannot be read"):
        rig.undo(step)
    rig.machine.faults.break_calls(None)
    assert rig.undo(step)
    assert [disk.partitions for disk in rig.disks[:3]] == [[]] * 3


def test_a_replacement_that_was_exchanged_is_refused(farm: Farm) -> None:
    step = farm.replace_step(farm.disks[3])
    wrong = step.model_copy(update={"new": step.new.model_copy(update={"serial": "another"})})
    with pytest.raises(Conflict):
        farm.do(wrong)
    assert not farm.disks[3].partitions


def test_a_zvol_of_a_pool_without_our_mark_is_not_cut(farm: Farm) -> None:
    farm.machine.zfs.imported[farm.create_step.pool].data.properties.clear()
    other = VolumeCut(**(farm.cut_step.model_dump() | {"lv_name": "other"}))
    with pytest.raises(Conflict, match="does not carry the mark"):
        farm.do(other)
