"""Jobs on encrypted arrays, with a stored key and without."""

from pydantic import SecretStr

from backend.tests.faults.asking import delete_array, disk_id, free_disks
from backend.tests.faults.harness import Case
from backend.tests.faults.world import World
from lunette.domain.agent_protocol import UseKey
from lunette.domain.array_changes import ArrayGrow
from lunette.domain.arrays import Level
from lunette.domain.encryption import KeyLend
from lunette.domain.plans import Plan
from lunette.engine.background import array_growth
from lunette.engine.changes import array_changes
from lunette.engine.context.outcome import Outcome
from lunette.store.journal import Job
from lunette.store.resources import Array

PASSPHRASE = "correct horse battery"
_SYNCED_S = 40


def _create(world: World, *, keep_key: bool) -> Outcome:
    options = {"encryption": "luks2", "passphrase": PASSPHRASE, "keep_key": keep_key}
    return world.create_array("new", Level.RAID5, free_disks(world)[:3], options=options)


def _lend(world: World) -> None:
    """The passphrase, which is forgotten once the array stands."""
    with world.store.read() as tx:
        array_id = tx.query(Array).filter_by(name="new").one().id
    world.agent.ask(UseKey(order=KeyLend(array_id=array_id, passphrase=SecretStr(PASSPHRASE))))


def _standing(world: World) -> None:
    world.finish(_create(world, keep_key=True).job_id or "")
    world.machine.advance(_SYNCED_S)


def _reshaped(world: World) -> None:
    """The kernel has laid it out over one disk more, and neither the mapping nor the group uses that yet."""
    _standing(world)
    spec = ArrayGrow(disks=(disk_id(world, 3),))
    world.finish(world.change_array("new", array_changes.grow, spec).job_id or "")
    world.machine.advance(_SYNCED_S)


def _finish_growth(world: World) -> Outcome:
    array_growth.finish(world.store, world.control.services)
    with world.store.read() as tx:
        job = tx.query(Job).filter(Job.title == "Finish the growth of array new").one()
        return Outcome(plan=Plan.model_validate(job.plan), job_id=job.id)


ENCRYPTED_CASES = (
    Case("create an encrypted array", lambda world: None, lambda world: _create(world, keep_key=False), again=_lend),
    Case(
        "create an encrypted array with a key",
        lambda world: None,
        lambda world: _create(world, keep_key=True),
        again=_lend,
    ),
    Case("delete an encrypted array", _standing, lambda world: delete_array(world, "new")),
    Case("finish the growth of an encrypted array", _reshaped, _finish_growth),
)
