"""Settings of the appliance. Secrets are never answered, only that there are some."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.firewall import FirewallMode
from lunette.domain.settings import Channel, MailSecurity, SyslogTransport


class Mail(Answer):
    """Mail through one server."""

    server: str
    port: int
    security: MailSecurity
    user: str | None
    has_password: bool
    sender: str
    recipients: tuple[str, ...]


class Webhook(Answer):
    """An address that is sent JSON; signed where it has a secret. `url` is scheme, host and port; `has_path` tells that
    the address has a path or a query, which are never shown."""

    url: str
    has_path: bool
    has_secret: bool


class Syslog(Answer):
    """A log server, or the own log."""

    transport: SyslogTransport
    server: str | None
    port: int | None


class DiscoveryLogin(Answer):
    """What a host shows before it is told the iSCSI targets."""

    user: str
    has_secret: bool
    mutual_user: str | None
    has_mutual_secret: bool


class DeliveryState(Answer):
    """How telling goes over one channel. `trouble` says why the oldest message that waits was not taken."""

    channel: Channel
    waiting: int
    trouble: str | None
    last_told_at: datetime | None


class Settings(Answer):
    """All settings. `name` is null where the host name is used."""

    name: str | None
    time_zone: str
    session_hours: int
    second_factor_required: bool
    history_days: int
    deleted_keep_hours: int
    number_held_hours: int
    disk_health_minutes: int
    short_test_days: int
    long_test_days: int
    mail: Mail | None
    webhook: Webhook | None
    syslog: Syslog | None
    heartbeat: str | None
    trusted_ca: str | None
    firewall: FirewallMode | None
    discovery_auth: DiscoveryLogin | None
    deliveries: tuple[DeliveryState, ...]
    updated_at: datetime


class ChannelTest(Answer):
    """Whether a test was taken over one channel; `detail` is what the server said, or why nothing could be sent."""

    channel: Channel
    accepted: bool
    detail: str


class AlertTest(Answer):
    """One result for each channel that is set up."""

    results: tuple[ChannelTest, ...]
