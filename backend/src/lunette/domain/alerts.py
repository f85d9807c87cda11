"""Alerts: what a person must look at. They resolve by themselves when the cause is gone."""

from enum import StrEnum


class Severity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"
