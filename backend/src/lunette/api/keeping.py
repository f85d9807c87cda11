"""What of a backup is no row: the certificate, and the copy of the state before a restore.

A restored certificate goes through the database: it is stored, sealed, in the transaction of the restore, and written
to its two files at the next start, however often a power cut comes in between.
"""

import structlog
from pydantic import SecretStr
from sqlalchemy.orm import Session

from lunette.api.certificate import write_durably
from lunette.api.parts import Files, Parts
from lunette.domain.errors import Unavailable
from lunette.store.backup import envelope, tables
from lunette.store.backup.tables import Certificate, Extras
from lunette.store.database import Store
from lunette.store.resources import Meta
from lunette.store.schema import utc_now
from lunette.store.secrets import SecretBox
from lunette.store.settings import read_settings

COPY = "before-restore.lunette-backup"
_STAGED = "restored_certificate"


def backup(parts: Parts, version: str, passphrase: SecretStr, *, certificate: bool) -> bytes:
    """The file of a backup: one snapshot of the database, whatever changes meanwhile."""
    own = _certificate(parts.files) if certificate else None
    keys = tuple(key.decode("ascii") for key in parts.store.box.keys)
    with parts.store.read() as tx:
        content = tables.dump(tx, Extras(keys=keys, certificate=own))
        about = envelope.About(
            version=version, schema_revision=tables.revision(tx), appliance=read_settings(tx).name or parts.name(),
            appliance_id=tx.get_one(Meta, "appliance_id").value, made_at=utc_now(), has_certificate=own is not None,
        )  # fmt: skip
    return envelope.seal(content, passphrase.get_secret_value(), about)


def keep_copy(parts: Parts, version: str, passphrase: SecretStr) -> str | None:
    """Keeps the state before a restore, as a backup under the same passphrase. Raises Unavailable if it cannot."""
    if parts.files is None:
        return None
    path = parts.files.data / COPY
    try:
        write_durably(path, backup(parts, version, passphrase, certificate=True), 0o600)
    except OSError as error:
        raise Unavailable(
            f"Nothing was changed: the state before cannot be kept in {path} ({error.strerror}). Free some space."
        ) from error
    return str(path)


def stage_certificate(tx: Session, box: SecretBox, certificate: Certificate) -> None:
    """The certificate to be used from the next start on."""
    tx.merge(Meta(key=_STAGED, value=box.seal(SecretStr(certificate.model_dump_json()))))


def install_restored(store: Store, files: Files) -> None:
    """Writes the certificate a restore left, before anything is served with the one that was there."""
    with store.read() as tx:
        staged = tx.get(Meta, _STAGED)
    if staged is None:
        return
    found = Certificate.model_validate_json(store.box.open(staged.value).get_secret_value())
    files.tls_cert.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_durably(files.tls_key, found.key.encode(), 0o600)
    write_durably(files.tls_cert, found.cert.encode(), 0o644)
    with store.write() as tx:
        row = tx.get(Meta, _STAGED)
        if row is not None:
            tx.delete(row)
    structlog.get_logger(__name__).info("certificate restored from a backup", path=str(files.tls_cert))


def _certificate(files: Files | None) -> Certificate | None:
    """The pair in use; None where it cannot be read."""
    if files is None:
        return None
    try:
        return Certificate(cert=files.tls_cert.read_text(), key=files.tls_key.read_text())
    except OSError:
        return None
