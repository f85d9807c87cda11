"""A host whose deadline is over gets the volumes that are there, over every engine: when, and what never opens."""

import pytest

from backend.tests.agent.deadline_floors import DEADLINE_S, LUNS, Floor, OverFc, OverIscsi, OverNvmet, OverSpdk
from backend.tests.agent.exports import (
    array,
    exports,
    id_of,
    initiator,
    lun,
    portal,
    target,
    volume,
    wwpn_of,
)
from backend.tests.agent.test_core import Store
from backend.tests.providers.rig import VOLUME_ID
from lunette.agent import loop, serving
from lunette.agent.loop import BLOCKED_S
from lunette.domain.exports import ExportSet, ServingState
from lunette.providers.exports.lio.configfs import ROOT as LIO

OPEN, BLOCKED = ServingState.OPEN, ServingState.BLOCKED
WHOLE = {1: "v11", 2: "v12"}


@pytest.fixture(autouse=True)
def _every_group_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """These volumes are on no array: one that is up would bring back each that a test has taken away."""
    monkeypatch.setattr(serving, "not_ours", lambda *_: {})


@pytest.fixture(params=[OverIscsi, OverFc, OverNvmet, OverSpdk])
def floor(request: pytest.FixtureRequest) -> Floor:
    made: Floor = request.param()
    return made


def test_without_a_deadline_a_host_waits_forever(floor: Floor) -> None:
    floor.hide(12)
    floor.take()
    floor.wait(10 * 86400)
    assert floor.connect(41) is None
    assert floor.agent.due_in_s() is None


def test_a_host_gets_the_present_volumes_at_its_deadline_and_the_rest_later(floor: Floor) -> None:
    floor.hide(12)
    floor.take(DEADLINE_S)
    assert floor.agent.due_in_s() == DEADLINE_S
    floor.wait(DEADLINE_S - 0.5)
    assert floor.connect(41) is None
    assert floor.agent.due_in_s() == 0.5
    floor.wait(0.5)
    assert floor.connect(41) == {1: "v11"}
    assert floor.agent.due_in_s() is None
    reported = floor.reported(41)
    assert (reported.state, reported.missing, reported.opened_without_after_s) == (OPEN, (id_of(12),), DEADLINE_S)
    assert reported.reason
    assert "does not exist" in reported.reason
    floor.wait(1)
    assert floor.connect(41) == {1: "v11"}
    floor.show(12)
    floor.wait(1)
    assert floor.connect(41) == WHOLE
    reported = floor.reported(41)
    assert (reported.state, reported.missing, reported.opened_without_after_s, reported.reason) == (
        OPEN,
        (),
        None,
        None,
    )


def test_what_arrives_half_a_second_before_the_deadline_is_served_from_the_start(floor: Floor) -> None:
    floor.hide(12)
    floor.take(DEADLINE_S)
    floor.rig.machine.advance(DEADLINE_S - 0.5)
    floor.show(12)
    floor.wait(0.5)
    assert floor.connect(41) == WHOLE
    assert floor.reported(41).opened_without_after_s is None


def test_a_deadline_is_over_only_after_the_arrays_were_checked(floor: Floor) -> None:
    floor.hide(12)
    floor.take(DEADLINE_S)
    floor.rig.machine.advance(DEADLINE_S + 1)
    floor.take(DEADLINE_S)
    assert floor.connect(41) is None
    floor.show(12)
    floor.wait(0)
    assert floor.connect(41) == WHOLE


@pytest.mark.parametrize("kind", [OverIscsi, OverFc, OverNvmet])
def test_of_two_hosts_that_share_a_volume_only_the_one_with_a_deadline_opens_without_it(kind: type[Floor]) -> None:
    floor = kind()
    floor.hide(12)
    floor.take(DEADLINE_S)
    floor.wait(DEADLINE_S)
    assert floor.connect(41) == {1: "v11"}
    assert floor.connect(42) is None
    floor.show(12)
    floor.wait(1)
    assert floor.connect(41) == WHOLE
    assert floor.connect(42) == {1: "v12", 2: "v13"}


