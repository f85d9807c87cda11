"""Settings of the whole appliance: its name, its time zone, how long logins last, and whom alerts are told to."""

from enum import StrEnum
from typing import Annotated
from zoneinfo import ZoneInfo

from cryptography.x509 import load_pem_x509_certificates
from pydantic import AfterValidator, Field, SecretStr, model_validator

from lunette.domain.base import Model
from lunette.domain.firewall import FirewallMode
from lunette.domain.hosts import ChapSecret, ChapUser, check_chap_secrets
from lunette.domain.names import Name
from lunette.domain.secret_urls import SecretUrl
from lunette.domain.self_tests import LONG_DAYS, SHORT_DAYS
from lunette.domain.self_tests import Days as TestDays


class Channel(StrEnum):
    """A way alerts are told to people and machines."""

    MAIL = "mail"
    WEBHOOK = "webhook"
    SYSLOG = "syslog"


class MailSecurity(StrEnum):
    """starttls: encrypted after a greeting, port 587. tls: from the first byte, port 465. none: readable by all, 25."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"

    @property
    def port(self) -> int:
        return {MailSecurity.STARTTLS: 587, MailSecurity.TLS: 465, MailSecurity.NONE: 25}[self]


class SyslogTransport(StrEnum):
    """local: the appliance's own log. tcp and tls count octets (RFC 6587, RFC 5425)."""

    LOCAL = "local"
    UDP = "udp"
    TCP = "tcp"
    TLS = "tls"

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


