"""Requirements for rows of a backup or of a sealed copy before any of them is used.

They may have been written by another appliance, or by an attacker: each value that reaches the agent, a page or a path
has the type that the API itself would require. A test assigns every text column to a type or to FREE.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, Json, TypeAdapter, ValidationError
from sqlalchemy import Column, Connection, Integer, RowMapping, Table, select
from sqlalchemy.exc import StatementError

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayEngine, HealthCommand, Level, MemberRole, Raid10Layout, SpareGroup, WriteHole
from lunette.domain.backups import BackupRecord
from lunette.domain.border import (
    Address,
    ArrayUuid,
    BackingName,
    DiskId,
    GroupName,
    Hex,
    Id,
    IscsiName,
    MdName,
    NvmeName,
    PortName,
    Serial,
    SnapshotName,
    Text,
)
from lunette.domain.dhchap import DhGroup, DhHash
from lunette.domain.disk_health import DiskHealthState, HealthValues
from lunette.domain.encryption import Encryption
from lunette.domain.exports import AdoptedBackstore, AdoptedSubsystem
from lunette.domain.fc import FcMode
from lunette.domain.hosts import ChapUser, OsType
from lunette.domain.jobs import JobKind, JobState, ResourceState, StepState
from lunette.domain.mappings import ExportEngine, Family, Protocol
from lunette.domain.names import Name
from lunette.domain.roles import Role
from lunette.domain.schedules import MissedRuns, ScheduleAction
from lunette.domain.tuning import Scheduler
from lunette.domain.uptime import LONGEST_S, Uptime
from lunette.domain.volumes import Provisioning
from lunette.store import access, journal, resources, schedules, settings, undo
from lunette.store.schema import Base

MOST_PROBLEMS = 5
_TEXT = TypeAdapter[str](Text)


def _day(value: str) -> str:
    """The value is not repeated where it is refused."""
    with suppress(ValueError):
        if date.fromisoformat(value).isoformat() == value:
            return value
    raise ValueError("expected a date, such as 2026-11-28")


def _moment(value: str) -> str:
    with suppress(ValueError):
        if datetime.fromisoformat(value).tzinfo is not None:
            return value
    raise ValueError("expected a time with its zone, such as 2026-11-28T12:00:00+00:00")


def _digits(most: int) -> AfterValidator:
    def check(value: str) -> str:
        if value.isascii() and value.isdecimal() and value == str(int(value)) and int(value) <= most:
            return value
        raise ValueError(f"expected a number up to {most}")

    return AfterValidator(check)


Day = Annotated[str, AfterValidator(_day)]
Moment = Annotated[str, AfterValidator(_moment)]
Number = Annotated[int, Field(strict=True, ge=0, le=2**63 - 1)]
"""The default range of a numeric column."""
Counted = Annotated[int, Field(strict=True, ge=0, le=2**53)]
"""A row's own number: the database continues counting above the highest, so the last possible number is not allowed."""
DueS = Annotated[int, Field(strict=True, ge=0, le=LONGEST_S)]
"""A moment in seconds of running."""
_Adopted = Json[AdoptedBackstore] | None
_VOLUME: dict[str, Any] = {
    "id": Id,
    "array_id": Id,
    "name": Name,
    "state": ResourceState,
    "provisioning": Provisioning,
    "lv_name": BackingName,
    "uuid": Id,
    "serial": Serial,
    "naa": Hex,
    "nguid": Id,
    "eui64": Hex,
    "backstore": _Adopted,
}
TYPES: dict[type[Base], dict[str, Any]] = {
    resources.Array: {
        "id": Id,
        "name": Name,
        "state": ResourceState,
        "engine": ArrayEngine,
        "level": Level,
        "uuid": ArrayUuid,
        "md_name": MdName,
        "group_name": GroupName,
        "layout": Raid10Layout | None,
        "write_hole": WriteHole,
        "scheduler": Scheduler | None,
        "health_command": HealthCommand | None,
        "spare_group": SpareGroup | None,
        "encryption": Encryption | None,
    },
    resources.ArrayDisk: {"disk_id": DiskId, "array_id": Id, "serial": Serial, "role": MemberRole},
    resources.DiskCount: {"disk_id": DiskId, "name": Text, "serial": Serial},
    resources.DiskReading: {
        "disk_id": DiskId,
        "serial": Serial,
        "day": Day,
        "state": DiskHealthState,
        "told": Json[HealthValues],
        "hottest_c": Annotated[int, Field(strict=True, ge=-273, le=1000)] | None,
    },
    resources.Volume: _VOLUME,
    resources.DeletedVolume: {**_VOLUME, "due_s": DueS},
    resources.Snapshot: {
        "id": Id,
        "name": Name,
        "state": ResourceState,
        "volume_id": Id,
        "lv_name": SnapshotName,
    },
    resources.DeletedSnapshot: {
        "id": Id,
        "name": Name,
        "state": ResourceState,
        "volume_id": Id,
        "lv_name": SnapshotName,
        "due_s": DueS,
    },
    resources.Host: {
        "id": Id,
        "name": Name,
        "os_type": OsType,
        "chap_user": ChapUser | None,
        "chap_mutual_user": ChapUser | None,
        "dhchap_hash": DhHash | None,
        "dhchap_group": DhGroup | None,
    },
    resources.HostPathTrial: {"host_id": Id, "words": list[Text], "job_id": Id},
    resources.HostLogin: {"host_id": Id},
    resources.HostInitiator: {
        "id": Id,
        "host_id": Id,
        "kind": Literal["iqn", "wwpn", "nqn"],
        "name": IscsiName | PortName | NvmeName,
    },
    resources.HostGroup: {"id": Id, "name": Name},
    resources.HostGroupMember: {"host_id": Id, "host_group_id": Id},
    resources.Target: {
        "id": Id,
        "host_id": Id | None,
        "host_group_id": Id | None,
        "iqn": IscsiName,
        "nqn": NvmeName,
        "subsystem": Json[AdoptedSubsystem] | None,
    },
    resources.Mapping: {
        "id": Id,
        "volume_id": Id,
        "host_id": Id | None,
        "host_group_id": Id | None,
        "family": Family,
        "lun": Annotated[int, Field(ge=0, le=16383)],
    },
    resources.HeldNumber: {
        "initiator": IscsiName | PortName | NvmeName,
        "target_id": Id,
        "volume_id": Id,
        "volume_name": Name,
        "kind": Literal["iqn", "wwpn", "nqn"],
        "lun": Annotated[int, Field(ge=0, le=16383)],
        "isid": Hex | None,
        "due_s": DueS,
    },
    resources.Portal: {
        "id": Id,
        "name": Name,
        "protocol": Protocol,
        "engine": ExportEngine,
        "address": Address | PortName,
        "adopted": Id | None,
        "port": Annotated[int, Field(ge=0, le=65535)],
        "listener_id": Id | None,
    },
    resources.FormerListener: {
        "id": Id,
        "portal_id": Id,
        "address": Address | PortName,
        "port": Annotated[int, Field(ge=0, le=65535)],
        "adopted": Id | None,
    },
    resources.FcPort: {"id": Id, "wwpn": PortName, "mode": FcMode},
    resources.ReleaseRow: {"kind": Text, "ref": Text},
    resources.Meta: {"key": Text},
    schedules.Schedule: {
        "id": Id,
        "name": Name,
        "action": ScheduleAction,
        "cron": Text,
        "snapshot_name": Text,
        "missed": MissedRuns,
    },
    schedules.ScheduleSubject: {"id": Id, "schedule_id": Id, "volume_id": Id | None, "array_id": Id | None},
    schedules.ScheduleState: {"schedule_id": Id, "last_job_id": Id | None},
    schedules.ScheduledSnapshot: {"snapshot_id": Id, "schedule_id": Id, "volume_id": Id},
    schedules.CloneOrigin: {"volume_id": Id, "snapshot_id": Id},
    access.User: {"id": Id, "username": Text, "role": Role},
    access.SecondFactor: {"user_id": Id, "next_login": Hex | None, "recovery_hashes": list[Hex]},
    access.ApiToken: {"id": Id, "name": Text, "user_id": Id, "token_hash": Hex, "role": Role, "parent_id": Id | None},
    journal.Job: {"id": Id, "state": JobState, "kind": JobKind, "resource_kind": Text, "actor": Text},
    journal.JobStep: {"job_id": Id, "kind": Text, "state": StepState},
    journal.Event: {"kind": Text, "noun": Text, "ref": Text | None, "actor": Text, "job_id": Id | None},
    journal.Alert: {"id": Id, "key": Text, "severity": Severity, "acknowledged_by": Text | None},
    settings.SettingsRow: {"id": Id},
    undo.KeptState: {"noun": Text},
}
FREE = frozenset(
    {
        "description",
        "password_hash",
        "title",
        "message",
        "detail",
        "cause",
        "fix",
        "note",
        "keep",
        "document",
        "sealed",
        "plan",
        "error",
        "payload",
        "data",
        "resource_ids",
    }
)
"""Columns of text that is only shown, of secrets that only their key opens, and of documents that are read by models of
their own wherever they are used: steps of a job above all, which the agent takes as AnyStep and nothing else."""
META: dict[str, Any] = {
    "database_id": Id,
    "appliance_id": Id,
    "schema_readable_from": Id,
    "export_generation": Annotated[str, _digits(2**53)],
    "api_port": Annotated[str, _digits(65535)],
    "uptime": Json[Uptime],
    "housekeeping.clock": Moment,
    "heartbeat_at": Moment,
    "scheduled_backups": Json[BackupRecord],
    "restored_certificate": Annotated[str, Field(max_length=1 << 20)],
}
"""The value of each key of the table `meta`; Text for those that a newer or an older version has."""


