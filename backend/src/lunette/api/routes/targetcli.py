"""Export to targetcli, inspection of its configuration, and adoption of running targets."""

from contextlib import suppress
from typing import Annotated

from fastapi import Query, Response
from sqlalchemy.orm import Session

from lunette.api.answers.adoption import AdoptionAnswer
from lunette.api.answers.plans import plan_answer
from lunette.api.auth.identity import Asking
from lunette.api.openapi.responses import JOB_CREATED, Responses, refusals, router
from lunette.api.requests.changes import Creating, answer
from lunette.api.requests.jobs import job_response
from lunette.api.requests.services import UsedServices
from lunette.domain.adopting import AdoptRequest
from lunette.domain.agent_protocol import ObserveForeign
from lunette.domain.errors import Forbidden, Unavailable
from lunette.domain.roles import Role
from lunette.domain.targetcli import Inspection, InspectRequest, Saveconfig
from lunette.engine.changes import adopting
from lunette.engine.reads import saveconfig
from lunette.store.events import emit

verbs = router("", "site")
Secrets = Annotated[
    bool,
    Query(description="Whether to include CHAP secrets. Requires the role administrator and is recorded as an event."),
]


@verbs.get("/site:saveconfig", operation_id="site_saveconfig", response_model=Saveconfig, responses=refusals())
def site_saveconfig(services: UsedServices, identity: Asking, secrets: Secrets = False) -> Saveconfig:
    """Exports the LIO configuration as a `saveconfig.json`.

    `targetctl restore` and targetcli restore the same targets, LUNs and portals from it. CHAP secrets are included only
    with `secrets`.
    """
    try:
        seen = services.control.observation()
    except Unavailable:
        seen = None
    if not secrets:
        with services.store.read() as tx:
            return saveconfig.export(tx, services.store.box, seen, secrets=False)
    if not identity.role.includes(Role.ADMINISTRATOR):
        raise Forbidden(
            f"All CHAP secrets require the role {Role.ADMINISTRATOR.value}, but {identity.actor} has "
            f"{identity.role.value}; export without secrets, or ask an administrator."
        )
    with services.store.write() as tx:
        emit(
            tx, "site.secrets_read", "The CHAP secrets of all hosts were exported as a saveconfig", actor=identity.actor
        )
        return saveconfig.export(tx, services.store.box, seen, secrets=True)


_ADOPTED: Responses = {
    **JOB_CREATED,
    200: {"model": AdoptionAnswer, "description": "Plan for a dry run, or the reasons why nothing can be adopted."},
}


@verbs.post("/site:adopt", operation_id="site_adopt", status_code=202, response_model=None, responses=_ADOPTED)
def site_adopt(body: AdoptRequest, change: Creating) -> Response:
    """Adopts running iSCSI targets and NVMe subsystems, without interrupting hosts.

    Names, LUNs, namespace IDs, NAAs, UUIDs, NGUIDs, serial numbers, CHAP secrets and keys stay the same. A target or
    subsystem that cannot be adopted completely stays unchanged; a dry run gives the reasons. Returns a job, or the
    findings if nothing can be adopted.
    """
    foreign = change.control.agent.ask(ObserveForeign())
    with suppress(Unavailable):
        change.control.observation(max_age_s=0)

    def work(tx: Session) -> Response:
        outcome, verdict = adopting.adopt(change.context(tx), body, foreign)
        tx.flush()
        if outcome.job_id:
            return job_response(tx, outcome.job_id, status=202)
        plan = plan_answer(outcome.plan).model_dump()
        return answer(AdoptionAnswer(**plan, targets=verdict.targets, findings=verdict.findings))

    return change.run(work)


@verbs.post("/site:inspect", operation_id="site_inspect", response_model=Inspection, responses=refusals(409, 413))
def site_inspect(body: InspectRequest, change: Creating) -> Response:
    """Inspects a targetcli configuration.

    For each object, the answer says whether Lunette can serve it unchanged. Nothing is changed or stored.
    """
    return change.run(lambda _tx: answer(saveconfig.inspect(body.saveconfig)))
