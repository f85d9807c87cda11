"""A boot in which a tool hangs, with the API stopped: who is served meanwhile, and what happens once it comes back."""

import threading
from collections.abc import Callable

import pytest

from backend.tests.agent.exports import exports, id_of, initiator, lun, portal, target, volume
from backend.tests.fakemachine import FakeSystem, Hang
from lunette.agent.bring_up import AT_ONCE, GRACE_S, HANGS_S, BringUp
from lunette.agent.core import Agent
from lunette.agent.main import MODULES
from lunette.domain.arrays import ArrayCreate, ArrayEngine, Level
from lunette.domain.disks import ObservedDisk
from lunette.domain.encryption import Encryption, KeyLend
from lunette.domain.exports import ExportArray, ExportLun, ExportSet, ExportVolume, ServingState
from lunette.domain.sizes import MIB
from lunette.domain.steps import AnyStep, MemberDisk, VolumeGrow
from lunette.domain.volumes import VolumeEngine
from lunette.providers.arrays.md import plan as md
from lunette.providers.arrays.zfs import plan as zfs
from lunette.providers.encryption import plan as luks
from lunette.providers.exports.lio.converge import exported_volumes
from lunette.providers.volumes.lvm import plan as lvm
from lunette.providers.volumes.zvol import plan as zvol

AT_LAST_S = 120.0
"""How long a thread may take for work that it does immediately; a longer wait is a failure."""
RED, POND, BLUE = (f"{letter * 8}-0000-4000-8000-000000000001" for letter in "abc")
VOLUMES = {id_: f"{id_[0] * 8}-0000-4000-8000-000000000002" for id_ in (RED, POND, BLUE)}
HOSTS = {RED: 31, POND: 32, BLUE: 33}
BOTH = 34


