"""What a host needs to use its volumes, and whether it has every path to them."""

from typing import Annotated

from fastapi import Query, Response
from sqlalchemy.orm import Session

from lunette.api.changes import Creating
from lunette.api.declare import JOB_CREATED, refusals, router
from lunette.api.identity import Asking, Identity
from lunette.api.jobs import only_jobs
from lunette.api.lookup import Reference
from lunette.api.parts import Parts, UsedParts
from lunette.domain.errors import Forbidden, Unavailable
from lunette.domain.kits import HostKit
from lunette.domain.observations import Observation
from lunette.domain.paths import HostPaths, HostVerifyPaths
from lunette.domain.roles import Role
from lunette.engine import host_ways
from lunette.engine.lookup import need
from lunette.engine.outcome import Outcome
from lunette.engine.why import Look
from lunette.store.events import emit
from lunette.store.resources import Host

routes = router("/hosts", "hosts")
TAR = "application/x-tar"
Secrets = Annotated[bool, Query(description="Fill in secrets. Needs the role operator, and is told in the events.")]


@routes.get("/{host}/kit", operation_id="host_kit", response_model=HostKit, responses=refusals(404))
def host_kit(host: Reference, parts: UsedParts, identity: Asking, secrets: Secrets = False) -> HostKit:
    """The configuration of a host for its volumes: files, commands in order, and a script that checks."""
    return _kit(parts, identity, host, secrets=secrets)


@routes.get(
    "/{host}/kit.tar",
    operation_id="host_kit_download",
    response_class=Response,
    responses={200: {"content": {TAR: {"schema": {"type": "string", "format": "binary"}}}}, **refusals(404)},
)
def host_kit_download(host: Reference, parts: UsedParts, identity: Asking, secrets: Secrets = False) -> Response:
    """The same kit as an archive, with one script that applies it."""
    kit = _kit(parts, identity, host, secrets=secrets)
    headers = {"Content-Disposition": f'attachment; filename="lunette-{kit.host}.tar"'}
    return Response(host_ways.archive(kit), media_type=TAR, headers=headers)


@routes.get("/{host}/paths", operation_id="host_paths", response_model=HostPaths, responses=refusals(404))
def host_paths(host: Reference, parts: UsedParts) -> HostPaths:
    """Where the host should be logged in, against where it is, in words, for each path and each volume."""
    try:
        seen, sessions = parts.control.observation(), parts.control.sessions()
    except Unavailable:
        seen, sessions = None, None
    with parts.store.read() as tx:
        return host_ways.paths(tx, host, Look(seen, parts.control.exports(), sessions))


@routes.post(
    "/{host}:verify-paths",
    operation_id="host_verify_paths",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def host_verify_paths(host: Reference, body: HostVerifyPaths, change: Creating) -> Response:
    """Takes each path of the host away in turn, and gives it back; passes only if its I/O went on each time.

    `confirm` is the host's name. Refused where a volume would be without a path, a path is missing, or an array is not
    whole. Over iSCSI only.
    """

    def work(tx: Session) -> Outcome:
        return change.control.path_trials.begin(tx, change.actor, host, body, change.dry_run)

    return change.apply(work, only_jobs, looks=True)


def _kit(parts: Parts, identity: Identity, host: str, *, secrets: bool) -> HostKit:
    """Secrets leave only for those who could set them, and only once it is written down that they did."""
    seen = _seen(parts)
    if not secrets:
        with parts.store.read() as tx:
            return host_ways.kit(tx, host, seen, secrets=False)
    if not identity.role.includes(Role.OPERATOR):
        raise Forbidden(
            f"A kit with secrets needs the role {Role.OPERATOR.value}, and {identity.actor} has {identity.role.value}; "
            "fetch it without, or ask an operator."
        )
    with parts.store.write() as tx:
        row = need(tx, Host, host)
        kit = host_ways.kit(tx, row.id, seen, secrets=True)
        if kit.has_secrets:
            message = f"The secrets of host {row.name} were read with its kit"
            emit(tx, "host.secrets_read", message, actor=identity.actor, ref=row.id)
    return kit


def _seen(parts: Parts) -> Observation | None:
    try:
        return parts.control.observation()
    except Unavailable:
        return None
