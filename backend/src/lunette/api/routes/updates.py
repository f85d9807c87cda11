"""Updates of the appliance's system: upload a bundle, start it from the other slot, roll back."""

from pathlib import Path

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from lunette.api.answers.updates import Update, UpdateBundle, update_answer
from lunette.api.appliance import bundles
from lunette.api.auth.identity import Asking
from lunette.api.openapi.responses import JOB_CREATED, refusals, router
from lunette.api.requests.changes import Creating
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.observed import FRESH_S, observed_now
from lunette.api.requests.services import ApiServices, UsedServices
from lunette.domain.agent_protocol import LookAtBundle
from lunette.domain.errors import Conflict, LunetteError
from lunette.domain.updates import ObservedSlots, UpdateCreate, UpdateFetch, is_older
from lunette.engine.changes import updates
from lunette.engine.changes.updates import ready
from lunette.store.events import emit

routes = router("/updates", "updates")
verbs = router("", "updates")
FILE = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


@routes.get("", operation_id="update_show", response_model=Update, responses=refusals())
def update_show(services: UsedServices) -> Update:
    """Shows the two system slots and the result of the last update.

    For each slot, the answer gives its version and whether it is running and starts next.
    """
    return update_answer(observed_now(services).observation)


@routes.post(
    "/bundle",
    operation_id="update_upload",
    status_code=201,
    response_model=UpdateBundle,
    responses=refusals(404, 409, 413),
    openapi_extra={"requestBody": {"required": True, "content": FILE}},
)
async def update_upload(request: Request, services: UsedServices, identity: Asking) -> UpdateBundle:
    """Uploads an update bundle and verifies its signature.

    A bundle without a trusted signature is rejected and not stored. An accepted bundle replaces the bundle that was
    uploaded before. Nothing is written to a slot.
    """
    data = await run_in_threadpool(_folder, services)
    declared = request.headers.get("content-length", "")
    bundle_id = await bundles.receive(data, request.stream(), int(declared) if declared.isdecimal() else None)
    return await run_in_threadpool(_looked_at, services, data, bundle_id, identity.actor)


@routes.post(
    "/bundle:fetch",
    operation_id="update_fetch",
    status_code=201,
    response_model=UpdateBundle,
    responses=refusals(404, 409, 413),
)
def update_fetch(body: UpdateFetch, services: UsedServices, identity: Asking) -> UpdateBundle:
    """Downloads an update bundle from a web server.

    The request ends when the download is complete. The bundle is verified and stored like an uploaded one.
    """
    data = _folder(services)
    return _looked_at(services, data, bundles.fetch(data, body.url), identity.actor)


@routes.post("", operation_id="update_create", status_code=202, response_model=None, responses=JOB_CREATED)
def update_create(body: UpdateCreate, change: Creating) -> Response:
    """Installs the uploaded bundle and restarts the appliance.

    The bundle overwrites the slot that is not running. All exports stop during the restart. Returns a job, which ends
    when the new version has proved healthy or the previous version runs again. A version older than the running one is
    refused unless `downgrade` is true.
    """
    ready(_slots(change.services))
    bundle = change.control.agent.ask(LookAtBundle(bundle_id=body.bundle))
    return change.apply(
        lambda context: updates.update(context, body, bundle),
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
    """Restarts the appliance from the other slot.

    All exports stop during the restart. The version in the other slot must prove healthy; otherwise the present version
    runs again. Returns a job.
    """
    return change.apply(updates.roll_back, only_jobs, looks=True)


def _slots(services: ApiServices) -> ObservedSlots | None:
    """Raises Unavailable while the agent is away."""
    return services.control.observation(FRESH_S, amid_steps=True).slots


def _folder(services: ApiServices) -> Path:
    """Where bundles go. Raises Conflict where this system cannot be updated, before anything is sent."""
    ready(_slots(services))
    if services.files is None:
        raise Conflict("This API stores no files, so it does not accept bundles.")
    return services.files.data


def _looked_at(services: ApiServices, data: Path, bundle_id: str, actor: str) -> UpdateBundle:
    try:
        found = services.control.agent.ask(LookAtBundle(bundle_id=bundle_id))
    except LunetteError:
        bundles.forget(data, bundle_id)
        raise
    bundles.replace_earlier(data, bundle_id)
    with services.store.write() as tx:
        emit(tx, "system.bundle_uploaded", f"Bundle of version {found.version} was uploaded", actor=actor)
    slots = _slots(services)
    runs = slots.version(slots.running) if slots else None
    return UpdateBundle(
        id=bundle_id,
        version=found.version,
        size_bytes=bundles.size_of(data, bundle_id),
        is_older=runs is not None and is_older(found.version, runs),
    )