class Rack:
    """An encrypted md array `red`, a pool `pond`, an md array `blue`, each with a volume of a host of its own; a fourth
    host has those of `red` and `blue`."""

    def __init__(self) -> None:
        self.machine = FakeSystem()
        self.machine.add_disks(6)
        for module in MODULES:
            self.machine.run(["modprobe", "-q", module], ok=(0, 1))
        self.start()
        disks = self.agent.observe().disks
        self.arrays = (self.md("red", RED, disks[:2]), self.pool(disks[2:4]), self.md("blue", BLUE, disks[4:]))
        self.agent.converge(self.desired())

    def start(self, patience_s: float = 0.05) -> None:
        """A new process. `woken` is set when the agent has something to look at without being asked."""
        self.agent = Agent(self.machine, patience_s=patience_s)
        self.woken = threading.Event()
        self.agent.wake = self.woken.set

    def reboot(self, patience_s: float = 0.05) -> None:
        self.machine.reboot()
        self.start(patience_s)

    def do(self, step: AnyStep) -> None:
        assert self.agent.do_step("job", step).changed

    def md(self, name: str, array_id: str, disks: tuple[ObservedDisk, ...]) -> ExportArray:
        desired = ArrayCreate(name=name, level=Level.RAID1, disks=tuple(disk.id for disk in disks))
        members = [MemberDisk(disk_id=disk.id, serial=disk.serial) for disk in disks]
        made = md.create_step(array_id, array_id.replace("-", ""), desired, members, [d.size_bytes for d in disks])
        self.do(made)
        locked = name == "red"
        if locked:
            self.agent.use_key(KeyLend.model_validate({"array_id": array_id, "passphrase": "correct horse battery"}))
            self.do(luks.create_step(array_id, made.uuid, 512, keep_key=True))
        group = lvm.group_create(array_id, made.uuid, mapping=luks.mapping_name(array_id) if locked else None)
        self.do(group)
        (cut,) = lvm.cut_steps(group.group, [(VOLUMES[array_id], 64 * MIB)])
        self.do(cut)
        return ExportArray(
            array_id=array_id,
            name=name,
            engine=ArrayEngine.MD,
            uuid=made.uuid,
            group=group.group,
            members=desired.disks,
            encryption=Encryption.LUKS2 if locked else None,
        )

    def pool(self, disks: tuple[ObservedDisk, ...]) -> ExportArray:
        desired = ArrayCreate(name="pond", engine=ArrayEngine.ZFS, level=Level.MIRROR, disks=tuple(d.id for d in disks))
        made = zfs.create_step(POND, POND, desired, disks)
        self.do(made)
        (cut,) = zvol.cut_steps(made.pool, [(VOLUMES[POND], 64 * MIB)])
        self.do(cut)
        return ExportArray(
            array_id=POND, name="pond", engine=ArrayEngine.ZFS, uuid=made.guid, group=made.pool, members=made.devices()
        )

    def volume(self, array: ExportArray) -> ExportVolume:
        plan = zvol if array.engine is ArrayEngine.ZFS else lvm
        id_ = VOLUMES[array.array_id]
        device = plan.device_path(array.group, plan.backing_name(id_))
        place = {"volume_id": id_, "array_id": array.array_id, "group": array.group, "device": device}
        return volume(HOSTS[array.array_id]).model_copy(update=place)

    def desired(self, generation: int = 1) -> ExportSet:
        def of(id_: str, mapping: int, number: int = 1) -> ExportLun:
            return lun(mapping, number, 0).model_copy(update={"volume_id": VOLUMES[id_]})

        own = [target(n, [initiator(n)], [of(id_, 20 + n)]) for id_, n in HOSTS.items()]
        both = target(BOTH, [initiator(BOTH)], [of(RED, 58), of(BLUE, 59, 2)])
        volumes = tuple(self.volume(array) for array in self.arrays)
        return exports(
            generation=generation, arrays=self.arrays, volumes=volumes, portals=(portal(21),), targets=(*own, both)
        )

    def serving(self) -> set[int]:
        """Which hosts find their target open."""
        targets = {target.iqn: int(target.iqn[-8:], 16) for target in self.desired().targets}
        return {targets[name] for name in self.agent.hello().serving}

    def logs_in(self, number: int) -> bool:
        iqn = next(target.iqn for target in self.desired().targets if target.target_id == id_of(number))
        try:
            self.machine.login(f"iqn.2026-01.com.example:h{number}", iqn, "192.0.2.1:3260")
        except OSError:
            return False
        return True

    def reason(self, array_id: str) -> str:
        """The report about the volume of this array."""
        reported = {found.volume_id: found for found in self.agent.converge(self.desired()).volumes}[VOLUMES[array_id]]
        assert reported.state is ServingState.BLOCKED
        return reported.reason or ""

    def hang(self, array: ExportArray, words: str) -> Hang:
        """A tool hangs wherever it has to do with this array."""
        own = {array.array_id, array.uuid, array.group, luks.mapping_name(array.array_id), *array.members}
        own |= {f"/dev/{d.kernel_name} " for d in self.machine.blocks.disks if own & set(d.links())}
        return self.machine.faults.hang(lambda line: words in line and any(name in f"{line} " for name in own))


@pytest.fixture
def rack() -> Rack:
    return Rack()


