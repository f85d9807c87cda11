"""What a change of the exports contains, and what applying it makes."""

import random

import pytest

from backend.tests.agent.exports import exports, id_of, initiator, lun, subsystem, target
from lunette.domain.export_change import ExportChange, LunChange, change_between
from lunette.domain.exports import ExportLun, ExportSet


def served(luns: list[ExportLun], generation: int = 1) -> ExportSet:
    """A target and a subsystem with these LUNs."""
    places = {"targets": (target(31, [initiator(41)], luns),), "subsystems": (subsystem(31, [], luns),)}
    return exports().model_copy(update={**places, "generation": generation})


def test_only_luns_that_differ_are_sent() -> None:
    luns = [lun(50 + number, number, 10) for number in range(1, 9)]
    change = change_between(served(luns), served([*luns[:3], *luns[4:], lun(70, 9, 11)], 2))
    assert change is not None
    expected = LunChange(target_id=id_of(31), luns=(lun(70, 9, 11),), gone_mappings=(luns[3].mapping_id,))
    assert change == ExportChange(generation=2, released=(), target_luns=(expected,), subsystem_luns=(expected,))


def test_a_target_of_which_more_differs_is_sent_whole() -> None:
    before, after = served([lun(51, 1, 11)]), served([lun(52, 2, 11)], 2)
    after = after.model_copy(update={"targets": (target(31, [initiator(42)], list(after.targets[0].luns)),)})
    change = change_between(before, after)
    assert change is not None
    assert (change.targets, change.target_luns) == (after.targets, ())
    assert len(change.subsystem_luns) == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_change_of_a_document_makes_the_other_one_of_it(seed: int) -> None:
    draw = random.Random(seed)
    every = [lun(50 + number, number, 10 + draw.randrange(2)) for number in range(1, 9)]
    document = served(every)
    for generation in range(2, 12):
        after = served([one for one in every if draw.random() < 0.5], generation)
        change = change_between(document, after)
        assert change is not None
        document = change.applied_to(document)
        assert luns_of(document) == luns_of(after)


def luns_of(document: ExportSet) -> list[frozenset[ExportLun]]:
    """The order of LUNs has no meaning."""
    return [frozenset(one.luns) for one in document.targets] + [frozenset(one.luns) for one in document.subsystems]


def test_luns_of_what_is_not_there_are_not_applied() -> None:
    luns = LunChange(target_id=id_of(32), luns=(lun(51, 1, 11),))
    change = ExportChange(generation=2, released=())
    for kind in ("target_luns", "subsystem_luns"):
        with pytest.raises(ValueError, match="is not there"):
            change.model_copy(update={kind: (luns,)}).applied_to(served([]))
