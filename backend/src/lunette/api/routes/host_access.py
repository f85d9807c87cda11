"""Setup kits and paths of hosts."""

from typing import Annotated

from fastapi import Query, Response

from lunette.api.auth.identity import Asking, Identity
from lunette.api.openapi.responses import JOB_CREATED, refusals, router
from lunette.api.requests.changes import Creating
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference
from lunette.api.requests.services import ApiServices, UsedServices
from lunette.domain.errors import Forbidden, Unavailable
from lunette.domain.kits import HostKit
from lunette.domain.observations import Observation
from lunette.domain.paths import HostPaths, HostVerifyPaths
from lunette.domain.roles import Role
from lunette.engine.changes import path_trial
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import need
from lunette.engine.context.outcome import Outcome
from lunette.engine.reads import host_access
from lunette.engine.reads.why import MachineState
from lunette.store.events import emit
from lunette.store.resources import Host

routes = router("/hosts", "hosts")
TAR = "application/x-tar"
Secrets = Annotated[
    bool, Query(description="Whether to include secrets. Requires the role operator and is recorded as an event.")
]


@routes.get("/{host}/kit", operation_id="host_kit", response_model=HostKit, responses=refusals(404))
def host_kit(host: Reference, services: UsedServices, identity: Asking, secrets: Secrets = False) -> HostKit:
    """Shows the setup kit that connects a host to its volumes.

    The setup kit consists of files, commands in order, and a script that checks the result. Unless `secrets` is set,
    placeholders replace the secrets.
    """
    return _kit(services, identity, host, secrets=secrets)


@routes.get(
    "/{host}/kit.tar",
    operation_id="host_kit_download",
    response_class=Response,
    responses={200: {"content": {TAR: {"schema": {"type": "string", "format": "binary"}}}}, **refusals(404)},
)
def host_kit_download(host: Reference, services: UsedServices, identity: Asking, secrets: Secrets = False) -> Response:
    """Downloads the setup kit of a host as an archive.

    The tar archive contains a script that applies the setup kit.
    """
    kit = _kit(services, identity, host, secrets=secrets)
    headers = {"Content-Disposition": f'attachment; filename="lunette-{kit.host}.tar"'}
    return Response(host_access.archive(kit), media_type=TAR, headers=headers)


@routes.get("/{host}/paths", operation_id="host_paths", response_model=HostPaths, responses=refusals(404))
def host_paths(host: Reference, services: UsedServices) -> HostPaths:
    """Shows the expected and actual paths of a host and of each of its volumes."""
    try:
        seen, sessions = services.control.observation(), services.control.sessions()
    except Unavailable:
        seen, sessions = None, None
    with services.store.read() as tx:
        return host_access.paths(tx, host, MachineState(seen, services.control.exports(), sessions))


@routes.post(
    "/{host}:verify-paths",
    operation_id="host_verify_paths",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def host_verify_paths(host: Reference, body: HostVerifyPaths, change: Creating) -> Response:
    """Tests the paths of a host by blocking each path in turn.

    Each blocked path is restored after a short time. The test passes only if the I/O of the host continues each time.
    Only iSCSI paths are tested. `confirm` is the name of the host. Fails with 409 if a volume would lose its last path,
    a path is missing, or an array is degraded. Returns a job.
    """

    def work(context: ChangeContext) -> Outcome:
        return path_trial.begin(context, host, body)

    return change.apply(work, only_jobs, looks=True)


def _kit(services: ApiServices, identity: Identity, host: str, *, secrets: bool) -> HostKit:
    """Returns secrets only to users whose role may set them, and only after an event records the access."""
    seen = _seen(services)
    if not secrets:
        with services.store.read() as tx:
            return host_access.kit(tx, host, seen, secrets=False)
    if not identity.role.includes(Role.OPERATOR):
        raise Forbidden(
            f"A setup kit with secrets requires the role {Role.OPERATOR.value}, but {identity.actor} has "
            f"{identity.role.value}; download it without secrets, or ask an operator."
        )
    with services.store.write() as tx:
        row = need(tx, Host, host)
        kit = host_access.kit(tx, row.id, seen, secrets=True)
        if kit.has_secrets:
            message = f"The secrets of host {row.name} were read with its setup kit"
            emit(tx, "host.secrets_read", message, actor=identity.actor, ref=row.id)
    return kit


def _seen(services: ApiServices) -> Observation | None:
    try:
        return services.control.observation()
    except Unavailable:
        return None
