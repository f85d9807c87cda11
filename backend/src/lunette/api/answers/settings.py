"""Settings of the appliance, and what became of scheduled backups. Secrets are not returned, only that they exist."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain import backups
from lunette.domain.firewall import FirewallMode
from lunette.domain.settings import Channel, MailSecurity, SyslogTransport


class Mail(Answer):
    """Settings of the mail channel. The password is never returned."""

    server: str
    """Host name or address of the mail server."""
    port: int
    """TCP port of the mail server."""
    security: MailSecurity
    """Encryption of the connection to the mail server."""
    user: str | None
    """User name for the login to the mail server. `null` if messages are sent without a login."""
    has_password: bool
    """Whether a password for the mail server is stored."""
    sender: str
    """Sender address of the messages."""
    recipients: tuple[str, ...]
    """Addresses that receive the messages."""


class Webhook(Answer):
    """Settings of the webhook channel. The secret and the path and query of the address are never returned."""

    url: str
    """Scheme, host and port of the address to which messages are posted."""
    has_path: bool
    """Whether the stored address also has a path or a query."""
    has_secret: bool
    """Whether a secret for signing messages is stored."""


class Syslog(Answer):
    """Settings of the syslog channel."""

    transport: SyslogTransport
    """Transport of the messages."""
    server: str | None
    """Host name or address of the log server. `null` for the transport `local`."""
    port: int | None
    """Port of the log server. `null` for the transport `local`."""


class DiscoveryLogin(Answer):
    """CHAP login that a host must pass before the appliance lists its iSCSI targets."""

    user: str
    """CHAP user name with which hosts authenticate."""
    has_secret: bool
    """Whether the CHAP secret of the hosts is stored."""
    mutual_user: str | None
    """CHAP user name with which the appliance authenticates. `null` if only hosts authenticate."""
    has_mutual_secret: bool
    """Whether the CHAP secret of the appliance is stored."""


class DeliveryState(Answer):
    """State of the delivery of messages over one channel."""

    channel: Channel
    """Channel of the messages."""
    waiting: int
    """Number of messages that wait for delivery."""
    trouble: str | None
    """Reason why the last attempt to deliver the oldest waiting message failed.

    `null` if no message waits or no attempt has failed.
    """
    last_told_at: datetime | None
    """When a message was last delivered, in UTC.

    `null` if no delivery is recorded. Records are retained for at least 30 days.
    """


class BackupTarget(Answer):
    """Settings of scheduled backups. Password and passphrase are never returned."""

    url: str
    """HTTPS address of the folder on the WebDAV server."""
    user: str | None
    """User name for the login to the server. `null` if requests have no login."""
    has_password: bool
    """Whether a password for the server is stored."""
    has_passphrase: bool
    """Whether the passphrase that encrypts the backups is stored."""
    when: str
    """Cron expression with minute, hour, day of month, month and weekday, in the time zone of the appliance."""
    keep: int
    """Number of backups to retain on the server."""
    certificate: bool
    """Whether the backups include the certificate with its private key."""


class StoredBackup(Answer):
    """Backup on the server of the scheduled backups."""

    name: str
    """File name in the folder on the server."""
    made_at: datetime
    """When the backup was created, in UTC."""
    size_bytes: int
    """Size of the file in bytes."""

    @classmethod
    def of(cls, stored: backups.StoredBackup) -> "StoredBackup":
        return cls(**dict(stored))


class BackupState(Answer):
    """State of the scheduled backups."""

    next_run_at: datetime
    """When the next backup is created, in UTC. A failed backup is repeated every 15 minutes."""
    last_tried_at: datetime | None
    """When the last backup was attempted, in UTC. `null` if none was attempted."""
    trouble: str | None
    """Reason why the last backup was not stored. `null` if it was stored."""
    untidy: str | None
    """Reason why older backups could not be deleted. `null` if they could."""
    stored: tuple[StoredBackup, ...]
    """Backups that the appliance stored in this folder and has not deleted, the newest first."""


class Settings(Answer):
    """Settings of the appliance."""

    name: str | None
    """Name of the appliance. `null` if the host name is used."""
    host_name: str | None
    """Host name that is set on the operating system. `null` if the host name is left as it is."""
    time_zone: str
    """Time zone of schedules and of the heartbeat, as a name such as `Europe/Berlin` or `UTC`."""
    session_hours: int
    """Lifetime of a browser login in hours."""
    second_factor_required: bool
    """Whether every user must have a second factor.

    A user without one must set up a second factor before any other action. API tokens need none.
    """
    history_days: int
    """Number of days for which events, finished jobs, resolved alerts and disk health data are retained."""
    deleted_keep_hours: int
    """Number of hours for which deleted volumes and snapshots can be recovered.

    0 erases them immediately when they are deleted.
    """
    number_held_hours: int
    """Number of hours for which the LUN or NSID of an unmapped volume is reserved.

    Until then, the number is not automatically assigned to another volume of the same hosts, which may still associate
    the number with the old volume. A new iSCSI or iSER login of the host can end the reservation sooner.
    """
    disk_health_minutes: int
    """Interval in minutes at which the health of every disk is read."""
    short_test_days: int
    """Interval between short self-tests of a disk, in days of power-on time. 0 disables them.

    A long self-test counts as a short one.
    """
    long_test_days: int
    """Interval between long self-tests of a disk, in days of power-on time. 0 disables them."""
    mail: Mail | None
    """Settings of the mail channel. `null` if mail is not configured."""
    webhook: Webhook | None
    """Settings of the webhook channel. `null` if no webhook is configured."""
    syslog: Syslog | None
    """Settings of the syslog channel. `null` if syslog is not configured."""
    heartbeat: str | None
    """Time of the daily heartbeat as `HH:MM`, in `time_zone`. `null` if no heartbeat is sent."""
    trusted_ca: str | None
    """Certificates in PEM form of authorities that are trusted in addition to the system's own.

    They verify mail servers, log servers and webhooks. `null` if only the system's own are trusted.
    """
    firewall: FirewallMode | None
    """Firewall mode. `null` for the default: `managed` after installation from the ISO, otherwise `off`."""
    discovery_auth: DiscoveryLogin | None
    """CHAP login required for the discovery of iSCSI targets. `null` if no login is required."""
    backup: BackupTarget | None
    """Settings of scheduled backups. `null` if none are set up."""
    backup_state: BackupState | None
    """State of the scheduled backups. `null` if none are set up, or were just set up."""
    deliveries: tuple[DeliveryState, ...]
    """State of the delivery of messages over each configured channel."""
    updated_at: datetime
    """When the settings were last changed, in UTC."""


class ChannelTest(Answer):
    """Result of a test message over one channel."""

    channel: Channel
    """Channel of the test message."""
    accepted: bool
    """Whether the test message was accepted. For syslog, only sending is checked: servers send no reply."""
    detail: str
    """Response of the server, or the reason why the test message was not accepted."""


class AlertTest(Answer):
    """Results of a test message over every configured channel."""

    results: tuple[ChannelTest, ...]
    """One result per configured channel."""
