"""The appliance as a whole: power, backup, restore, rebuild and support bundle."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import Request, Response
from sqlalchemy.orm import Session
from starlette.background import BackgroundTask

import lunette
from lunette.api.answers.settings import StoredBackup
from lunette.api.appliance import backup_extras, support
from lunette.api.auth.identity import Asking, check_lasts
from lunette.api.openapi.responses import JOB_CREATED, refusals, router
from lunette.api.requests.changes import ChangeRequest, Creating, answer
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.services import ApiServices, UsedServices
from lunette.domain.backups import BackupRequest, RestoreFound, RestoreRequest
from lunette.domain.errors import FieldProblem, Invalid
from lunette.domain.power import PowerAction
from lunette.domain.sealed_copies import RebuildFound, RebuildRequest
from lunette.engine.changes import power
from lunette.engine.recovery import rebuilding, restoring
from lunette.engine.recovery.rebuilding import RebuildSelection
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
def appliance_backup(body: BackupRequest, request: Request, services: UsedServices, identity: Asking) -> Response:
    """Creates a backup of the configuration, as a file encrypted with a passphrase.

    The backup contains the database with all secrets, and optionally the certificate. Without the passphrase the backup
    cannot be read.
    """
    _count_attempt(request, services)
    with services.store.write() as tx:
        emit(tx, "appliance.backed_up", f"{identity.actor} created a backup", actor=identity.actor)
    made = backup_extras.backup(services, lunette.__version__, body.passphrase, certificate=body.certificate)
    headers = {"Content-Disposition": 'attachment; filename="appliance.lunette-backup"', "Cache-Control": "no-store"}
    return Response(made, media_type=FILE, headers=headers)


@verbs.post(
    "/appliance:store-backup",
    operation_id="appliance_store_backup",
    response_model=StoredBackup,
    responses=refusals(409),
)
def appliance_store_backup(services: UsedServices, identity: Asking) -> StoredBackup:
    """Creates a backup now and stores it on the server of the scheduled backups.

    Waits until the server has the whole file. Fails with 409 and the reason if the server does not accept it. Older
    backups are deleted afterward, as for a scheduled backup.
    """
    return StoredBackup.of(services.control.backups.run(identity.actor))


@verbs.post(
    "/appliance:support",
    operation_id="appliance_support",
    response_class=Response,
    responses={200: {"content": {GZIP: {"schema": {"type": "string", "format": "binary"}}}}, **refusals()},
)
def appliance_support(services: UsedServices, identity: Asking) -> Response:
    """Creates a support bundle with logs, configuration, kernel and hardware data.

    The response is a tar.gz archive without passwords, keys and CHAP secrets. Nothing is changed. The operation takes
    seconds, or minutes on a faulty appliance.
    """
    with services.store.write() as tx:
        emit(tx, "appliance.support_bundle", f"{identity.actor} created a support bundle", actor=identity.actor)
    name, content = support.bundle(services)
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
    """Restarts the appliance.

    All exports stop and start again automatically afterward. Returns a job that finishes when the appliance is up
    again.
    """
    return _stop(change, PowerAction.RESTART)


@verbs.post(
    "/appliance:power-off",
    operation_id="appliance_power_off",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def appliance_power_off(change: Creating) -> Response:
    """Shuts down the appliance.

    All exports stop until the appliance is switched on again. Returns a job that finishes at the next start.
    """
    return _stop(change, PowerAction.OFF)


def _stop(change: ChangeRequest, action: PowerAction) -> Response:
    return change.apply(lambda context: power.stop(context, action), only_jobs, looks=True)


@verbs.post(
    "/appliance:restore",
    operation_id="appliance_restore",
    response_model=RestoreFound,
    responses=refusals(409, 413, 429),
)
def appliance_restore(body: RestoreRequest, request: Request, change: Creating) -> Response:
    """Restores the configuration from a backup and restarts the API.

    Replaces the whole database, including users, passwords and API tokens. Exports that the backup does not contain
    stay online unless `give_up` names them. A dry run shows the differences and changes nothing. The previous state is
    stored on the appliance as a backup with the same passphrase.
    """
    check_lasts(change.identity)
    _count_attempt(request, change.services)
    with _opened(body) as (header, extras, scratch), change.control.exports_held():
        change.services.login_limit.succeeded(_address(request), request.url.path)
        prepared = change.control.prepare_restore(scratch, body.give_up)

        def work(tx: Session) -> Response:
            with scratch.read() as then:
                differences = tuple(restoring.differences(tx, then))
            kept = None
            if not change.dry_run:
                kept = backup_extras.keep_copy(change.services, lunette.__version__, body.passphrase)
            warnings = (*prepared.warnings, *_certificate(change, body, extras))
            if not change.dry_run:
                change.services.store.box.learn(scratch.box.keys)
            restoring.restore(change.context(tx), scratch, prepared)
            if body.certificate and extras.certificate and change.services.files and change.services.files.own:
                backup_extras.stage_certificate(tx, change.services.store.box, extras.certificate)
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
        change.services.one_time.forget()
        response.background = BackgroundTask(change.services.restart)
    return response


@verbs.post(
    "/appliance:rebuild", operation_id="appliance_rebuild", response_model=RebuildFound, responses=refusals(409, 412)
)
def appliance_rebuild(body: RebuildRequest, change: Creating) -> Response:
    """Rebuilds the configuration of unknown arrays from their sealed copies.

    If no arrays are named, all unknown arrays are rebuilt, provided that they belong to one appliance. Stopped arrays
    are started to read their sealed copies, even for a dry run: if all their disks are present, or with missing disks
    if `degraded` is set. Hosts with missing secrets have no access until their secrets are set again. A sealed copy
    without a seal of this appliance is used only with `adopt`; check the `changes` of the dry run first, because they
    determine which hosts have access. A rebuild needs the `digest` of a dry run, and fails with 412 if the sealed
    copies have changed since.
    """
    with change.control.exports_held():
        disks = change.control.look_at_disks(degraded=body.degraded)

        def work(tx: Session) -> Response:
            wanted = RebuildSelection(body.arrays, body.adopt, body.digest, change.dry_run)
            found = rebuilding.rebuild(change.context(tx), disks, wanted)
            return answer(found.model_copy(update={"rebuilt": found.rebuilt and not change.dry_run}))

        return change.run(work)


@contextmanager
def _opened(body: RestoreRequest) -> Iterator[tuple[envelope.Header, tables.Extras, Store]]:
    """The backup as a separate store with its keys and the current schema. Raises Invalid with the reason."""
    found = envelope.read_header(body.content)
    if tables.is_newer(found.schema_revision):
        message = f"it was created by version {found.version}, whose database is newer: upgrade this appliance first"
        raise Invalid(
            f"Nothing was changed: {message}.", errors=(FieldProblem(field="content", value=None, message=message),)
        )
    header, content = envelope.unseal(body.content, body.passphrase.get_secret_value())
    with tables.unpacked(content, header.schema_revision) as (extras, engine):
        yield header, extras, Store(engine, SecretBox(*(key.encode() for key in extras.keys)))


def _certificate(change: ChangeRequest, body: RestoreRequest, extras: tables.Extras) -> Iterator[str]:
    files = change.services.files
    if body.certificate and extras.certificate and (files is None or not files.own):
        yield "The certificate is not restored: this appliance uses one that is stored elsewhere"


def _count_attempt(request: Request, services: ApiServices) -> None:
    """Limits attempts at a passphrase like those at a password: both cost as much to check."""
    services.login_limit.attempt(_address(request), request.url.path)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
