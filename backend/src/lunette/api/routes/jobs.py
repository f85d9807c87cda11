"""Jobs: changes that take long. A stuck job waits for a decision."""

from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import select

from lunette.api.answers.base import Page
from lunette.api.answers.journal import Job, JobSummary, job_summary
from lunette.api.lists.paging import Paging, stored_page
from lunette.api.openapi.responses import JOB_CREATED, LISTED, SHOWN, router
from lunette.api.requests.changes import Creating
from lunette.api.requests.jobs import job_response
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.services import UsedServices
from lunette.domain.base import Model
from lunette.domain.jobs import JobKind, JobState, Resolution
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.jobs import resolving
from lunette.store.journal import Job as JobRow

routes = router("/jobs", "jobs")
_COLUMNS = {"id": JobRow.id, "created_at": JobRow.created_at, "state": JobRow.state, "kind": JobRow.kind}
Sort = Annotated[
    Literal["-created_at", "created_at", "state", "-state", "kind", "-kind"],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


class JobResolve(Model):
    """The decision about a stuck job."""

    how: Resolution
    """Whether to try the rollback or deletion again, or to abandon the job and leave the machine as it is now."""


@routes.get("", operation_id="job_list", response_model=Page[JobSummary], responses=LISTED)
def job_list(
    services: UsedServices,
    page: Paging,
    sort: Sort = "-created_at",
    state: Annotated[
        list[JobState] | None,
        Query(max_length=6, description="Only jobs in this state; repeat the parameter for several states."),
    ] = None,
    kind: Annotated[JobKind | None, Query(description="Only jobs of this kind.")] = None,
) -> Page[JobSummary]:
    """Lists the jobs, without their steps."""
    query = select(JobRow)
    query = query.where(JobRow.state.in_([one.value for one in state])) if state else query
    query = query.where(JobRow.kind == kind.value) if kind else query
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(job_summary(row) for row in found.rows)
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{job:plain}", operation_id="job_show", response_model=Job, responses=SHOWN)
def job_show(job: Reference, services: UsedServices) -> Response:
    """Shows a job with all its steps."""
    with services.store.read() as tx:
        return job_response(tx, job)


@routes.post("/{job}:resolve", operation_id="job_resolve", status_code=202, response_model=None, responses=JOB_CREATED)
def job_resolve(job: Reference, body: JobResolve, change: Creating) -> Response:
    """Resolves a stuck job by retrying or abandoning it.

    An abandoned job leaves the machine as it is: what the job created may have to be removed manually. Fails with 409
    if the job is not stuck. Returns the job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, JobRow, job)
        return resolving.resolve(context, row.id, body.how)

    return change.apply(act, lambda tx, _outcome: job_response(tx, job, 202))