Zone = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(check_zone)]
Certificates = Annotated[str, Field(min_length=1, max_length=65536), AfterValidator(check_certificates)]
HostName = Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[A-Za-z0-9][A-Za-z0-9.:-]*$")]
Port = Annotated[int, Field(ge=1, le=65535)]
Address = Annotated[str, Field(max_length=254, pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$")]
TimeOfDay = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Hours = Annotated[int, Field(ge=1, le=720)]
Days = Annotated[int, Field(ge=30, le=3650)]
KeepHours = Annotated[int, Field(ge=0, le=720)]
Minutes = Annotated[int, Field(ge=1, le=1440)]
Secret = Annotated[SecretStr, Field(min_length=1, max_length=1000)]


class MailSettings(Model):
    """Mail through one server. The certificate of the server is always checked. The password is never shown; left out,
    the one that is kept stays, as long as server, port and user are the same."""

    server: HostName
    port: Port | None = None
    security: MailSecurity = MailSecurity.STARTTLS
    user: Annotated[str, Field(min_length=1, max_length=254)] | None = None
    password: Secret | None = None
    sender: Address
    recipients: Annotated[tuple[Address, ...], Field(min_length=1, max_length=64)]

    @property
    def wanted_port(self) -> int:
        return self.port or self.security.port

    @model_validator(mode="after")
    def _password_stays_secret(self) -> "MailSettings":
        if self.security is MailSecurity.NONE and self.user is not None:
            raise ValueError("user: without tls or starttls anyone on the way could read the password")
        if self.password is not None and self.user is None:
            raise ValueError("user: a password needs the user it belongs to")
        return self


class WebhookSettings(Model):
    """An address that is sent each message as JSON by POST. Its path and query are secrets, for they often hold a
    token: only scheme, host and port are shown. Given like that, without a slash at the end, the stored address stays
    if it is of the same server. With a secret, each message is signed with it (HMAC-SHA256). The secret is never shown;
    left out, the one that is kept stays, as long as the address is the same."""

    url: SecretUrl
    secret: Annotated[SecretStr, Field(min_length=16, max_length=1000)] | None = None


class SyslogSettings(Model):
    """A log server (RFC 5424), or the appliance's own log. The certificate of a TLS server is always checked."""

    transport: SyslogTransport = SyslogTransport.UDP
    server: HostName | None = None
    port: Port | None = None

    @property
    def wanted_port(self) -> int:
        return self.port or self.transport.port

    @model_validator(mode="after")
    def _has_a_server(self) -> "SyslogSettings":
        if (self.server is None) != (self.transport is SyslogTransport.LOCAL):
            raise ValueError("server: every transport but local needs one, and local has none")
        if self.port is not None and self.transport is SyslogTransport.LOCAL:
            raise ValueError("port: local has none")
        return self


class DiscoveryAuth(Model):
    """What a host shows by CHAP before it is told the iSCSI targets, and with `mutual_user` what the appliance answers.
    The secrets are never shown; left out, those that are kept stay, as long as their users are the same."""

    user: ChapUser
    secret: ChapSecret | None = None
    mutual_user: ChapUser | None = None
    mutual_secret: ChapSecret | None = None

    @model_validator(mode="after")
    def _complete(self) -> "DiscoveryAuth":
        if self.mutual_secret is not None and self.mutual_user is None:
            raise ValueError("mutual_user: a mutual_secret needs the user it belongs to")
        check_chap_secrets(self.secret, self.mutual_secret)
        return self


class Settings(Model):
    """All settings. `name`: null for the host name. `heartbeat`: when each day every channel is told that the appliance
    is up, in its time zone; null for never. `second_factor_required`: whoever has no second factor has to set one up
    after the next login, before anything else. `history_days`: how long events, jobs that are over, resolved
    alerts and the health of disks are kept. `deleted_keep_hours`: how long a deleted volume or snapshot can be
    recovered; 0 erases it at once.
    `number_held_hours`: how long no other volume gets the LUN number or namespace id of a volume that was unmapped from
    the same hosts, unless they log in anew. `disk_health_minutes`: how often each drive is asked for its health.
    `short_test_days`, `long_test_days`: after how many days of being on each drive begins a short or a long self-test;
    0 for never. `trusted_ca`: authorities that are trusted beside the system's own. `firewall`: whether Lunette filters
    what comes to the machine; null for yes on a machine that the ISO installed, and no on any other. `discovery_auth`:
    the login that is asked for before a host is told the iSCSI targets; null for none."""

    name: Name | None = None
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

    def channel(self, channel: Channel) -> MailSettings | WebhookSettings | SyslogSettings | None:
        """How a channel is set up; None where it is not used."""
        found: MailSettings | WebhookSettings | SyslogSettings | None = getattr(self, channel.value)
        return found

    def channels(self) -> tuple[Channel, ...]:
        return tuple(channel for channel in Channel if self.channel(channel) is not None)


class SettingsPatch(Model):
    """Changes of the settings; an absent field stays, and null takes away what can be without."""

    name: Name | None = None
    time_zone: Zone | None = None
    session_hours: Hours | None = None
    second_factor_required: bool | None = None
    history_days: Days | None = None
    deleted_keep_hours: KeepHours | None = None
    number_held_hours: Hours | None = None
    disk_health_minutes: Minutes | None = None
    short_test_days: TestDays | None = None
    long_test_days: TestDays | None = None
    mail: MailSettings | None = None
    webhook: WebhookSettings | None = None
    syslog: SyslogSettings | None = None
    heartbeat: TimeOfDay | None = None
    trusted_ca: Certificates | None = None
    firewall: FirewallMode | None = None
    discovery_auth: DiscoveryAuth | None = None

    @model_validator(mode="after")
    def _says_what_cannot_be_without(self) -> "SettingsPatch":
        for name in (
            "time_zone",
            "session_hours",
            "second_factor_required",
            "history_days",
            "deleted_keep_hours",
            "number_held_hours",
            "disk_health_minutes",
            "short_test_days",
            "long_test_days",
        ):
            if name in self.model_fields_set and getattr(self, name) is None:
                raise ValueError(f"{name}: there is always one; leave the field out to let it stay")
        return self


SECRETS = {
    "mail": ("mail", "password"),
    "webhook.url": ("webhook", "url"),
    "webhook": ("webhook", "secret"),
    "discovery_auth": ("discovery_auth", "secret"),
    "discovery_auth.mutual": ("discovery_auth", "mutual_secret"),
}
"""Where a secret is sealed: the setting it belongs to, and its field in it."""

Holder = MailSettings | WebhookSettings | DiscoveryAuth
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
    """True if a document asks for what is there: a secret that it leaves out is the one that is kept."""
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
    return value.mutual_user if isinstance(value, DiscoveryAuth) else None


def same_peer(key: str, one: object, other: object) -> bool:
    """True if a secret that is kept for one, which has its secrets, may be used for the other: it never goes to
    another server unasked, nor to another address of one."""
    if isinstance(one, MailSettings) and isinstance(other, MailSettings):
        return (one.server, one.wanted_port, one.user) == (other.server, other.wanted_port, other.user) and (
            other.security is not MailSecurity.NONE
        )
    if isinstance(one, WebhookSettings) and isinstance(other, WebhookSettings):
        return other.url.asks_for(one.url)
    if isinstance(one, DiscoveryAuth) and isinstance(other, DiscoveryAuth):
        return user_of(key, one) == user_of(key, other) is not None
    return False
