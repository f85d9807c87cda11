"""Leaving to targetcli, and what would come over from it."""

from contextlib import suppress
from typing import Annotated

from fastapi import Query, Response
from sqlalchemy.orm import Session

from lunette.api.answers.adoption import AdoptionAnswer
from lunette.api.answers.plans import plan_answer
from lunette.api.changes import Creating, answer
from lunette.api.declare import JOB_CREATED, Responses, refusals, router
from lunette.api.identity import Asking
from lunette.api.jobs import job_response
from lunette.api.parts import UsedParts
from lunette.domain.adopting import AdoptRequest
from lunette.domain.errors import Forbidden, Unavailable
from lunette.domain.roles import Role
from lunette.domain.targetcli import Inspection, InspectRequest, Saveconfig
from lunette.engine import adopting, saveconfig
from lunette.store.events import emit

verbs = router("", "site")
Secrets = Annotated[bool, Query(description="Fill in CHAP. Needs the role administrator, and is told in the events.")]


@verbs.get("/site:saveconfig", operation_id="site_saveconfig", response_model=Saveconfig, responses=refusals())
def site_saveconfig(parts: UsedParts, identity: Asking, secrets: Secrets = False) -> Saveconfig:
    """All that LIO serves, as a `saveconfig.json` that targetctl and targetcli restore to the same tree."""
    try:
        seen = parts.control.observation()
    except Unavailable:
        seen = None
    if not secrets:
        with parts.store.read() as tx:
            return saveconfig.export(tx, parts.store.box, seen, secrets=False)
    if not identity.role.includes(Role.ADMINISTRATOR):
        raise Forbidden(
            f"All CHAP secrets need the role {Role.ADMINISTRATOR.value}, and {identity.actor} has "
            f"{identity.role.value}; ask without them, or ask an administrator."
        )
    with parts.store.write() as tx:
        emit(tx, "site.secrets_read", "The CHAP secrets of all hosts were read as a saveconfig", actor=identity.actor)
        return saveconfig.export(tx, parts.store.box, seen, secrets=True)


_ADOPTED: Responses = {
    **JOB_CREATED,
    200: {"model": AdoptionAnswer, "description": "The plan (dry run), or why nothing can be taken over."},
}


@verbs.post("/site:adopt", operation_id="site_adopt", status_code=202, response_model=None, responses=_ADOPTED)
def site_adopt(body: AdoptRequest, change: Creating) -> Response:
    """Takes over iSCSI targets and NVMe subsystems that the kernel serves for others, while their hosts go on.

    Names, LUN numbers and namespace ids, NAAs, UUIDs, NGUIDs, serials, CHAP and keys stay; nothing that is served is
    made anew. One of which anything cannot be taken over stays whole as it is, and the dry run says why.
    """
    foreign = change.control.agent.foreign()
    with suppress(Unavailable):
        change.control.observation(max_age_s=0)

    def work(tx: Session) -> Response:
        outcome, verdict = adopting.adopt(tx, change.control.desk, change.actor, body, foreign, change.dry_run)
        tx.flush()
        if outcome.job_id:
            return job_response(tx, outcome.job_id, status=202)
        plan = plan_answer(outcome.plan).model_dump()
        return answer(AdoptionAnswer(**plan, targets=verdict.targets, findings=verdict.findings))

    return change.run(work)


@verbs.post("/site:inspect", operation_id="site_inspect", response_model=Inspection, responses=refusals(409, 413))
def site_inspect(body: InspectRequest, change: Creating) -> Response:
    """Which objects of a targetcli configuration Lunette could serve as they are. Nothing is changed or kept."""
    return change.run(lambda _tx: answer(saveconfig.inspect(body.saveconfig)))
