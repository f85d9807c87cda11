"""Alerts: conditions that need attention. An alert is resolved automatically when its condition ends."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from lunette.domain.base import Model

YEAR_S = 365 * 86400


class Severity(StrEnum):
    """Severity of an alert."""

    INFO = "info"
    """No action is required."""
    WARNING = "warning"
    """Attention is needed, but access and data are not affected now."""
    CRITICAL = "critical"
    """Access, data or redundancy is affected or at risk."""

    @property
    def rank(self) -> int:
        """Higher is graver."""
        return list(Severity).index(self)


class AlertAcknowledge(Model):
    """Acknowledgement of an active alert, valid until the alert is resolved or its severity rises."""

    note: Annotated[str, Field(max_length=1000)] = ""
    """Note on the acknowledgement, such as the person in charge or the planned action. If omitted, the note is empty.
    """


class AlertSilence(Model):
    """Suppression of the notifications of an alert for a limited time."""

    duration_s: Annotated[int, Field(ge=60, le=YEAR_S)]
    """Duration in seconds, from one minute to 365 days. Also applies if the condition recurs, and ends early if the
    severity rises."""


class AlertFamily(StrEnum):
    """Area of an alert, which is the first part of its key, as in `array.health:<id>`."""

    AGENT = "agent"
    """The storage agent does not answer or cannot read a part of the machine."""
    ARRAY = "array"
    """The health of an array, its disks, size, encryption, write hole or last scrub needs attention."""
    BACKUP = "backup"
    """Scheduled backups fail."""
    CLOCK = "clock"
    """The clock of the appliance was not set by a time server."""
    DELIVERY = "delivery"
    """Notifications cannot be delivered."""
    DISK = "disk"
    """The health of a disk needs attention."""
    EXPORTS = "exports"
    """Changes to exports are not applied or not stored, or the brake retains exports."""
    FC_PORT = "fc_port"
    """An FC port does not have its desired mode."""
    FIREWALL = "firewall"
    """The firewall does not have its desired state, or its rules were changed outside Lunette."""
    HOST = "host"
    """The secrets of a host cannot be read."""
    INITIATOR = "initiator"
    """Several machines use the same initiator name."""
    INTERFACE = "interface"
    """A network interface that carries portals has no link."""
    JOB = "job"
    """A job is stuck."""
    LOGIN = "login"
    """Many logins fail."""
    MAPPING = "mapping"
    """Hosts cannot use a mapped volume safely, for example because they share it without reservations."""
    PORTAL = "portal"
    """A portal does not accept connections."""
    SCHEDULE = "schedule"
    """The last run of a schedule failed."""
    SEALED_COPY = "sealed_copy"
    """The sealed copy on an array is not up to date."""
    SETTING = "setting"
    """A secret of a setting cannot be read."""
    SPDK = "spdk"
    """SPDK stopped answering."""
    SUBSYSTEM = "subsystem"
    """An NVMe subsystem is blocked, or volumes are missing in it."""
    SYSTEM = "system"
    """The system disks, the space on the system drive or the last update needs attention."""
    TARGET = "target"
    """A SCSI target is blocked, or volumes are missing in it."""
    THIN_POOL = "thin_pool"
    """The space that thin volumes share fills up."""


class AlertNoun(StrEnum):
    """Kind of the object that an alert is about."""

    ARRAY = "array"
    """Array."""
    DISK = "disk"
    """Disk."""
    FC_PORT = "fc_port"
    """FC port of the appliance."""
    HOST = "host"
    """Host."""
    HOST_GROUP = "host_group"
    """Host group."""
    INTERFACE = "interface"
    """Network interface of the appliance."""
    JOB = "job"
    """Job."""
    PORTAL = "portal"
    """Portal."""
    SCHEDULE = "schedule"
    """Schedule."""
    VOLUME = "volume"
    """Volume."""


def family_of(key: str) -> AlertFamily | None:
    """The family of a key; None for a key of an earlier release that this one no longer has."""
    word = key.partition(":")[0].partition(".")[0]
    return next((family for family in AlertFamily if family == word), None)
