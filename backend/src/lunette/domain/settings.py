"""Settings of the appliance: its name, time zone, logins, retention, the delivery of alerts, scheduled backups."""

from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from cryptography.x509 import load_pem_x509_certificates
from pydantic import AfterValidator, Field, SecretStr, model_validator

from lunette.domain.backups import Passphrase
from lunette.domain.base import Model
from lunette.domain.firewall import FirewallMode
from lunette.domain.hosts import ChapSecret, ChapUser, check_chap_secrets
from lunette.domain.names import HostName, Name
from lunette.domain.schedules import When
from lunette.domain.secret_urls import SecretUrl
from lunette.domain.self_tests import LONG_DAYS, SHORT_DAYS
from lunette.domain.self_tests import Days as TestDays


class Channel(StrEnum):
    """Channel over which the appliance sends alerts."""

    MAIL = "mail"
    """Mail through one mail server."""
    WEBHOOK = "webhook"
    """JSON, posted to one HTTPS address."""
    SYSLOG = "syslog"
    """Messages to a log server or to the appliance's own log."""


class MailSecurity(StrEnum):
    """Encryption of the connection to a mail server."""

    STARTTLS = "starttls"
    """Encryption after the greeting (STARTTLS). The default port is 587."""
    TLS = "tls"
    """Encryption from the first byte. The default port is 465."""
    NONE = "none"
    """No encryption. The default port is 25. A login to the server is not possible."""

    @property
    def port(self) -> int:
        return {MailSecurity.STARTTLS: 587, MailSecurity.TLS: 465, MailSecurity.NONE: 25}[self]


class SyslogTransport(StrEnum):
    """Transport of messages to a log server."""

    LOCAL = "local"
    """The appliance's own log."""
    UDP = "udp"
    """UDP (RFC 5426). The default port is 514. Lost messages are not detected."""
    TCP = "tcp"
    """TCP with octet counting (RFC 6587). The default port is 514."""
    TLS = "tls"
    """TLS (RFC 5425). The default port is 6514."""

    @property
    def port(self) -> int:
        return 6514 if self is SyslogTransport.TLS else 514


def check_zone(value: str) -> str:
    """The name of a time zone this system knows, or ValueError."""
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError("expected the name of a time zone such as Europe/Berlin or UTC") from error
    return value


def check_certificates(value: str) -> str:
    """PEM certificates, or ValueError."""
    try:
        load_pem_x509_certificates(value.encode())
    except ValueError as error:
        raise ValueError("expected one or more certificates in PEM form") from error
    return value


def check_folder(value: str) -> str:
    """The HTTPS address of a folder without a slash at its end, or ValueError."""
    try:
        parts = urlsplit(value)
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole:
        raise ValueError("expected the HTTPS address of a folder, such as https://nas.example.com/backups")
    return value.rstrip("/")