def in_a_thread(call: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


HANGS = [
    (RED, "wipefs --json"),
    (RED, "mdadm --examine"),
    (RED, "mdadm --assemble"),
    (RED, "cryptsetup open"),
    (RED, "vgchange -ay"),
    (POND, "wipefs --json"),
    (POND, "zpool import"),
]


def test_everything_is_served_without_a_hang(rack: Rack) -> None:
    rack.reboot(patience_s=60.0)
    while not rack.agent.bring_up():
        pass
    assert rack.serving() == {31, 32, 33, 34}
    assert not rack.woken.is_set(), "whoever is waited for wakes nobody"


@pytest.mark.parametrize(("array_id", "tool"), HANGS)
def test_a_tool_that_hangs_blocks_only_the_hosts_of_its_own_array(rack: Rack, array_id: str, tool: str) -> None:
    rack.reboot()
    hang = rack.hang(next(array for array in rack.arrays if array.array_id == array_id), tool)
    kept_out = {HOSTS[array_id], BOTH} if array_id == RED else {HOSTS[array_id]}
    while rack.serving() != {31, 32, 33, 34} - kept_out:
        assert not rack.agent.bring_up()
    assert hang.began.is_set()
    assert all(rack.logs_in(host) for host in rack.serving())
    assert not any(rack.logs_in(host) for host in kept_out), "a host has all of its volumes, or a path it tries again"
    name = "red" if array_id == RED else "pond"
    assert rack.reason(array_id).startswith(f"array {name} is being started ({tool}")
    rack.machine.advance(HANGS_S)
    assert f"array {name} is being started, but {tool}" in rack.reason(array_id)
    assert "has not finished: check whether a disk hangs" in rack.reason(array_id)
    hang.let_go()
    assert rack.woken.wait(AT_LAST_S), "nobody has to ask"
    while not rack.agent.bring_up():
        pass
    assert rack.serving() == {31, 32, 33, 34}


@pytest.mark.parametrize(("array_id", "tool"), [one for one in HANGS if one[1] != "wipefs --json"])
def test_a_tool_that_is_killed_is_tried_again(
    rack: Rack, array_id: str, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    rack.reboot()
    hang = rack.hang(next(array for array in rack.arrays if array.array_id == array_id), tool)
    assert not rack.agent.bring_up()
    assert hang.began.wait(AT_LAST_S)
    hang.kill()
    while not rack.agent.bring_up():
        pass
    assert rack.serving() == {31, 32, 33, 34}
    assert "did not finish" in caplog.text or "no end after" in caplog.text


def test_no_two_rounds_start_one_array(rack: Rack) -> None:
    rack.reboot()
    hang = rack.hang(rack.arrays[0], "mdadm --assemble")
    rounds = [in_a_thread(rack.agent.bring_up) for _ in range(3)]
    for thread in rounds:
        thread.join(AT_LAST_S)
    rack.agent.bring_up()
    assert hang.began.wait(AT_LAST_S)
    assert len(hang.lines) == 1
    hang.let_go()
    while not rack.agent.bring_up():
        pass
    started = [call.detail for call in rack.machine.faults.calls if "mdadm --assemble" in call.detail]
    assert len([line for line in started if rack.arrays[0].uuid in line]) == 1


def test_a_step_waits_for_its_own_array_and_for_no_other(rack: Rack) -> None:
    rack.reboot()
    hang = rack.hang(rack.arrays[0], "mdadm --assemble")
    assert not rack.agent.bring_up()
    assert hang.began.wait(AT_LAST_S)

    def grown(array: ExportArray) -> VolumeGrow:
        cut = rack.volume(array)
        name = lvm.backing_name(cut.volume_id)
        return VolumeGrow(
            engine=VolumeEngine.LVM,
            volume_id=cut.volume_id,
            group=cut.group,
            backing_name=name,
            from_bytes=64 * MIB,
            size_bytes=128 * MIB,
        )

    rack.do(grown(rack.arrays[2]))
    done = threading.Event()

    def work() -> None:
        rack.do(grown(rack.arrays[0]))
        done.set()

    thread = in_a_thread(work)
    rack.agent.converge(rack.desired(2))
    assert rack.agent.hello().ledger_generation == 2, "a change of exports is neither"
    assert not done.is_set()
    hang.let_go()
    thread.join(AT_LAST_S)
    assert done.is_set()


def test_an_agent_that_stops_begins_nothing_and_lets_what_is_under_way_end(rack: Rack) -> None:
    rack.reboot()
    hang = rack.hang(rack.arrays[0], "mdadm --assemble")
    assert not rack.agent.bring_up()
    assert hang.began.wait(AT_LAST_S)
    stopping = in_a_thread(lambda: rack.agent.stop(AT_LAST_S))
    assert stopping.is_alive()
    hang.let_go()
    stopping.join(AT_LAST_S)
    assert not stopping.is_alive()
    assert rack.machine.exists(md.device_path(rack.arrays[0].uuid)), "it was not cut"
    before = len(rack.machine.faults.calls)
    rack.machine.reboot()
    rack.agent.bring_up()
    assert not [call for call in rack.machine.faults.calls[before:] if "mdadm" in call.detail]


def test_an_agent_killed_while_a_tool_hangs_is_followed_by_one_that_continues(rack: Rack) -> None:
    rack.reboot()
    hang = rack.hang(rack.arrays[0], "mdadm --assemble")
    assert not rack.agent.bring_up()
    assert hang.began.wait(AT_LAST_S)
    rack.machine.restart_process()
    rack.start()
    assert rack.agent.hello().ledger_generation == 1
    hang.let_go()
    while not rack.agent.bring_up():
        pass
    assert rack.serving() == {31, 32, 33, 34}


def test_what_has_left_the_ledger_meanwhile_is_not_started(rack: Rack) -> None:
    rack.reboot()
    served = rack.desired()
    bringing = BringUp(rack.machine)
    bringing.run(served, lambda array: array.array_id != RED)
    assert bringing.waiting == {}
    assert exported_volumes(rack.machine) == frozenset()
    assert [rack.machine.exists(md.device_path(rack.arrays[n].uuid)) for n in (0, 2)] == [False, True]


def test_those_that_wait_for_their_turn_have_it_before_those_that_hang() -> None:
    machine = FakeSystem()
    disks = machine.add_disks(AT_ONCE + 1)
    arrays = tuple(
        ExportArray(
            array_id=id_of(n),
            name=f"a{n}",
            engine=ArrayEngine.EXTERNAL,
            uuid=f"{n:032x}",
            group=f"g{n}",
            members=(disk.links()[0],),
        )
        for n, disk in enumerate(disks)
    )
    bringing = BringUp(machine, patience_s=0.01)
    hang = machine.faults.hang(lambda line: line.startswith("pvs --devices"))
    bringing.run(exports(arrays=arrays))
    last = arrays[-1]
    assert bringing.waiting[last.array_id] == f"array {last.name} is waiting to be started"
    assert len(bringing.waiting) == AT_ONCE + 1
    hang.kill()
    while any("is being started" in reason for reason in bringing.waiting.values()):
        pass
    again = machine.faults.hang(lambda line: line.startswith("pvs --devices"))
    bringing.run(exports(arrays=arrays))
    assert last.members[0] in again.lines[0]
    again.let_go()


def test_an_array_that_is_late_is_waited_for_though_another_hangs(rack: Rack) -> None:
    rack.reboot()
    hang = rack.hang(rack.arrays[0], "mdadm --assemble")
    gone = next(disk for disk in rack.machine.blocks.disks if set(disk.links()) & set(rack.arrays[2].members))
    rack.machine.pull(gone)
    assert not rack.agent.bring_up()
    while "1 of 2 disks present" not in rack.reason(BLUE):
        rack.agent.bring_up()
    rack.machine.sleep(GRACE_S + 1)
    while 33 not in rack.serving():
        rack.agent.bring_up()
    hang.let_go()


def test_a_pool_with_our_mark_of_another_array_is_not_served_as_this_one(rack: Rack) -> None:
    """Its name and guid are those of the array: only the mark on its root says that it is not."""
    pond = rack.arrays[1]
    (data,) = (pool.data for pool in rack.machine.zfs.imported.values())
    assert data.properties[zfs.MARK] == POND
    data.properties[zfs.MARK] = BLUE
    rack.reboot(patience_s=60.0)
    assert not rack.agent.bring_up()
    assert pond.group in rack.machine.zfs.imported
    assert rack.serving() == {31, 33, 34}
    assert f"pool {pond.group} does not carry the mark of array pond" in rack.reason(POND)
    data.properties[zfs.MARK] = POND
    while not rack.agent.bring_up():
        pass
    assert rack.serving() == {31, 32, 33, 34}
