"""Keys of encrypted arrays: `POST /arrays/{array}:unlock` and `:change_key`, at once and not as jobs."""

from collections.abc import Callable

from fastapi import Response
from sqlalchemy.orm import Session

from lunette.api import gather
from lunette.api.answers.arrays import Array
from lunette.api.changes import Change, Commanding, answer, etag
from lunette.api.declare import changed, refusals, router
from lunette.api.looking import seen_now
from lunette.api.lookup import Reference, find
from lunette.domain.encryption import ArrayKeyChange, ArrayUnlock
from lunette.engine import array_keys
from lunette.engine.array_keys import KeyAct
from lunette.engine.outcome import Outcome
from lunette.store.resources import Array as ArrayRow

routes = router("/arrays", "arrays")
KEYED = {200: changed(Array)[200], **refusals(404, 409, 412, 413, 502)}


def _apply(array: str, change: Change, make: Callable[[Session], KeyAct]) -> Response:
    with change.parts.store.read() as tx:
        change.check_still(etag(find(tx, ArrayRow, array, ArrayRow.name).version))
        act = make(tx)
    if not change.dry_run:
        change.control.desk.use_key(act.order)

    def show(tx: Session, outcome: Outcome) -> Response:
        row = tx.get_one(ArrayRow, outcome.ids[0])
        return answer(gather.arrays(tx, [row], seen_now(change.parts))[0], version=row.version)

    return change.apply(lambda tx: array_keys.told(tx, change.actor, act), show)


@routes.post("/{array}:unlock", operation_id="array_unlock", response_model=None, responses=KEYED)
def array_unlock(array: Reference, body: ArrayUnlock, change: Commanding) -> Response:
    """Unlocks an encrypted array that waits for its key. What is on it is served again by itself.

    A wrong passphrase answers 422 and changes nothing; trying one takes seconds on purpose.
    """
    return _apply(array, change, lambda tx: array_keys.unlocking(tx, array, body))


@routes.post("/{array}:change_key", operation_id="array_key_change", response_model=None, responses=KEYED)
def array_key_change(array: Reference, body: ArrayKeyChange, change: Commanding) -> Response:
    """Changes the passphrase of an encrypted array, adds a second one, or whether the appliance keeps a key.

    A new key is added and tried before an old one goes: whatever interrupts it, one that is known opens the array.
    """
    return _apply(array, change, lambda tx: array_keys.changing_key(tx, array, body))