@cache
def checks() -> dict[Table, dict[str, TypeAdapter[Any]]]:
    """A check for each column that has a type, and for each of numbers, by table."""
    tables = [(table, TYPES.get(model, {})) for model, table in _tables()]
    return {
        table: {
            column.name: TypeAdapter(types.get(column.name) or _number(column))
            for column in table.columns
            if column.name in types or isinstance(column.type, Integer)
        }
        for table, types in tables
    }


def _tables() -> Iterator[tuple[type[Base], Table]]:
    for mapper in sorted(Base.registry.mappers, key=lambda mapper: mapper.class_.__tablename__):
        yield mapper.class_, Base.metadata.tables[mapper.class_.__tablename__]


def _number(column: Column[Any]) -> Any:
    kind = Counted if [*column.table.primary_key.columns] == [column] else Number
    return kind | None if column.nullable else kind


@cache
def _meta() -> dict[str, TypeAdapter[Any]]:
    return {key: TypeAdapter(kind) for key, kind in META.items()}


def problems(source: Connection) -> Iterator[str]:
    """What does not fit, naming table, row and column, and never the value."""
    for table, columns in checks().items():
        try:
            yield from _problems_of(source, table, columns)
        except (ValueError, TypeError, LookupError, StatementError):
            yield f"{table.name}: a time or a document in it cannot be read"


def _problems_of(source: Connection, table: Table, columns: dict[str, TypeAdapter[Any]]) -> Iterator[str]:
    keys = [key.name for key in table.primary_key.columns]
    for row in source.execute(select(table)).mappings():
        for name, check in _checks_of(table, columns, row):
            try:
                check.validate_python(row[name])
            except ValidationError as error:
                where = " ".join(ascii(row[key])[:80] for key in keys)
                yield f"{table.name} {where}: {name}: {error.errors(include_input=False)[0]['msg']}"


def _checks_of(
    table: Table, columns: dict[str, TypeAdapter[Any]], row: RowMapping
) -> Iterator[tuple[str, TypeAdapter[Any]]]:
    yield from columns.items()
    if table.name == resources.Meta.__tablename__:
        yield "value", _meta().get(row["key"], _TEXT)
