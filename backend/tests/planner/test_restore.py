"""What a restored database may ask for while hosts use what is served: nothing is taken from them, or shared."""

import pytest

from backend.tests.agent.exports import (
    array,
    exports,
    id_of,
    initiator,
    lun,
    nvme_host,
    portal,
    subsystem,
    target,
    volume,
)
from lunette.agent.brake import merge
from lunette.domain.exports import ExportSet, Release, ReleaseKind
from lunette.planner.system.restore import judge, releases

ALICE, BOB = initiator(10), initiator(20)


def served(**parts: object) -> ExportSet:
    base = {"arrays": (array(0),), "volumes": (volume(1), volume(2)), "portals": (portal(1),)}
    return exports(**(base | parts))


def test_if_nothing_is_served_all_of_the_backup_is_restored() -> None:
    wanted = served(targets=(target(5, [ALICE], [lun(1, 1, 1)]),))
    empty = exports(database_id="another", appliance_id="ffffffffffff")
    for now in (None, empty):
        judged = judge(now, wanted)
        assert (judged.refusal, judged.left_out, judged.still_served, judged.opens) == (None, (), (), ())
    assert merge(empty, wanted).refusal is None, "the brake must agree, or the restore ends in exports that never come"


@pytest.mark.parametrize("field", ["database_id", "appliance_id"])
def test_the_backup_of_another_appliance_is_refused_where_something_is_served(field: str) -> None:
    wanted = served(targets=()).model_copy(update={field: "another"})
    assert "restore a backup of this appliance" in str(judge(served(targets=()), wanted).refusal)
    assert merge(served(targets=()), wanted).refusal is not None


def test_a_volume_that_another_host_has_by_now_is_not_given_to_the_one_that_had_it() -> None:
    now = served(targets=(target(6, [BOB], [lun(2, 1, 1)]),))
    then = served(targets=(target(5, [ALICE], [lun(1, 1, 1)]), target(6, [BOB], [lun(3, 2, 2)])))
    judged = judge(now, then)
    assert [(one.noun, one.id) for one in judged.left_out] == [("mapping", id_of(1))]
    assert judged.left_out[0].words == "volume vol1 for host10: it is now served to host20"
    assert [one.id for one in judged.still_served] == [id_of(2)]
    assert judged.opens == ("volume vol2 for host20",)


def test_the_same_over_another_family() -> None:
    now = served(subsystems=(subsystem(6, [nvme_host(20)], [lun(2, 1, 1)]),))
    then = served(targets=(target(5, [ALICE], [lun(1, 1, 1)]),))
    assert [one.id for one in judge(now, then).left_out] == [id_of(1)]


def test_a_volume_shared_in_the_backup_is_restored_for_each_of_its_hosts() -> None:
    now = served(targets=(target(6, [BOB], [lun(2, 1, 1)]),))
    then = served(targets=(target(5, [ALICE], [lun(1, 1, 1)]), target(6, [BOB], [lun(2, 1, 1)])))
    judged = judge(now, then)
    assert judged.left_out == ()
    assert judged.opens == ("volume vol1 for host10",)


def test_a_number_that_a_host_knows_as_another_volume_is_left_to_it() -> None:
    now = served(targets=(target(5, [ALICE], [lun(2, 1, 2)]),))
    then = served(targets=(target(5, [ALICE], [lun(1, 1, 1)]),))
    judged = judge(now, then)
    assert [one.id for one in judged.left_out] == [id_of(1)]
    assert "number 1 is now used by volume vol2" in judged.left_out[0].words


def test_an_initiator_that_is_let_in_as_another_host_by_now_does_not_see_the_volumes_of_both() -> None:
    moved = BOB.model_copy(update={"iqn": ALICE.iqn})
    now = served(targets=(target(6, [moved], [lun(2, 1, 2)]),))
    then = served(targets=(target(5, [ALICE], [lun(1, 1, 1)]),))
    judged = judge(now, then)
    assert [(one.noun, one.id) for one in judged.left_out] == [("initiator", ALICE.initiator_id)]


def test_released_exports_prevent_nothing_and_are_removed_with_their_unneeded_volume() -> None:
    now = served(targets=(target(6, [BOB], [lun(2, 1, 1), lun(4, 2, 2)]),))
    then = served(targets=(target(5, [ALICE], [lun(1, 1, 1)]),), volumes=(volume(1),))
    given = [id_of(6), BOB.initiator_id, id_of(2), id_of(4)]
    judged = judge(now, then, given)
    assert (judged.left_out, judged.still_served) == ((), ())
    released = releases(now, then, given)
    assert set(released) == {
        (ReleaseKind.TARGET, id_of(6)),
        (ReleaseKind.INITIATOR, BOB.initiator_id),
        (ReleaseKind.MAPPING, id_of(2)),
        (ReleaseKind.MAPPING, id_of(4)),
        (ReleaseKind.VOLUME, id_of(2)),
    }
    asked = then.model_copy(
        update={"generation": 2, "released": tuple(Release(kind=k, id=i, generation=2) for k, i in released)}
    )
    verdict = merge(now, asked)
    assert verdict.unexplained == ()
    assert [target.target_id for target in verdict.effective.targets] == [id_of(5)]


def test_nothing_is_released_that_was_not_named() -> None:
    now = served(targets=(target(6, [BOB], [lun(2, 1, 1)]),))
    then = served(targets=())
    assert releases(now, then, []) == ()
    assert releases(now, then, [id_of(99)]) == ()
    assert len(merge(now, then.model_copy(update={"generation": 2})).effective.targets) == 1
