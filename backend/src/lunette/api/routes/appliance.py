"""The appliance as a whole: its power, a backup of its database, secrets and certificate, a support bundle."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import Request, Response
from sqlalchemy.orm import Session
from starlette.background import BackgroundTask

import lunette
from lunette.api import keeping, support
from lunette.api.changes import Change, Creating, answer
from lunette.api.declare import JOB_CREATED, refusals, router
from lunette.api.identity import Asking, check_lasts
from lunette.api.jobs import only_jobs
from lunette.api.parts import Parts, UsedParts
from lunette.domain.backups import BackupRequest, RestoreFound, RestoreRequest
from lunette.domain.errors import FieldProblem, Invalid
from lunette.domain.power import PowerAction
from lunette.domain.sealed_copies import RebuildFound, RebuildRequest
from lunette.engine import power, restoring
from lunette.engine.rebuilding import Wanted
from lunette.store.backup import envelope, tables
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.secrets import SecretBox

verbs = router("", "appliance")
FILE = "application/octet-stream"
GZIP = "application/gzip"


@verbs.post(
    "/appliance:backup",
    operation_id="appliance_backup",
    response_class=Response,
    responses={200: {"content": {FILE: {"schema": {"type": "string", "format": "binary"}}}}, **refusals(413, 429)},
)
def appliance_backup(body: BackupRequest, request: Request, parts: UsedParts, identity: Asking) -> Response:
    """The database with its secrets, and if wished the certificate, as one file that only the passphrase opens."""
    _count_attempt(request, parts)
    with parts.store.write() as tx:
        emit(tx, "appliance.backed_up", f"{identity.actor} made a backup", actor=identity.actor)
    made = keeping.backup(parts, lunette.__version__, body.passphrase, certificate=body.certificate)
    headers = {"Content-Disposition": 'attachment; filename="appliance.lunette-backup"', "Cache-Control": "no-store"}
    return Response(made, media_type=FILE, headers=headers)


@verbs.post(
    "/appliance:support",
    operation_id="appliance_support",
    response_class=Response,
    responses={200: {"content": {GZIP: {"schema": {"type": "string", "format": "binary"}}}}, **refusals()},
)
def appliance_support(parts: UsedParts, identity: Asking) -> Response:
    """Logs, configuration, kernel and hardware facts as one tar.gz for a person far away. Holds no secrets.

    Nothing is changed; it takes some seconds, on a machine that is ill some minutes.
    """
    with parts.store.write() as tx:
        emit(tx, "appliance.support_bundle", f"{identity.actor} made a support bundle", actor=identity.actor)
    name, content = support.bundle(parts)
    headers = {"Content-Disposition": f'attachment; filename="{name}.tar.gz"', "Cache-Control": "no-store"}
    return Response(content, media_type=GZIP, headers=headers)


@verbs.post(
    "/appliance:restart",
    operation_id="appliance_restart",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def appliance_restart(change: Creating) -> Response:
    """Restarts the appliance in order. All exports stop, and come back by themselves; the job is over when it is up."""
    return _stop(change, PowerAction.RESTART)


@verbs.post(
    "/appliance:power-off",
    operation_id="appliance_power_off",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def appliance_power_off(change: Creating) -> Response:
    """Switches the appliance off in order. All exports stop until somebody switches it on; then the job is over."""
    return _stop(change, PowerAction.OFF)


def _stop(change: Change, action: PowerAction) -> Response:
    return change.apply(
        lambda tx: power.stop(tx, change.control.desk, change.actor, action, change.dry_run), only_jobs, looks=True
    )


@verbs.post(
    "/appliance:restore",
    operation_id="appliance_restore",
    response_model=RestoreFound,
    responses=refusals(409, 413, 429),
)
def appliance_restore(body: RestoreRequest, request: Request, change: Creating) -> Response:
    """Puts the database of a backup in the place of this one, and starts the API anew; a dry run tells what differs.

    Nothing that is served is taken away unless `give_up` names it. Users, passwords and tokens are the backup's then.
    """
    check_lasts(change.identity)
    _count_attempt(request, change.parts)
    with _opened(body) as (header, extras, scratch), change.control.exports_held():
        change.parts.login_limit.succeeded(_address(request), request.url.path)
        prepared = change.control.prepare_restore(scratch, body.give_up)

        def work(tx: Session) -> Response:
            with scratch.read() as then:
                differences = tuple(restoring.differences(tx, then))
            kept = None if change.dry_run else keeping.keep_copy(change.parts, lunette.__version__, body.passphrase)
            warnings = (*prepared.warnings, *_certificate(change, body, extras))
            if not change.dry_run:
                change.parts.store.box.learn(scratch.box.keys)
            change.control.restore(tx, change.actor, scratch, prepared)
            if body.certificate and extras.certificate and change.parts.files and change.parts.files.own:
                keeping.stage_certificate(tx, change.parts.store.box, extras.certificate)
            return answer(
                RestoreFound(
                    appliance=header.appliance,
                    appliance_id=header.appliance_id,
                    made_at=header.made_at,
                    version=header.version,
                    schema_revision=header.schema_revision,
                    has_certificate=header.has_certificate,
                    differences=differences,
                    still_served=prepared.judgement.still_served,
                    left_out=prepared.judgement.left_out,
                    warnings=warnings,
                    restored=not change.dry_run,
                    kept=kept,
                )
            )

        response = change.run(work)
    if not change.dry_run:
        change.parts.one_time.forget()
        response.background = BackgroundTask(change.parts.restart)
    return response


@verbs.post(
    "/appliance:rebuild", operation_id="appliance_rebuild", response_model=RebuildFound, responses=refusals(409, 412)
)
def appliance_rebuild(body: RebuildRequest, change: Creating) -> Response:
    """Takes up arrays the database does not know, from the sealed copies they carry; a dry run tells what is there.

    Without names it is every such array, if all are of one appliance. An array that is down is started to look, if all
    its disks are here, or without what is missing if `degraded` says so. Hosts whose secrets must be set again are not
    let in until then. A copy that no key of this appliance has sealed is rebuilt only with `adopt`: read its `changes`
    first, for whoever wrote it says who is let in. Rebuilding needs the `digest` of the dry run, and is refused (412)
    if the disks say something else by now.
    """
    with change.control.exports_held():
        disks = change.control.look_at_disks(degraded=body.degraded)

        def work(tx: Session) -> Response:
            wanted = Wanted(body.arrays, body.adopt, body.digest, change.dry_run)
            found = change.control.rebuild(tx, change.actor, disks, wanted)
            return answer(found.model_copy(update={"rebuilt": found.rebuilt and not change.dry_run}))

        return change.run(work)


@contextmanager
def _opened(body: RestoreRequest) -> Iterator[tuple[envelope.Header, tables.Extras, Store]]:
    """The backup as a store of its own with its keys, of today's schema. Raises Invalid with the reason."""
    found = envelope.read_header(body.content)
    if tables.is_newer(found.schema_revision):
        message = f"it was made by version {found.version}, whose database is newer: upgrade this appliance first"
        raise Invalid(
            f"Nothing was changed: {message}.", errors=(FieldProblem(field="content", value=None, message=message),)
        )
    header, content = envelope.unseal(body.content, body.passphrase.get_secret_value())
    with tables.unpacked(content, header.schema_revision) as (extras, engine):
        yield header, extras, Store(engine, SecretBox(*(key.encode() for key in extras.keys)))


def _certificate(change: Change, body: RestoreRequest, extras: tables.Extras) -> Iterator[str]:
    files = change.parts.files
    if body.certificate and extras.certificate and (files is None or not files.own):
        yield "The certificate is not restored: this appliance uses one that is kept elsewhere"


def _count_attempt(request: Request, parts: Parts) -> None:
    """A passphrase is guessed as slowly as a password, and costs as much to check."""
    parts.login_limit.attempt(_address(request), request.url.path)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
