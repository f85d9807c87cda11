"""Backups of the appliance's configuration: requests, the contents of a file, and the effects of a restore."""

import datetime as dt
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Base64Bytes, Field, SecretStr

from lunette.domain.base import Model
from lunette.domain.exports import ReleaseKind

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Of a backup; the events of years fit. In a request it is a third longer, as base64."""
Passphrase = Annotated[SecretStr, Field(min_length=12, max_length=256)]


class BackupRequest(Model):
    """Request for a backup of the appliance's configuration."""

    passphrase: Passphrase
    """Passphrase that encrypts the backup, of 12 to 256 characters.

    The passphrase is not stored anywhere. Without it, the backup cannot be restored.
    """
    certificate: bool = True
    """Whether the backup includes the certificate with its private key."""


StoredName = Annotated[
    str, Field(max_length=127, pattern=r"^[A-Za-z0-9._-]+-[0-9a-f]{8}-[0-9]{8}T[0-9]{6}Z\.lunette-backup$")
]
"""The name of a scheduled backup: appliance, start of its ID, time in UTC. It is the whole of a path below a folder."""


class StoredBackup(Model):
    """Backup that was stored on the server of the scheduled backups."""

    name: StoredName
    """File name in the folder on the server."""
    made_at: AwareDatetime
    """When the backup was created, in UTC."""
    size_bytes: int
    """Size of the file in bytes."""


class BackupRecord(Model):
    """What is known of the scheduled backups to one folder at one time of day."""

    url: str
    when: str
    since: AwareDatetime
    """When they were set up."""
    anchor_at: AwareDatetime
    """The last look at the clock that led to a run, or when they were set up."""
    tried_at: AwareDatetime | None = None
    trouble: str | None = None
    """Why the last run failed; None if it succeeded."""
    untidy: str | None = None
    """Why an older backup could not be deleted."""
    lease_until: AwareDatetime | None = None
    """A process is storing a backup."""
    begun: StoredBackup | None = None
    """A backup of which it is unknown whether it, or a part of it, is on the server."""
    stored: tuple[StoredBackup, ...] = ()
    """Oldest first."""

    @property
    def succeeded_at(self) -> AwareDatetime | None:
        return self.stored[-1].made_at if self.stored else None


class RestoreRequest(Model):
    """Request to restore the appliance's configuration from a backup."""

    content: Base64Bytes
    """Contents of the backup file, in base64."""
    passphrase: Annotated[SecretStr, Field(min_length=1, max_length=256)]
    """Passphrase of the backup. Also encrypts the backup of the state before the restore."""
    certificate: bool = True
    """Whether to restore the certificate with its private key, if the backup contains them."""
    give_up: Annotated[tuple[str, ...], Field(max_length=10_000)] = ()
    """IDs from `still_served` that the appliance stops serving. Hosts lose access to these objects.

    Everything else that is served now and missing from the backup stays served.
    """


class RowChange(StrEnum):
    """Change to an object by a restore."""

    RETURNS = "returns"
    """The object exists only in the backup and is restored."""
    CHANGES = "changes"
    """The object exists in both, and its configuration changes."""
    FORGOTTEN = "forgotten"
    """The object is missing from the backup, and its records are deleted. On the machine it does not change."""


class Difference(Model):
    """Object that a restore returns, changes or forgets."""

    noun: str
    """Kind of the object, such as `volume`."""
    name: str
    """Name of the object."""
    change: RowChange
    """Change to the object."""


class StillServed(Model):
    """Object that is served now and missing from the backup.

    The object stays served unless `give_up` contains its ID.
    """

    kind: ReleaseKind
    """Kind of the object."""
    id: str
    """Unique ID of the object, to use in `give_up`."""
    words: str
    """Description of the object, with the hosts concerned."""


class LeftOut(Model):
    """Object of the backup that is not restored because it conflicts with the present access of hosts."""

    noun: str
    """Kind of the object: `mapping` or `initiator`."""
    id: str
    """Unique ID of the object."""
    words: str
    """Description of the object and of the conflict."""


class RestoreFound(Model):
    """Contents of a backup and the effects of restoring it."""

    appliance: str
    """Name of the appliance in the backup."""
    appliance_id: str
    """Unique ID of the appliance in the backup."""
    made_at: dt.datetime
    """When the backup was created, in UTC."""
    version: str
    """Version of Lunette that created the backup."""
    schema_revision: str
    """Revision of the database schema in the backup."""
    has_certificate: bool
    """Whether the backup contains the certificate with its private key."""
    differences: tuple[Difference, ...]
    """Objects that the restore returns, changes or forgets."""
    still_served: tuple[StillServed, ...]
    """Objects that are served now and missing from the backup."""
    left_out: tuple[LeftOut, ...]
    """Objects of the backup that are not restored because they conflict with the present access of hosts."""
    warnings: tuple[str, ...]
    """Warnings about the effects of the restore."""
    restored: bool
    """Whether the backup was restored. `false` for a dry run, which changes nothing."""
    kept: str | None
    """Path on the appliance of a backup of the state before the restore, with the same passphrase.

    `null` for a dry run.
    """
