"""Keys of encrypted arrays: `POST /arrays/{array}:unlock` and `:change-key`, immediately and not as jobs."""

from collections.abc import Callable

from fastapi import Response
from sqlalchemy.orm import Session

from lunette.api.answers.arrays import Array
from lunette.api.openapi.responses import changed, refusals, router
from lunette.api.requests import joins
from lunette.api.requests.changes import ChangeRequest, Commanding, answer, etag
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.observed import observed_now
from lunette.domain.encryption import ArrayKeyChange, ArrayUnlock
from lunette.engine.changes import array_keys
from lunette.engine.changes.array_keys import KeyAct
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array as ArrayRow

routes = router("/arrays", "arrays")
KEYED = {200: changed(Array)[200], **refusals(404, 409, 412, 413, 502)}


def _apply(array: str, change: ChangeRequest, make: Callable[[Session], KeyAct]) -> Response:
    with change.services.store.read() as tx:
        change.check_still(etag(find(tx, ArrayRow, array, ArrayRow.name).version))
        act = make(tx)
    if not change.dry_run:
        change.control.services.use_key(act.order)

    def show(tx: Session, outcome: Outcome) -> Response:
        row = tx.get_one(ArrayRow, outcome.ids[0])
        return answer(joins.arrays(tx, [row], observed_now(change.services))[0], version=row.version)

    return change.apply(lambda context: array_keys.record(context, act), show)


@routes.post("/{array}:unlock", operation_id="array_unlock", response_model=None, responses=KEYED)
def array_unlock(array: Reference, body: ArrayUnlock, change: Commanding) -> Response:
    """Unlocks an encrypted array with its passphrase.

    The volumes of the array are served again automatically. The array stays unlocked until it stops. A wrong passphrase
    fails with 422 and changes nothing. Each attempt deliberately takes seconds.
    """
    return _apply(array, change, lambda tx: array_keys.unlocking(tx, array, body))


@routes.post("/{array}:change-key", operation_id="array_change_key", response_model=None, responses=KEYED)
def array_change_key(array: Reference, body: ArrayKeyChange, change: Commanding) -> Response:
    """Changes the passphrase of an encrypted array or its automatic unlocking.

    The change can also add a second passphrase, and store or remove a key on the appliance for unlocking at every
    start. A new key is added and tested before an old key is removed, so that an interruption never locks the array for
    good.
    """
    return _apply(array, change, lambda tx: array_keys.changing_key(tx, array, body))
