"""The parts of a backup that are not rows: the certificate, and the copy of the state before a restore.

A new certificate is stored in the database first, sealed, in the transaction of the change, and written to
its two files then or at the next start, also after power failures. The previous one is stored next to them.
"""

import ssl

import structlog
from pydantic import SecretStr
from sqlalchemy.orm import Session

from lunette.api.appliance.certificate import check_takes, write_durably, write_pair
from lunette.api.requests.services import ApiServices, Files
from lunette.domain.errors import Unavailable
from lunette.store.backup import envelope, tables
from lunette.store.backup.tables import Certificate, Extras
from lunette.store.database import Store
from lunette.store.resources import Meta
from lunette.store.schema import utc_now
from lunette.store.secrets import SecretBox
from lunette.store.settings import read_settings

COPY = "before-restore.lunette-backup"
PREVIOUS = "previous.json"
"""The previous pair, next to the certificate, for a revert. Not part of a backup."""
_STAGED = "restored_certificate"


def backup(services: ApiServices, version: str, passphrase: SecretStr, certificate: bool) -> bytes:
    """The file of a backup: one snapshot of the database, whatever changes meanwhile."""
    own = pair_in_use(services.files) if certificate else None
    keys = tuple(key.decode("ascii") for key in services.store.box.keys)
    with services.store.read() as tx:
        content = tables.dump(tx, Extras(keys=keys, certificate=own))
        about = envelope.About(
            version=version,
            schema_revision=tables.revision(tx),
            appliance=read_settings(tx).shown_name(services.name()),
            appliance_id=tx.get_one(Meta, "appliance_id").value,
            made_at=utc_now(),
            has_certificate=own is not None,
        )
    return envelope.seal(content, passphrase.get_secret_value(), about)


def keep_copy(services: ApiServices, version: str, passphrase: SecretStr) -> str | None:
    """Stores the state before a restore, as a backup under the same passphrase. Raises Unavailable if it cannot."""
    if services.files is None:
        return None
    path = services.files.data / COPY
    try:
        write_durably(path, backup(services, version, passphrase, certificate=True), 0o600)
    except OSError as error:
        raise Unavailable(
            f"Nothing was changed: the previous state cannot be saved in {path} ({error.strerror}). Free some space."
        ) from error
    return str(path)


def stage_certificate(tx: Session, box: SecretBox, certificate: Certificate) -> None:
    """The certificate to use as soon as it is installed, or from the next start on."""
    tx.merge(Meta(key=_STAGED, value=box.seal(SecretStr(certificate.model_dump_json()))))


def install_staged(store: Store, files: Files) -> None:
    """Writes the certificate of a change, and stores the previous one. Raises OSError with both unchanged."""
    with store.read() as tx:
        staged = tx.get(Meta, _STAGED)
    if staged is None:
        return
    found = Certificate.model_validate_json(store.box.open(staged.value).get_secret_value())
    _keep_previous(files, found)
    write_pair(files.tls_cert, files.tls_key, found.cert, found.key)
    with store.write() as tx:
        row = tx.get(Meta, _STAGED)
        if row is not None:
            tx.delete(row)
    structlog.get_logger(__name__).info("certificate replaced", path=str(files.tls_cert))


def _keep_previous(files: Files, fresh: Certificate) -> None:
    """After a power failure between the two files they do not match: the previous pair is stored already then."""
    now = pair_in_use(files)
    if now is None or now.cert == fresh.cert:
        return
    try:
        check_takes(now.cert, now.key)
    except ssl.SSLError:
        return
    write_durably(files.tls_cert.parent / PREVIOUS, now.model_dump_json().encode(), 0o600)


def previous_certificate(files: Files) -> Certificate | None:
    """The pair that was in use before this one; None if there was none."""
    try:
        return Certificate.model_validate_json((files.tls_cert.parent / PREVIOUS).read_bytes())
    except (OSError, ValueError):
        return None


def pair_in_use(files: Files | None) -> Certificate | None:
    """The pair in use; None if it cannot be read."""
    if files is None:
        return None
    try:
        return Certificate(cert=files.tls_cert.read_text(), key=files.tls_key.read_text())
    except OSError:
        return None
