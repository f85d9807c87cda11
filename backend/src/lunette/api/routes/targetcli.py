"""Leaving to targetcli, and what would come over from it."""

from typing import Annotated

from fastapi import Query, Response

from lunette.api.changes import Creating, answer
from lunette.api.declare import refusals, router
from lunette.api.identity import Asking
from lunette.api.parts import UsedParts
from lunette.domain.errors import Forbidden, Unavailable
from lunette.domain.roles import Role
from lunette.domain.targetcli import Inspection, InspectRequest, Saveconfig
from lunette.engine import saveconfig
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


@verbs.post("/site:inspect", operation_id="site_inspect", response_model=Inspection, responses=refusals(409, 413))
def site_inspect(body: InspectRequest, change: Creating) -> Response:
    """Which objects of a targetcli configuration Lunette could serve as they are. Nothing is changed or kept."""
    return change.run(lambda _tx: answer(saveconfig.inspect(body.saveconfig)))
