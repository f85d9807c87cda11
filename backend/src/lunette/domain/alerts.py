"""Alerts: what a person must look at. They resolve by themselves when the cause is gone."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from lunette.domain.base import Model

YEAR_S = 365 * 86400


class Severity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """Higher is graver."""
        return list(Severity).index(self)


class AlertAcknowledge(Model):
    """That somebody knows of an alert and sees to it. `note` says what is done, or by whom."""

    note: Annotated[str, Field(max_length=1000)] = ""


class AlertSilence(Model):
    """The wish that an alert is told to nobody for `duration_s` seconds, a minute to a year, also if it comes back."""

    duration_s: Annotated[int, Field(ge=60, le=YEAR_S)]


class AlertFamily(StrEnum):
    """What an alert is about: its key begins with it (`array.health:<id>`)."""

    AGENT = "agent"
    ARRAY = "array"
    CLOCK = "clock"
    DELIVERY = "delivery"
    DISK = "disk"
    EXPORTS = "exports"
    FC_PORT = "fc_port"
    FIREWALL = "firewall"
    HOST = "host"
    INITIATOR = "initiator"
    INTERFACE = "interface"
    JOB = "job"
    LOGIN = "login"
    MAPPING = "mapping"
    PORTAL = "portal"
    SCHEDULE = "schedule"
    SEALED_COPY = "sealed_copy"
    SETTING = "setting"
    SPDK = "spdk"
    SUBSYSTEM = "subsystem"
    SYSTEM = "system"
    TARGET = "target"
    THIN_POOL = "thin_pool"


def family_of(key: str) -> AlertFamily | None:
    """The family of a key; None for what an earlier release raised and this one knows no more."""
    word = key.partition(":")[0].partition(".")[0]
    return next((family for family in AlertFamily if family == word), None)
