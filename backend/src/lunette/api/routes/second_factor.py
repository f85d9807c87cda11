"""The user's own second factor: setup, replacement, recovery codes, removal. Always in a login of its owner."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import Request, Response
from sqlalchemy import delete
from sqlalchemy.orm import Session

from lunette.api.answers.accounts import RecoveryCodes, SecondFactorOffer
from lunette.api.auth import second_factor
from lunette.api.auth.identity import Asking, Identity, check_holds
from lunette.api.openapi.responses import refusals, router
from lunette.api.requests.proof import FactorProof, address_of, check_password, code_checked, own_login, wrong
from lunette.api.requests.services import ApiServices, UsedServices
from lunette.domain.base import Model
from lunette.domain.errors import Conflict
from lunette.domain.second_factor import (
    Code,
    address,
    base32,
    matching_period,
    new_recovery_codes,
    new_secret,
    recovery_hash,
)
from lunette.store.access import LoginSession, SecondFactor, User
from lunette.store.events import emit
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings

routes = router("/second-factor", "login")
_CHANGES = refusals(409, 413, 429)


class FactorConfirm(Model):
    """Proof that the new authenticator app works."""

    code: Code
    """Six-digit code from the authenticator app that is being set up."""


@routes.post("", operation_id="second_factor_start", response_model=SecondFactorOffer, responses=_CHANGES)
def second_factor_start(
    body: FactorProof, request: Request, services: UsedServices, identity: Asking
) -> SecondFactorOffer:
    """Starts the setup of a second factor and returns its secret.

    The secret is for an authenticator app. The second factor takes effect when it is confirmed with a code from the
    app. Until then, an existing second factor stays valid, and its code is required here.
    """
    secret = new_secret()
    with _proven(services, request, identity, body) as tx:
        factor = tx.get(SecondFactor, identity.user_id) or SecondFactor(user_id=identity.user_id)
        tx.add(factor)
        factor.next_sealed, factor.next_login = second_factor.sealed(tx, secret), identity.session_hash
        name = read_settings(tx).present_host_name(services.name())
    return SecondFactorOffer(secret=base32(secret), address=address(secret, identity.username, name))


@routes.post(":confirm", operation_id="second_factor_confirm", response_model=RecoveryCodes, responses=_CHANGES)
def second_factor_confirm(
    body: FactorConfirm, request: Request, services: UsedServices, identity: Asking
) -> RecoveryCodes:
    """Confirms the new second factor and returns its recovery codes.

    From then on, each login of the user requires a code. Ends all other logins of the user.
    """
    user_id = own_login(identity, "second factor")
    codes = new_recovery_codes()
    with services.store.write() as tx:
        check_holds(tx, identity)
        factor = tx.get(SecondFactor, user_id)
        if factor is None or factor.next_sealed is None or factor.next_login != identity.session_hash:
            raise Conflict("No second factor is being set up in this login; start with POST /api/v1/second-factor.")
        services.login_limit.code_attempt(address_of(request), identity.username)
        secret = second_factor.opened(tx, factor.next_sealed)
        period = matching_period(secret, body.code.get_secret_value(), utc_now().timestamp(), 0)
        if period is None:
            raise wrong("code", "is not a code of the new secret; compare the clocks of the phone and the appliance")
        if factor.secret_sealed is None:
            tx.get_one(User, user_id).touch()
        factor.secret_sealed, factor.last_period = factor.next_sealed, period
        factor.next_sealed = factor.next_login = None
        factor.recovery_hashes = [recovery_hash(code) for code in codes]
        others = (LoginSession.user_id == user_id, LoginSession.token_hash != identity.session_hash)
        tx.execute(delete(LoginSession).where(*others))
        _emit(tx, identity, "user.second_factor_set", "set up a second factor")
    services.login_limit.succeeded(address_of(request), identity.username)
    return RecoveryCodes(recovery_codes=codes)


@routes.post(":renew-codes", operation_id="second_factor_renew_codes", response_model=RecoveryCodes, responses=_CHANGES)
def second_factor_renew_codes(
    body: FactorProof, request: Request, services: UsedServices, identity: Asking
) -> RecoveryCodes:
    """Replaces the recovery codes of the second factor.

    The previous recovery codes become invalid immediately.
    """
    codes = new_recovery_codes()
    with _proven(services, request, identity, body) as tx:
        factor = _enabled(tx, identity.user_id)
        factor.recovery_hashes = [recovery_hash(code) for code in codes]
        _emit(tx, identity, "user.recovery_codes_renewed", "created new recovery codes")
    return RecoveryCodes(recovery_codes=codes)


@routes.post(":remove", operation_id="second_factor_remove", status_code=204, responses=_CHANGES)
def second_factor_remove(body: FactorProof, request: Request, services: UsedServices, identity: Asking) -> Response:
    """Removes the second factor of the user who is logged in.

    From then on, a login requires only the password. Refused if the settings require a second factor.
    """
    with _proven(services, request, identity, body) as tx:
        _enabled(tx, identity.user_id)
        if read_settings(tx).second_factor_required:
            raise Conflict(
                "The second factor was not removed: the setting second_factor_required requires one. To use another "
                "app, set up a new second factor, which replaces this one."
            )
        second_factor.remove(tx, tx.get_one(User, identity.user_id), identity.username)
    return Response(status_code=204)


@contextmanager
def _proven(services: ApiServices, request: Request, identity: Identity, proof: FactorProof) -> Iterator[Session]:
    """The transaction of a change that password and code were given for."""
    own_login(identity, "second factor")
    check_password(services, request, identity, proof.current_password)
    with code_checked(services, request, identity, proof.code) as tx:
        yield tx


def _enabled(tx: Session, user_id: str) -> SecondFactor:
    factor = tx.get(SecondFactor, user_id)
    if factor is None or factor.secret_sealed is None:
        raise Conflict("No second factor is set up; set one up with POST /api/v1/second-factor.")
    return factor


def _emit(tx: Session, identity: Identity, kind: str, words: str) -> None:
    emit(tx, kind, f"{identity.username} {words}", actor=identity.username, ref=identity.user_id)
