"""Updates of the appliance's own system: upload a bundle, start it from the other slot, go back."""

from pathlib import Path

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from lunette.api import bundles
from lunette.api.answers.updates import Update, UpdateBundle, update_answer
from lunette.api.changes import Creating
from lunette.api.declare import JOB_CREATED, refusals, router
from lunette.api.identity import Asking
from lunette.api.jobs import only_jobs
from lunette.api.looking import FRESH_S, seen_now
from lunette.api.parts import Parts, UsedParts
from lunette.domain.errors import Conflict, LunetteError
from lunette.domain.updates import ObservedSlots, UpdateCreate, UpdateFetch, is_older
from lunette.engine.updates import ready
from lunette.store.events import emit

routes = router("/updates", "updates")
verbs = router("", "updates")
FILE = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


@routes.get("", operation_id="update_show", response_model=Update, responses=refusals())
def update_show(parts: UsedParts) -> Update:
    """Both slots with their versions, which runs, which is started next, and what became of the last update."""
    return update_answer(seen_now(parts).observation)


@routes.post(
    "/bundle",
    operation_id="update_upload",
    status_code=201,
    response_model=UpdateBundle,
    responses=refusals(404, 409, 413),
    openapi_extra={"requestBody": {"required": True, "content": FILE}},
)
async def update_upload(request: Request, parts: UsedParts, identity: Asking) -> UpdateBundle:
    """Takes a bundle, and tells what it is; one that is not signed by somebody who is trusted is not kept.

    It takes the place of the one that was uploaded before. Nothing is written to a slot.
    """
    data = await run_in_threadpool(_folder, parts)
    declared = request.headers.get("content-length", "")
    bundle_id = await bundles.receive(data, request.stream(), int(declared) if declared.isdecimal() else None)
    return await run_in_threadpool(_looked_at, parts, data, bundle_id, identity.actor)


@routes.post(
    "/bundle:fetch",
    operation_id="update_fetch",
    status_code=201,
    response_model=UpdateBundle,
    responses=refusals(404, 409, 413),
)
def update_fetch(body: UpdateFetch, parts: UsedParts, identity: Asking) -> UpdateBundle:
    """Fetches a bundle from a web server, as if it were uploaded from there; answers once it is here."""
    data = _folder(parts)
    return _looked_at(parts, data, bundles.fetch(data, body.url), identity.actor)


@routes.post("", operation_id="update_create", status_code=202, response_model=None, responses=JOB_CREATED)
def update_create(body: UpdateCreate, change: Creating) -> Response:
    """Writes the uploaded bundle to the slot that does not run, and restarts into it.

    The job ends when the new system has proved healthy, or the one before runs again. All exports stop meanwhile. A
    version that is older than the one that runs is refused unless `downgrade` is set.
    """
    ready(_slots(change.parts))
    bundle = change.control.agent.look_at_bundle(body.bundle)
    return change.apply(
        lambda tx: change.control.updates.update(tx, change.actor, body, bundle, dry_run=change.dry_run),
        only_jobs,
        looks=True,
    )


@verbs.post(
    "/updates:roll-back",
    operation_id="update_roll_back",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def update_roll_back(change: Creating) -> Response:
    """Restarts into the other slot as it is, which must prove healthy as an update must. All exports stop meanwhile."""
    return change.apply(
        lambda tx: change.control.updates.roll_back(tx, change.actor, dry_run=change.dry_run), only_jobs, looks=True
    )


def _slots(parts: Parts) -> ObservedSlots | None:
    """Raises Unavailable while the agent is away."""
    return parts.control.observation(FRESH_S, amid_steps=True).slots


def _folder(parts: Parts) -> Path:
    """Where bundles go. Raises Conflict where this system cannot be updated, before anything is sent."""
    ready(_slots(parts))
    if parts.files is None:
        raise Conflict("This API keeps no files, so it takes no bundles.")
    return parts.files.data


def _looked_at(parts: Parts, data: Path, bundle_id: str, actor: str) -> UpdateBundle:
    try:
        found = parts.control.agent.look_at_bundle(bundle_id)
    except LunetteError:
        bundles.forget(data, bundle_id)
        raise
    with parts.store.write() as tx:
        emit(tx, "system.bundle_uploaded", f"Bundle of version {found.version} was uploaded", actor=actor)
    slots = _slots(parts)
    runs = slots.version(slots.running) if slots else None
    return UpdateBundle(
        id=bundle_id,
        version=found.version,
        size_bytes=bundles.size_of(data, bundle_id),
        is_older=runs is not None and is_older(found.version, runs),
    )