def test_a_deadline_that_is_set_later_counts_from_when_the_target_began_to_wait(floor: Floor) -> None:
    floor.hide(12)
    floor.take()
    floor.wait(DEADLINE_S - 10)
    floor.take(DEADLINE_S, generation=2)
    assert floor.agent.due_in_s() == 10
    floor.wait(9.5)
    assert floor.connect(41) is None
    floor.wait(0.5)
    assert floor.connect(41) == {1: "v11"}


def test_a_removed_deadline_blocks_no_host_again(floor: Floor) -> None:
    floor.hide(12)
    floor.take(DEADLINE_S)
    floor.wait(DEADLINE_S)
    floor.take(None, generation=2)
    floor.wait(1)
    assert floor.connect(41) == {1: "v11"}
    floor.show(12)
    floor.wait(1)
    assert floor.connect(41) == WHOLE


def test_a_deadline_that_is_taken_away_or_put_off_in_time_opens_nothing(floor: Floor) -> None:
    floor.hide(11, 12)
    floor.take(DEADLINE_S)
    floor.wait(DEADLINE_S)
    floor.take(2 * DEADLINE_S, generation=2)
    floor.show(11)
    floor.take(2 * DEADLINE_S, generation=2)
    assert floor.connect(41) is None
    floor.take(None, generation=3)
    floor.wait(2 * DEADLINE_S)
    assert floor.connect(41) is None


def test_a_host_is_never_shown_an_empty_target(floor: Floor) -> None:
    floor.hide(11, 12)
    floor.take(DEADLINE_S)
    floor.wait(DEADLINE_S + 1)
    assert floor.connect(41) is None
    floor.show(11)
    floor.wait(1)
    assert floor.connect(41) == {1: "v11"}


def test_an_agent_that_starts_again_waits_again_and_never_shorter(floor: Floor) -> None:
    floor.hide(12)
    floor.take(DEADLINE_S)
    floor.wait(DEADLINE_S - 1)
    floor.restart()
    floor.wait(1)
    assert floor.connect(41) is None
    floor.wait(DEADLINE_S)
    assert floor.connect(41) == {1: "v11"}


def test_a_host_whose_volumes_came_in_time_is_counted_no_more(floor: Floor) -> None:
    floor.hide(11, 12)
    floor.take(DEADLINE_S)
    floor.wait(DEADLINE_S - 1)
    floor.show(11, 12)
    floor.wait(0)
    assert floor.connect(41) == WHOLE
    assert floor.agent.due_in_s() is None


def test_a_second_pass_changes_nothing_and_reports_no_repair(floor: Floor) -> None:
    floor.hide(12)
    floor.take(DEADLINE_S)
    floor.wait(DEADLINE_S)
    floor.take(DEADLINE_S)
    report = floor.agent.converge(floor.desired(DEADLINE_S))
    assert (report.changed, report.repaired, report.waiting) == (0, (), ())


@pytest.mark.parametrize(("due_s", "pause_s"), [(None, BLOCKED_S), (0.5, 0.5), (600, BLOCKED_S)])
def test_the_agent_checks_again_when_a_deadline_is_over(due_s: float | None, pause_s: float) -> None:
    assert loop.pause_s(due_s) == pause_s


class TestAnOpenTarget:
    """What is open is served on as it is, deadline or not."""

    def test_is_not_counted_when_a_volume_is_mapped_that_is_missing(self) -> None:
        floor = OverIscsi()
        floor.hide(13)
        targets = floor.parts(DEADLINE_S, None)["targets"]
        assert isinstance(targets, tuple)
        floor.agent.converge(exports(volumes=tuple(floor.rig.volumes), portals=(portal(21),), targets=targets[:1]))
        more = target(31, [initiator(41)], [*LUNS[31], lun(55, 3, 13)])
        more = more.model_copy(update={"opens_without_missing_after_s": DEADLINE_S})
        desired = exports(generation=2, volumes=tuple(floor.rig.volumes), portals=(portal(21),), targets=(more,))
        report = floor.agent.converge(desired)
        floor.wait(2 * DEADLINE_S)
        assert floor.agent.due_in_s() is None
        assert floor.connect(41) == WHOLE
        assert report.targets[0].missing == (id_of(13),)
        assert floor.reported(41).opened_without_after_s is None


