"""Several steps of one kind in one request: what they do, in how many commands, and what a failure leaves."""

from collections.abc import Callable, Sequence
from itertools import count

import pytest
from pydantic import ValidationError

from backend.tests.agent.exports import exports, lun, target, volume
from backend.tests.fakemachine import Crash, When
from backend.tests.providers.rig import ARRAY_ID
from backend.tests.providers.test_thin_steps import ThinRig
from lunette.domain.agent_protocol import MOST_STEPS, DoSteps, ProblemReply, StepReply
from lunette.domain.errors import Conflict, ProblemType
from lunette.domain.sizes import MIB
from lunette.domain.steps import (
    MANY,
    AnyManyStep,
    SnapshotDelete,
    SnapshotSetAside,
    SnapshotTake,
    VolumeCut,
    VolumeDelete,
    VolumeSetAside,
)
from lunette.domain.volumes import VolumeEngine
from lunette.providers.volumes.lvm import plan as lvm

SIZE = 8 * MIB


class ManyRig(ThinRig):
    """With a thin pool."""

    def __init__(self) -> None:
        super().__init__()
        assert self.do(self.pool)

    def cuts(self, count: int, *, size: int = SIZE, pool: str | None = "pool", first: int = 1) -> list[VolumeCut]:
        return [
            VolumeCut(
                engine=VolumeEngine.LVM,
                volume_id=id_of(number),
                group=self.made.group,
                backing_name=lvm.backing_name(id_of(number)),
                size_bytes=size,
                pool=pool,
            )
            for number in range(first, first + count)
        ]

    def takes(self, count: int) -> list[SnapshotTake]:
        return [
            SnapshotTake(
                engine=VolumeEngine.LVM,
                snapshot_id=id_of(1000 + number),
                volume_id=cut.volume_id,
                group=cut.group,
                backing_name=lvm.snapshot_name(id_of(1000 + number)),
                origin=cut.backing_name,
                size_bytes=cut.size_bytes,
            )
            for number, cut in enumerate(self.cuts(count), 1)
        ]

    def ask(self, steps: Sequence[AnyManyStep]) -> list[StepReply | ProblemReply | None]:
        return list(self.agent.ask(DoSteps(job_id="job", steps=tuple(steps))).replies)

    def names(self) -> set[str]:
        return {volume.name for volume in self.agent.observe().volumes}

    def commands(self, do: Callable[[], object]) -> list[str]:
        """The commands that it runs."""
        since = len(self.machine.faults.calls)
        do()
        return [call.detail for call in self.machine.faults.calls[since:] if call.name == "run"]


@pytest.fixture
def rig() -> ManyRig:
    return ManyRig()


