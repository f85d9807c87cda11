"""Backups of the control plane: what is asked for, what a file says of itself, and what restoring it would change."""

import datetime as dt
from enum import StrEnum
from typing import Annotated

from pydantic import Base64Bytes, Field, SecretStr

from lunette.domain.base import Model
from lunette.domain.exports import ReleaseKind

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Of a backup; the events of years fit. In a request it is a third longer, as base64."""
Passphrase = Annotated[SecretStr, Field(min_length=12, max_length=256)]


class BackupRequest(Model):
    """The passphrase is not kept anywhere: without it the file is of no use. `certificate`: with its private key."""

    passphrase: Passphrase
    certificate: bool = True


class RestoreRequest(Model):
    """`content` is the file, as base64. `give_up` names, by id, what is served now and the backup does not know: it is
    not served any more then. Without its name nothing that is served is taken away."""

    content: Base64Bytes
    passphrase: Annotated[SecretStr, Field(min_length=1, max_length=256)]
    certificate: bool = True
    give_up: Annotated[tuple[str, ...], Field(max_length=10_000)] = ()


class RowChange(StrEnum):
    """returns: it is in the backup only. forgotten: it is here only; on the machine it stays as it is."""

    RETURNS = "returns"
    CHANGES = "changes"
    FORGOTTEN = "forgotten"


class Difference(Model):
    """One thing that restoring would bring back, change or forget. `name` is for people."""

    noun: str
    name: str
    change: RowChange


class StillServed(Model):
    """Something that is served now and unknown to the backup: it stays served, unless `give_up` names its id."""

    kind: ReleaseKind
    id: str
    words: str


class LeftOut(Model):
    """Something of the backup that is not restored, because hosts use what is in its way."""

    noun: str
    id: str
    words: str


class RestoreFound(Model):
    """What is in a backup, and what restoring it changes."""

    appliance: str
    appliance_id: str
    made_at: dt.datetime
    version: str
    schema_revision: str
    has_certificate: bool
    differences: tuple[Difference, ...]
    still_served: tuple[StillServed, ...]
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...]
    restored: bool
    """False for a dry run: nothing was changed."""
    kept: str | None
    """Where on the appliance the state before is kept, as a backup under the same passphrase."""