class TestNothingButMissingVolumesIsExcused:
    """If anything else is wrong too, the target stays closed until that is corrected."""

    def test_not_an_access_list_that_the_kernel_refuses(self) -> None:
        self.opens_once_it_can(OverIscsi(), f"acls/{initiator(41).iqn}")

    def test_not_a_lun_that_the_kernel_refuses(self) -> None:
        self.opens_once_it_can(OverIscsi(), "0000001f/tpgt_1/lun/lun_1")

    def test_not_the_number_of_a_volume_that_is_there(self) -> None:
        self.opens_once_it_can(OverFc(), f"acls/{wwpn_of(41)}/lun_1")

    def opens_once_it_can(self, floor: Floor, path: str) -> None:
        floor.hide(12)
        broken = floor.rig.machine.faults
        broken.break_calls(lambda call: call.name == "mkdir" and call.detail.endswith(path))
        floor.take(DEADLINE_S)
        floor.wait(DEADLINE_S)
        assert floor.connect(41) is None
        floor.wait(DEADLINE_S)
        assert floor.connect(41) is None
        broken.break_calls(None)
        floor.wait(0)
        floor.wait(DEADLINE_S)
        assert floor.connect(41) == {1: "v11"}

    def test_not_a_wrong_disk_under_a_number_of_a_missing_volume(self) -> None:
        """LUN 2 leads to volume 13, which is the wrong one, and cannot be removed: the target stays closed."""
        floor = OverIscsi()
        floor.hide(12)
        floor.take(DEADLINE_S)
        machine = floor.rig.machine
        store = "core/iblock_700/lunette-00000000-0000-0000-0000-00000000000d"
        lun_2 = f"{LIO}/iscsi/{floor.desired().targets[0].iqn}/tpgt_1/lun/lun_2"
        machine.mkdir(lun_2)
        machine.symlink(f"{LIO}/{store}", f"{lun_2}/volume")
        machine.faults.break_calls(lambda call: call.name in ("unlink", "rmdir") and lun_2 in call.detail)
        floor.wait(DEADLINE_S)
        assert floor.connect(41) is None
        machine.faults.break_calls(None)
        floor.wait(0)
        floor.wait(DEADLINE_S)
        assert floor.connect(41) == {1: "v11"}


class Shelf(Store):
    """A host with a volume of an array that is there, and one of an array that no disk of is."""

    def desired(self, generation: int = 1, **changes: object) -> ExportSet:
        whole = super().desired(generation)
        [target] = whole.targets
        mapped = (*target.luns, lun(52, 2, 12))
        target = target.model_copy(update={"luns": mapped, "opens_without_missing_after_s": DEADLINE_S})
        parts = {"arrays": (*whole.arrays, array(7)), "volumes": (*whole.volumes, volume(12, 7)), "targets": (target,)}
        return super().desired(generation, **(parts | changes))

    def serve(self) -> ServingState:
        self.agent.bring_up()
        [target] = self.agent.converge(self.desired()).targets
        return target.state


class TestAfterAPowerCut:
    def test_the_ledger_retains_the_deadline_and_the_time_starts_again(self) -> None:
        shelf = Shelf()
        shelf.machine.advance(DEADLINE_S)
        assert shelf.serve() is OPEN
        shelf.machine.power_cut()
        shelf.restart()
        assert not shelf.agent.bring_up()
        assert shelf.serve() is BLOCKED
        shelf.machine.advance(DEADLINE_S - 1)
        assert shelf.serve() is BLOCKED
        shelf.machine.advance(1)
        assert shelf.serve() is OPEN
        [target] = shelf.agent.converge(shelf.desired()).targets
        assert target.missing == (id_of(12),)
        assert target.reason
        assert "array tank7" in target.reason
        session = shelf.machine.login(initiator(41).iqn, shelf.desired().targets[0].iqn, "192.0.2.1:3260")
        assert set(session.luns) == {1}
        assert VOLUME_ID in session.luns[1]