Zone = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(check_zone)]
Certificates = Annotated[str, Field(min_length=1, max_length=65536), AfterValidator(check_certificates)]
ServerName = Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[A-Za-z0-9][A-Za-z0-9.:-]*$")]
Port = Annotated[int, Field(ge=1, le=65535)]
Address = Annotated[str, Field(max_length=254, pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$")]
TimeOfDay = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Hours = Annotated[int, Field(ge=1, le=720)]
Days = Annotated[int, Field(ge=30, le=3650)]
KeepHours = Annotated[int, Field(ge=0, le=720)]
Minutes = Annotated[int, Field(ge=1, le=1440)]
Secret = Annotated[SecretStr, Field(min_length=1, max_length=1000)]
FolderUrl = Annotated[
    str,
    Field(max_length=1000, pattern=r"^https://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?$"),
    AfterValidator(check_folder),
]
BackupsKept = Annotated[int, Field(ge=1, le=365)]


class MailSettings(Model):
    """Settings of the mail channel. On an encrypted connection, the server's certificate is always verified."""

    server: ServerName
    """Host name or address of the mail server."""
    port: Port | None = None
    """TCP port of the mail server. If omitted, 587 for `starttls`, 465 for `tls` and 25 for `none`."""
    security: MailSecurity = MailSecurity.STARTTLS
    """Encryption of the connection to the mail server."""
    user: Annotated[str, Field(min_length=1, max_length=254)] | None = None
    """User name for the login to the mail server. If omitted, messages are sent without a login.

    Requires an encrypted connection.
    """
    password: Secret | None = None
    """Password of the user. Never returned.

    If omitted, the stored password is retained as long as server, port and user do not change and the connection is
    encrypted.
    """
    sender: Address
    """Sender address of the messages."""
    recipients: Annotated[tuple[Address, ...], Field(min_length=1, max_length=64)]
    """Addresses that receive the messages."""

    @property
    def wanted_port(self) -> int:
        return self.port or self.security.port

    @model_validator(mode="after")
    def _password_stays_secret(self) -> "MailSettings":
        if self.security is MailSecurity.NONE and self.user is not None:
            raise ValueError("user: without tls or starttls the password would be sent unencrypted")
        if self.password is not None and self.user is None:
            raise ValueError("user: required with a password")
        return self


class WebhookSettings(Model):
    """Settings of the webhook channel. The server's certificate is always verified.

    Each message is sent as JSON in a POST request. Redirects are not followed.
    """

    url: SecretUrl
    """HTTPS address to which messages are posted. Its path and query are secret and never returned.

    Scheme, host and port alone, without a slash at the end, retain the stored address of the same server.
    """
    secret: Annotated[SecretStr, Field(min_length=16, max_length=1000)] | None = None
    """Secret with which each message is signed (HMAC-SHA256), of at least 16 characters. Never returned.

    If omitted, the stored secret is retained as long as the address does not change. Without a secret, messages are not
    signed.
    """


class SyslogSettings(Model):
    """Settings of the syslog channel: a log server (RFC 5424), or the appliance's own log.

    Over TLS, the server's certificate is always verified.
    """

    transport: SyslogTransport = SyslogTransport.UDP
    """Transport of the messages."""
    server: ServerName | None = None
    """Host name or address of the log server. Required, except for the transport `local`, which has none."""
    port: Port | None = None
    """Port of the log server. If omitted, 6514 for `tls` and 514 for `udp` and `tcp`. Not allowed for `local`."""

    @property
    def wanted_port(self) -> int:
        return self.port or self.transport.port

    @model_validator(mode="after")
    def _has_a_server(self) -> "SyslogSettings":
        if (self.server is None) != (self.transport is SyslogTransport.LOCAL):
            raise ValueError("server: required for every transport except local, which has no server")
        if self.port is not None and self.transport is SyslogTransport.LOCAL:
            raise ValueError("port: the transport local has no port")
        return self


class DiscoveryAuth(Model):
    """CHAP login that a host must pass before the appliance lists its iSCSI targets.

    The login applies to the whole machine, including iSCSI targets that Lunette does not manage.
    """

    user: ChapUser
    """CHAP user name with which hosts authenticate."""
    secret: ChapSecret | None = None
    """CHAP secret of the hosts, of 12 to 16 characters. Not returned with the settings.

    If omitted, the stored secret is retained as long as `user` does not change.
    """
    mutual_user: ChapUser | None = None
    """CHAP user name with which the appliance authenticates. If omitted, only hosts authenticate."""
    mutual_secret: ChapSecret | None = None
    """CHAP secret of the appliance, of 12 to 16 characters. Must differ from `secret`. Not returned with the settings.

    If omitted, the stored secret is retained as long as `mutual_user` does not change.
    """

    @model_validator(mode="after")
    def _complete(self) -> "DiscoveryAuth":
        if self.mutual_secret is not None and self.mutual_user is None:
            raise ValueError("mutual_user: required with mutual_secret")
        check_chap_secrets(self.secret, self.mutual_secret)
        return self


class BackupSettings(Model):
    """Settings of scheduled backups, which are stored on a WebDAV server over HTTPS.

    The server's certificate is always verified. Redirects are not followed.
    """

    url: FolderUrl
    """HTTPS address of an existing folder on the WebDAV server. It is shown to every user, so it must not be secret."""
    user: Annotated[str, Field(min_length=1, max_length=254, pattern=r"^[^:\x00-\x1f]+$")] | None = None
    """User name for the login to the server (HTTP basic authentication). If omitted, requests have no login."""
    password: Secret | None = None
    """Password of the user. Never returned.

    If omitted, the stored password is retained as long as server and user do not change.
    """
    passphrase: Passphrase | None = None
    """Passphrase that encrypts the backups, of 12 to 256 characters. Never returned.

    The passphrase is stored on the appliance, encrypted like every other secret, and must also be stored elsewhere:
    without it, the backups cannot be restored. If omitted, the stored passphrase is retained. Earlier backups keep the
    passphrase they were encrypted with.
    """
    when: When = "0 3 * * *"
    """Cron expression with minute, hour, day of month, month and weekday, in the time zone of the appliance."""
    keep: BackupsKept = 14
    """Number of backups to retain on the server.

    The appliance deletes only backups that it stored there itself, and only after a newer one was stored.
    """
    certificate: bool = True
    """Whether the backups include the certificate with its private key."""

    @property
    def server(self) -> str:
        """Scheme, host and port of the server."""
        parts = urlsplit(self.url)
        return f"https://{parts.netloc.lower().removesuffix(':443')}"

    @model_validator(mode="after")
    def _has_a_user(self) -> "BackupSettings":
        if self.password is not None and self.user is None:
            raise ValueError("user: required with a password")
        return self


class Settings(Model):
    """All settings with their defaults. `SettingsPatch` describes each of them."""

    name: Name | None = None
    host_name: HostName | None = None
    time_zone: Zone = "UTC"
    session_hours: Hours = 12
    second_factor_required: bool = False
    history_days: Days = 400
    deleted_keep_hours: KeepHours = 24
    number_held_hours: Hours = 24
    disk_health_minutes: Minutes = 10
    short_test_days: TestDays = SHORT_DAYS
    long_test_days: TestDays = LONG_DAYS
    mail: MailSettings | None = None
    webhook: WebhookSettings | None = None
    syslog: SyslogSettings | None = None
    heartbeat: TimeOfDay | None = None
    trusted_ca: Certificates | None = None
    firewall: FirewallMode | None = None
    discovery_auth: DiscoveryAuth | None = None
    backup: BackupSettings | None = None

    def channel(self, channel: Channel) -> MailSettings | WebhookSettings | SyslogSettings | None:
        """The settings of a channel; None if it is not used."""
        found: MailSettings | WebhookSettings | SyslogSettings | None = getattr(self, channel.value)
        return found

    def present_host_name(self, host_name: str) -> str:
        """The host name. `host_name` is the one that this process has, which may be that of its start."""
        return self.host_name or host_name

    def shown_name(self, host_name: str) -> str:
        """The name of the appliance; `host_name` as for `present_host_name`."""
        return self.name or self.present_host_name(host_name)

    def channels(self) -> tuple[Channel, ...]:
        return tuple(channel for channel in Channel if self.channel(channel) is not None)


class SettingsPatch(Model):
    """Changes to the settings. An omitted field does not change."""

    name: Name | None = None
    """Name of the appliance. `null` restores the host name."""
    host_name: HostName | None = None
    """Host name of the operating system, without a domain. `null` leaves the present host name as it is."""
    time_zone: Zone | None = None
    """Time zone of schedules and of the heartbeat, as a name such as `Europe/Berlin` or `UTC`."""
    session_hours: Hours | None = None
    """Lifetime of a browser login in hours. A change applies to new logins only."""
    second_factor_required: bool | None = None
    """Whether every user must have a second factor.

    A user without one must set up a second factor before any other action. API tokens need none.
    """
    history_days: Days | None = None
    """Number of days for which events, finished jobs, resolved alerts and disk health data are retained."""
    deleted_keep_hours: KeepHours | None = None
    """Number of hours for which deleted volumes and snapshots can be recovered.

    0 erases them immediately when they are deleted.
    """
    number_held_hours: Hours | None = None
    """Number of hours for which the LUN or NSID of an unmapped volume is reserved.

    Until then, the number is not automatically assigned to another volume of the same hosts, which may still associate
    the number with the old volume. A new iSCSI or iSER login of the host can end the reservation sooner.
    """
    disk_health_minutes: Minutes | None = None
    """Interval in minutes at which the health of every disk is read."""
    short_test_days: TestDays | None = None
    """Interval between short self-tests of a disk, in days of power-on time. 0 disables them.

    A long self-test counts as a short one.
    """
    long_test_days: TestDays | None = None
    """Interval between long self-tests of a disk, in days of power-on time. 0 disables them."""
    mail: MailSettings | None = None
    """Settings of the mail channel. `null` removes the channel and discards its waiting messages."""
    webhook: WebhookSettings | None = None
    """Settings of the webhook channel. `null` removes the channel and discards its waiting messages."""
    syslog: SyslogSettings | None = None
    """Settings of the syslog channel. `null` removes the channel and discards its waiting messages."""
    heartbeat: TimeOfDay | None = None
    """Time of the daily heartbeat over every channel as `HH:MM`, in `time_zone`. `null` stops the heartbeat."""
    trusted_ca: Certificates | None = None
    """Certificates in PEM form of authorities that are trusted in addition to the system's own.

    They verify mail servers, log servers and webhooks. `null` removes them.
    """
    firewall: FirewallMode | None = None
    """Firewall mode. `null` restores the default: `managed` after installation from the ISO, otherwise `off`."""
    discovery_auth: DiscoveryAuth | None = None
    """CHAP login required for the discovery of iSCSI targets. `null` removes the login."""
    backup: BackupSettings | None = None
    """Settings of scheduled backups. `null` ends them; stored backups stay on the server."""

    @model_validator(mode="after")
    def _says_what_cannot_be_without(self) -> "SettingsPatch":
        self._refuse_null(
            *("name", "host_name", "mail", "webhook", "syslog", "heartbeat", "trusted_ca", "firewall"),
            *("discovery_auth", "backup"),
        )
        return self


SECRETS = {
    "mail": ("mail", "password"),
    "webhook.url": ("webhook", "url"),
    "webhook": ("webhook", "secret"),
    "discovery_auth": ("discovery_auth", "secret"),
    "discovery_auth.mutual": ("discovery_auth", "mutual_secret"),
    "backup": ("backup", "password"),
    "backup.passphrase": ("backup", "passphrase"),
}
"""Where a secret is sealed: the setting it belongs to, and its field in it."""

Holder = MailSettings | WebhookSettings | DiscoveryAuth | BackupSettings
"""A setting with secrets."""


def without_secrets(name: str, value: object) -> object:
    """A setting as it may be read."""
    for field in (field for setting, field in SECRETS.values() if setting == name):
        value = with_secret(value, field, None) if isinstance(value, Model) else value
    return value


def with_secret(value: Model, field: str, secret: SecretStr | None) -> Model:
    """A setting with what is sealed of it; without, an address is what is shown of it."""
    held = getattr(value, field)
    if isinstance(held, SecretUrl):
        secret = SecretUrl(secret.get_secret_value() if secret else held.shown)
    return value.model_copy(update={field: secret})


def secret_of(value: object, field: str) -> SecretStr | None:
    """What a setting gives to be sealed, None if it gives nothing."""
    found: SecretStr | None = getattr(value, field, None)
    return None if isinstance(found, SecretUrl) and not found.has_path else found


def is_alike(wanted: object, held: object) -> bool:
    """True if a document matches the present settings: a secret that it omits is the stored one."""
    if not isinstance(wanted, Holder) or not isinstance(held, Holder) or type(wanted) is not type(held):
        return False
    fields = {field for _, field in SECRETS.values() if field in type(wanted).model_fields}
    if wanted.model_dump(exclude=fields) != held.model_dump(exclude=fields):
        return False
    return all(_is_left(getattr(wanted, name), getattr(held, name)) for name in fields)


def _is_left(wanted: SecretStr | None, held: SecretStr | None) -> bool:
    if isinstance(wanted, SecretUrl) and isinstance(held, SecretUrl):
        return wanted.asks_for(held)
    return wanted in (None, held)


def user_of(key: str, value: object) -> str | None:
    """The user whose secret is sealed under this key: with one there must be a secret."""
    if isinstance(value, MailSettings) or (isinstance(value, DiscoveryAuth) and key == "discovery_auth"):
        return value.user
    if isinstance(value, BackupSettings):
        return value.user if key == "backup" else None
    return value.mutual_user if isinstance(value, DiscoveryAuth) else None


def same_peer(key: str, one: object, other: object) -> bool:
    """True if a secret stored for one, which has its secrets, may be used for the other: it is never sent to another
    server, or to another address of a server, without a request.
    """
    if isinstance(one, MailSettings) and isinstance(other, MailSettings):
        return (one.server, one.wanted_port, one.user) == (other.server, other.wanted_port, other.user) and (
            other.security is not MailSecurity.NONE
        )
    if isinstance(one, WebhookSettings) and isinstance(other, WebhookSettings):
        return other.url.asks_for(one.url)
    if isinstance(one, DiscoveryAuth) and isinstance(other, DiscoveryAuth):
        return user_of(key, one) == user_of(key, other) is not None
    if isinstance(one, BackupSettings) and isinstance(other, BackupSettings):
        return key == "backup.passphrase" or (one.server, one.user) == (other.server, other.user)
    return False
