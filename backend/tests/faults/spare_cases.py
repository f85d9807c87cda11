"""A spare goes from one array of a spare group to another."""

from sqlalchemy.orm import Session

from backend.tests.faults.asking import disk_id, free_disks
from backend.tests.faults.harness import Case
from backend.tests.faults.world import ACTOR, World
from lunette.domain.array_changes import ArrayAddSpares, ArrayPatch
from lunette.domain.arrays import Level
from lunette.engine.background.spare_groups import lend
from lunette.engine.changes import array_changes
from lunette.engine.context.outcome import Outcome

FILLED_S = 40


def _a_group_that_needs_its_spare(world: World) -> None:
    """The array everybody lives on has a spare; another one of its group has none and lost a disk."""
    first = free_disks(world)[:2]
    world.finish(world.create_array("old", Level.RAID1, first, options={"spare_group": "shelf"}).job_id or "")
    world.do(lambda tx: array_changes.patch(world.control.change(tx, ACTOR), "tank", ArrayPatch(spare_group="shelf")))
    spec = ArrayAddSpares(disks=(disk_id(world, 2),))
    world.finish(world.change_array("tank", array_changes.add_spares, spec).job_id or "")
    world.settle()
    world.machine.advance(FILLED_S)
    world.machine.pull(first[1])


def _lend(world: World) -> Outcome:
    def ask(tx: Session) -> Outcome:
        filed = lend(tx, world.control.services, "shelf")
        assert filed is not None, "no spare is needed, or none fits"
        return filed

    return world.ask(ask)


SPARE_CASES = (Case("lend a spare", _a_group_that_needs_its_spare, _lend),)
