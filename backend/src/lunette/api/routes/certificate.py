"""The certificate of the web page and the API: show, replace, revert and create. Exports are never affected."""

import ssl
from collections.abc import Iterator

import structlog
from fastapi import Request, Response
from sqlalchemy.orm import Session

from lunette.api.answers.certificate import Certificate, facts
from lunette.api.answers.plans import PlanAnswer
from lunette.api.appliance import backup_extras
from lunette.api.appliance.certificate import check_takes, own_address
from lunette.api.openapi.responses import Responses, refusals, router
from lunette.api.requests.changes import ChangeRequest, Creating, answer
from lunette.api.requests.services import ApiServices, Files, UsedServices
from lunette.domain.certificates import CertificateReplace, check_pair, shown, uncovered
from lunette.domain.errors import Conflict, FieldProblem, Invalid, NotFound, Unavailable
from lunette.domain.plans import Action, Plan
from lunette.domain.plans import PlannedChange as PlanChange
from lunette.domain.self_signed import self_signed_pair
from lunette.store.backup.tables import Certificate as Pair
from lunette.store.events import emit
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings

routes = router("/certificate", "certificate")
verbs = router("", "certificate")
_TAKEN: Responses = {
    200: {"model": Certificate | PlanAnswer, "description": "Certificate in use, or the plan for a dry run."},
    **refusals(404, 409, 413),
}


@routes.get("", operation_id="certificate_show", response_model=Certificate, responses=refusals(404))
def certificate_show(services: UsedServices) -> Response:
    """Shows the certificate in use and the previous certificate.

    Private keys are never returned.
    """
    files = _files(services)
    return answer(_answer(files, _in_use(files), backup_extras.previous_certificate(files)))


@verbs.post("/certificate:replace", operation_id="certificate_replace", response_model=None, responses=_TAKEN)
def certificate_replace(body: CertificateReplace, request: Request, change: Creating) -> Response:
    """Replaces the certificate of the web page and the API.

    The new certificate is used immediately; open connections and exports are not interrupted. The previous certificate
    is retained for a revert. Certificate and private key are checked first: whether they match, the order of the chain
    and the validity period. Missing names only cause a warning.
    """
    check_pair(body, utc_now())
    pair = Pair(cert=body.certificate, key=body.private_key.get_secret_value())
    return _take(change, request, pair, f"Replace the certificate with {shown(pair.cert).fingerprint}")


@verbs.post("/certificate:revert", operation_id="certificate_revert", response_model=None, responses=_TAKEN)
def certificate_revert(request: Request, change: Creating) -> Response:
    """Reverts to the previous certificate.

    The certificate in use becomes the previous one, and a second revert restores that certificate.
    """
    pair = backup_extras.previous_certificate(_files(change.services))
    if pair is None:
        raise Conflict("There is no previous certificate; replace this one, or create a self-signed certificate.")
    check_pair(CertificateReplace.model_validate({"certificate": pair.cert, "private_key": pair.key}), utc_now())
    return _take(change, request, pair, f"Revert to the certificate {shown(pair.cert).fingerprint}")


@verbs.post("/certificate:self-sign", operation_id="certificate_self_sign", response_model=None, responses=_TAKEN)
def certificate_self_sign(request: Request, change: Creating) -> Response:
    """Creates a private key and a self-signed certificate.

    The new certificate contains the current name and address of the appliance and is used immediately. The previous
    certificate is retained for a revert.
    """
    addresses = [one for one in (own_address(),) if one]
    pair = Pair(**dict(zip(("cert", "key"), self_signed_pair(_host_name(change.services), addresses), strict=True)))
    return _take(change, request, pair, "Create a self-signed certificate")


def _take(change: ChangeRequest, request: Request, pair: Pair, title: str) -> Response:
    """Stores the pair with its event in one transaction, then installs it. A dry run returns the plan."""
    files = _files(change.services)
    if not files.own:
        raise Conflict(
            f"The settings of the service specify the certificate {files.tls_cert}: replace that file and restart "
            "the service, or remove the settings."
        )
    now = _in_use(files)
    plan = _plan(title, now, pair, request, change.services)

    def work(tx: Session) -> Response:
        def take() -> Response:
            if plan.changes:
                backup_extras.stage_certificate(tx, change.services.store.box, pair)
                reported = {"plan": plan.model_dump(mode="json", include={"changes", "hosts_interrupted", "warnings"})}
                emit(tx, "certificate.changed", title, actor=change.actor.name, data=reported)
            before = now if plan.changes else backup_extras.previous_certificate(files)
            return answer(_answer(files, pair, before))

        return change.plan_or(plan, take)

    response = change.run(work)
    if not change.dry_run:
        _put_in_place(change.services, files)
    return response


def _put_in_place(services: ApiServices, files: Files) -> None:
    """Raises Unavailable if the files cannot be written: then the certificate is installed at the next start."""
    try:
        backup_extras.install_staged(services.store, files)
        services.renew_certificate()
    except (OSError, ssl.SSLError) as error:
        structlog.get_logger(__name__).warning("certificate not installed", reason=str(error))
        raise Unavailable(
            "The certificate is stored, but not in use yet: its files could not be written "
            f"({type(error).__name__}). Free space on the system disk; the certificate is used when the API restarts."
        ) from error


def _plan(title: str, now: Pair | None, pair: Pair, request: Request, services: ApiServices) -> Plan:
    if now == pair:
        return Plan(title=title, changes=(), steps=())
    try:
        check_takes(pair.cert, pair.key)
    except ssl.SSLError as error:
        message = f"OpenSSL does not accept it ({error.reason or 'no reason given'})"
        raise Invalid(
            f"The certificate was rejected, and nothing was changed: {message}.",
            errors=(FieldProblem(field="certificate", value=None, message=message),),
        ) from error
    fresh = shown(pair.cert)
    names = ", ".join(fresh.names) or "no name"
    signer = "self-signed" if fresh.self_signed else f"signed by {fresh.issuer}"
    detail = f"for {names}, until {fresh.not_after:%Y-%m-%d}, {signer}"
    change = PlanChange(action=Action.CHANGE, noun="certificate", name=fresh.subject, detail=detail)
    return Plan(title=title, changes=(change,), steps=(), warnings=tuple(_warnings(now, pair, request, services)))


def _host_name(services: ApiServices) -> str:
    with services.store.read() as tx:
        return read_settings(tx).present_host_name(services.name())


def _warnings(now: Pair | None, pair: Pair, request: Request, services: ApiServices) -> Iterator[str]:
    missing = uncovered(pair.cert, (request.url.hostname or "", _host_name(services)))
    if missing:
        yield f"It does not name {' and '.join(missing)}: browsers that use this name show a warning."
    if now is not None:
        yield "Clients that store the fingerprint of the previous certificate refuse the new one until `lunette login`."
    if shown(pair.cert).self_signed:
        yield "It is self-signed: browsers show a warning until a user has verified the fingerprint."


def _files(services: ApiServices) -> Files:
    if services.files is None:
        raise NotFound("This API serves no certificate: a proxy in front of it does.")
    return services.files


def _in_use(files: Files) -> Pair:
    found = backup_extras.pair_in_use(files)
    if found is None:
        raise NotFound(f"The certificate {files.tls_cert} or its key cannot be read by the API.")
    return found


def _answer(files: Files, pair: Pair, previous: Pair | None) -> Certificate:
    return Certificate(
        **vars(shown(pair.cert)), replaceable=files.own, previous=facts(shown(previous.cert)) if previous else None
    )
