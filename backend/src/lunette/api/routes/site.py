"""The site document: the whole appliance by name, to read, compare and apply."""

from dataclasses import replace
from typing import Any

from fastapi import Response

from lunette.api.answers.plans import PlanAnswer, plan_answer
from lunette.api.openapi.responses import JOB_CREATED, Responses, refusals, router
from lunette.api.requests.changes import Creating, Replanning, answer
from lunette.api.requests.services import UsedServices
from lunette.domain.site import Site, SiteRequest, site_schema
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.site import changes as site_changes

routes = router("/site", "site")
verbs = router("", "site")
_SITE: Responses = {
    200: {
        "description": "Site document, without secrets.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Site"}}},
    },
    **refusals(),
}
_APPLIED: Responses = {
    **JOB_CREATED,
    200: {"model": PlanAnswer, "description": "Plan for a dry run, or an empty plan if nothing changes."},
}


@routes.get("", operation_id="site_show", response_model=None, responses=_SITE)
def site_show(services: UsedServices) -> Response:
    """Shows the appliance as a site document.

    The document describes everything by name and can be applied again. Secrets are omitted.
    """
    with services.store.read() as tx:
        site: Site = services.control.site(tx)
    return Response(site.model_dump_json(exclude_unset=True), media_type="application/json")


@verbs.get("/site:schema", operation_id="site_schema_show", response_model=dict[str, Any], responses=refusals())
def site_schema_show() -> dict[str, Any]:
    """Shows the JSON Schema of the site document.

    Editors and validators use the schema.
    """
    return site_schema()


@verbs.post("/site:plan", operation_id="site_plan", response_model=PlanAnswer, responses=refusals(404, 409, 413))
def site_plan(body: SiteRequest, change: Creating) -> Response:
    """Plans a site document, without changing anything.

    The plan lists what applying the document would change. A document is refused as a whole if any part of it cannot be
    applied.
    """
    return _change(body, replace(change, confirm=()), dry_run=True)


@verbs.post("/site:apply", operation_id="site_apply", status_code=202, response_model=None, responses=_APPLIED)
def site_apply(body: SiteRequest, change: Replanning) -> Response:
    """Applies a site document as one job.

    Nothing is removed or wiped unless `destroy` names it; a volume that hosts are using must also be named in
    `confirm`. A document is refused as a whole if any part of it cannot be applied. If the job fails, changes that it
    has completed remain. Returns the job, or the plan if nothing changes.
    """
    return _change(body, change, dry_run=change.dry_run)


def _change(body: SiteRequest, change: Replanning, *, dry_run: bool) -> Response:
    change = replace(change, dry_run=dry_run)

    def act(context: ChangeContext) -> Outcome:
        return site_changes.apply(context, body)

    return change.apply(act, lambda _tx, outcome: answer(plan_answer(outcome.plan)), looks=True)