def id_of(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000003"


def flags(replies: Sequence[StepReply | ProblemReply | None]) -> list[bool]:
    """Of each whether it changed anything. Fails for a refusal."""
    assert all(isinstance(reply, StepReply) for reply in replies), replies
    return [reply.changed for reply in replies if isinstance(reply, StepReply)]


def deletes(cuts: Sequence[VolumeCut]) -> list[VolumeDelete]:
    return [
        VolumeDelete(
            engine=VolumeEngine.LVM,
            volume_id=cut.volume_id,
            group=cut.group,
            backing_name=cut.backing_name,
            size_bytes=cut.size_bytes,
        )
        for cut in cuts
    ]


def asides(cuts: Sequence[VolumeCut]) -> list[VolumeSetAside]:
    return [
        VolumeSetAside(
            engine=VolumeEngine.LVM,
            volume_id=cut.volume_id,
            group=cut.group,
            backing_name=cut.backing_name,
            aside_name=lvm.aside_name(cut.volume_id),
            size_bytes=cut.size_bytes,
            keep_hours=24,
            held_bytes=0,
        )
        for cut in cuts
    ]


def snapshot_deletes(takes: Sequence[SnapshotTake]) -> list[SnapshotDelete]:
    return [
        SnapshotDelete(
            engine=VolumeEngine.LVM, snapshot_id=take.snapshot_id, group=take.group, backing_name=take.backing_name
        )
        for take in takes
    ]


def snapshot_asides(takes: Sequence[SnapshotTake]) -> list[SnapshotSetAside]:
    return [
        SnapshotSetAside(
            engine=VolumeEngine.LVM,
            snapshot_id=take.snapshot_id,
            group=take.group,
            backing_name=take.backing_name,
            aside_name=lvm.snapshot_aside_name(take.volume_id, take.snapshot_id, volume_is_kept=False),
            keep_hours=24,
        )
        for take in takes
    ]


COUNT = 4
KINDS: dict[str, tuple[Callable[[ManyRig], Sequence[AnyManyStep]], Callable[[ManyRig], Sequence[AnyManyStep]]]] = {
    "thin volumes": (lambda _rig: (), lambda rig: rig.cuts(COUNT)),
    "thick volumes": (lambda _rig: (), lambda rig: rig.cuts(COUNT, pool=None)),
    "delete": (lambda rig: rig.cuts(COUNT), lambda rig: deletes(rig.cuts(COUNT))),
    "set aside": (lambda rig: rig.cuts(COUNT), lambda rig: asides(rig.cuts(COUNT))),
    "snapshots": (lambda rig: rig.cuts(COUNT), lambda rig: rig.takes(COUNT)),
    "delete snapshots": (
        lambda rig: [*rig.cuts(COUNT), *rig.takes(COUNT)],
        lambda rig: snapshot_deletes(rig.takes(COUNT)),
    ),
    "set snapshots aside": (
        lambda rig: [*rig.cuts(COUNT), *rig.takes(COUNT)],
        lambda rig: snapshot_asides(rig.takes(COUNT)),
    ),
}
"""Of each kind of step what is there before, and the steps."""


def prepared(kind: str) -> tuple[ManyRig, Sequence[AnyManyStep]]:
    rig = ManyRig()
    before, steps = KINDS[kind]
    for step in before(rig):
        rig.do(step)
    return rig, steps(rig)


def content(rig: ManyRig) -> dict[str, tuple[object, ...]]:
    """Every logical volume with what LVM records of it, and whether it is active."""
    found = rig.machine.lvm.vg(rig.made.group)
    assert found
    active = {
        view.lv.name for view in rig.machine.lvm.lvs() if rig.machine.exists(f"/dev/{view.vg.name}/{view.lv.name}")
    }
    return {
        name: (sorted(lv.tags), lv.pool, lv.virtual_extents, len(lv.extents), lv.skips_activation, name in active)
        for name, lv in found[0].lvs.items()
    }


def test_every_kind_of_step_that_may_be_requested_in_numbers_is_tested_here() -> None:
    assert {type(steps(ManyRig())[0]) for _, steps in KINDS.values()} == set(MANY)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_in_one_request_do_what_they_do_one_by_one(kind: str) -> None:
    (alone, steps), (together, _) = prepared(kind), prepared(kind)
    before = content(alone)
    for _ in range(2):
        assert flags(together.ask(steps)) == [alone.do(step) for step in steps]
        assert content(together) == content(alone) != before


@pytest.mark.parametrize("kind", KINDS)
def test_the_number_of_commands_does_not_depend_on_the_number_of_steps(kind: str) -> None:
    counts = []
    for many in (2, COUNT):
        rig, steps = prepared(kind)
        counts.append(len(rig.commands(lambda rig=rig, steps=steps[:many]: rig.ask(steps))))  # type: ignore[misc]
    assert counts[0] == counts[1] <= 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_between_any_two_commands_leaves_what_a_repeated_request_completes(kind: str) -> None:
    whole, steps = prepared(kind)
    since = len(whole.machine.faults.calls)
    whole.ask(steps)
    calls = enumerate(whole.machine.faults.calls[since:], 1)
    commands = [number for number, call in calls if call.changes and call.name == "run"]
    seen: list[dict[str, tuple[object, ...]]] = []
    for number in commands:
        after = killed(kind, number, When.AFTER, whole)
        for point in count(1):
            seen.append(killed(kind, number, When.DURING, whole, point))
            if seen[-1] == after:
                break
    assert len(seen) >= COUNT, "every step was interrupted"


def killed(kind: str, number: int, when: When, whole: ManyRig, point: int = 1) -> dict[str, tuple[object, ...]]:
    """What a kill at this call of the request leaves. Fails unless the repeated request completes it."""
    rig, steps = prepared(kind)
    rig.machine.faults.crash_at(number, when, point)
    with pytest.raises(Crash):
        rig.ask(steps)
    rig.machine.restart_process()
    left = content(rig)
    assert len(flags(rig.ask(steps))) == COUNT
    assert content(rig) == content(whole)
    return left


def test_what_is_there_already_is_left_alone_and_the_others_are_made(rig: ManyRig) -> None:
    cuts = rig.cuts(4)
    assert rig.do(cuts[1])
    assert rig.do(rig.seal(cuts[1]))
    assert rig.do(cuts[2])
    assert flags(rig.ask(cuts)) == [True, False, False, True]
    assert rig.names() >= {cut.backing_name for cut in cuts}


def test_a_refusal_known_beforehand_changes_nothing_and_is_that_of_its_step(rig: ManyRig) -> None:
    cuts = rig.cuts(3)
    rig.machine.run(["lvcreate", "-y", "--name", cuts[1].backing_name, "--size", "8m", cuts[1].group])
    before = content(rig)
    first, second, third = rig.ask(cuts)
    assert (first, third) == (None, None)
    assert isinstance(second, ProblemReply)
    assert second.type == Conflict.type
    assert cuts[1].backing_name in second.detail
    assert content(rig) == before


def test_where_lvm_fails_to_create_one_none_is_done_and_the_rollback_removes_all(rig: ManyRig) -> None:
    group = rig.machine.lvm.vg(rig.made.group)
    assert group
    free = len(group[0].free_extents()) * group[0].extent_bytes
    cuts = rig.cuts(4, size=free * 2 // 5 // group[0].extent_bytes * group[0].extent_bytes, pool=None)
    first, second, failed, never = rig.ask(cuts)
    assert (first, second, never) == (None, None, None)
    assert isinstance(failed, ProblemReply)
    assert failed.type == ProblemType.TOOL_FAILED
    assert {cut.backing_name for cut in cuts} & rig.names() == {cut.backing_name for cut in cuts[:2]}
    for cut in reversed(cuts):
        assert rig.undo(cut) == (cut in cuts[:2])
    assert not {cut.backing_name for cut in cuts} & rig.names()


def test_where_lvm_fails_amid_a_deletion_those_that_are_gone_are_done(rig: ManyRig) -> None:
    cuts = rig.cuts(4)
    rig.ask(cuts)
    probe = ManyRig()
    probe.ask(cuts)
    commands = probe.commands(lambda: probe.ask(deletes(cuts)))
    number = next(at for at, command in enumerate(commands, 1) if command.startswith("lvremove"))
    rig.machine.faults.fail_at(number, When.DURING, 2)
    gone, failed, *never = rig.ask(deletes(cuts))
    assert flags([gone]) == [True]
    assert isinstance(failed, ProblemReply)
    assert never == [None, None]
    assert {cut.backing_name for cut in cuts} & rig.names() == {cut.backing_name for cut in cuts[1:]}
    assert flags(rig.ask(deletes(cuts))) == [False, True, True, True]


@pytest.mark.parametrize("point", [1, 2, 3, 4])
def test_volumes_that_could_not_be_deleted_have_their_devices_again(rig: ManyRig, point: int) -> None:
    cuts = rig.cuts(4)
    rig.ask(cuts)
    before = content(rig)
    probe = ManyRig()
    probe.ask(cuts)
    commands = probe.commands(lambda: probe.ask(deletes(cuts)))
    for verb in ("lvchange -an", "lvremove"):
        number = next(at for at, command in enumerate(commands, 1) if command.startswith(verb))
        rig.machine.faults.fail_at(number, When.DURING, point)
        replies = rig.ask(deletes(cuts))
        left = content(rig)
        assert left.items() <= before.items()
        assert sum(isinstance(reply, ProblemReply) for reply in replies) == (len(left) > len(before) - COUNT)


def test_a_retained_volume_that_could_not_be_erased_stays_without_a_device(rig: ManyRig) -> None:
    cuts = rig.cuts(2)
    rig.ask(cuts)
    rig.ask(asides(cuts))
    before = content(rig)
    steps = [step.model_copy(update={"backing_name": lvm.aside_name(step.volume_id)}) for step in deletes(cuts)]
    probe = ManyRig()
    probe.ask(cuts)
    probe.ask(asides(cuts))
    commands = probe.commands(lambda: probe.ask(steps))
    number = next(at for at, command in enumerate(commands, 1) if command.startswith("lvremove"))
    rig.machine.faults.fail_at(number, When.DURING, 1)
    assert any(isinstance(reply, ProblemReply) for reply in rig.ask(steps))
    assert content(rig) == before


def test_an_error_of_lvm_after_all_was_done_is_none(rig: ManyRig) -> None:
    cuts = rig.cuts(4)
    probe = ManyRig()
    commands = probe.commands(lambda: probe.ask(cuts))
    rig.machine.faults.fail_at(len(commands), When.AFTER)
    assert commands[-1].startswith("lvchange -ay")
    assert flags(rig.ask(cuts)) == [True] * 4


def test_thick_volumes_are_blank_although_earlier_ones_left_something(rig: ManyRig) -> None:
    cuts = rig.cuts(3, pool=None)
    for cut in cuts:
        assert rig.do(cut)
        rig.machine.write_data(f"/dev/{cut.group}/{cut.backing_name}", 0, "somebody's secret")
        assert rig.undo(cut)
    assert flags(rig.ask(cuts)) == [True] * 3
    for cut in cuts:
        assert rig.machine.read_data(f"/dev/{cut.group}/{cut.backing_name}", 0) is None


def test_an_open_volume_is_not_deleted_and_neither_are_the_others(rig: ManyRig) -> None:
    cuts = rig.cuts(3)
    rig.ask(cuts)
    rig.machine.blocks.open_exclusively(f"/dev/{cuts[2].group}/{cuts[2].backing_name}", "LIO")
    for steps in (deletes(cuts), asides(cuts)):
        first, second, third = rig.ask(steps)
        assert (first, second) == (None, None)
        assert isinstance(third, ProblemReply)
        assert third.type == ProblemType.IN_USE
    assert rig.names() >= {cut.backing_name for cut in cuts}


def test_a_mapped_volume_is_refused_by_the_agent_itself_with_all_that_come_with_it(rig: ManyRig) -> None:
    cuts = rig.cuts(3)
    rig.ask(cuts)
    served = volume(11).model_copy(
        update={
            "volume_id": cuts[1].volume_id,
            "array_id": ARRAY_ID,
            "group": cuts[1].group,
            "device": f"/dev/{cuts[1].group}/{cuts[1].backing_name}",
        }
    )
    mapped = lun(51, 1, 11).model_copy(update={"volume_id": cuts[1].volume_id})
    rig.agent.converge(exports(volumes=(served,), targets=(target(31, (), (mapped,)),)))
    commands = rig.commands(lambda: rig.ask(deletes(cuts)))
    first, second, third = rig.ask(deletes(cuts))
    assert (first, third) == (None, None)
    assert isinstance(second, ProblemReply)
    assert "is mapped" in second.detail
    assert commands == []


def test_a_line_that_lvm_would_cut_off_is_a_process_of_its_own(rig: ManyRig) -> None:
    long = "g" * 127
    found = rig.machine.lvm.vg(rig.made.group)
    assert found
    found[0].name = long
    cuts = [cut.model_copy(update={"group": long}) for cut in rig.cuts(3)]
    commands = rig.commands(lambda: flags(rig.ask(cuts)))
    assert sum(command.startswith("lvcreate") for command in commands) == 3


def test_steps_that_differ_are_no_request(rig: ManyRig) -> None:
    cuts = rig.cuts(2)
    for steps in (
        [cuts[0], *deletes(cuts[1:])],
        [cuts[0], cuts[1].model_copy(update={"group": "lunette-other"})],
        [cuts[0], cuts[1].model_copy(update={"engine": VolumeEngine.ZVOL})],
        [cuts[0], cuts[0]],
        [],
        rig.cuts(MOST_STEPS + 1),
    ):
        with pytest.raises(ValidationError):
            DoSteps.model_validate({"job_id": "job", "steps": steps})
    with pytest.raises(ValidationError):
        DoSteps.model_validate({"job_id": "job", "steps": [rig.pool.model_dump()]})
