"""What rows of a backup or of a sealed copy must look like before any of them is taken over.

Whoever wrote them may have been another appliance, or nobody's friend: each value that reaches the agent, a page or a
path is of the type that the API itself would have asked for. A test holds every column of text to a type or to FREE.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, Json, TypeAdapter, ValidationError
from sqlalchemy import Connection, Table, select

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayEngine, HealthCommand, Level, MemberRole, Raid10Layout, SpareGroup, WriteHole
from lunette.domain.border import (
    Address,
    ArrayUuid,
    DiskId,
    GroupName,
    Hex,
    Id,
    IscsiName,
    LvName,
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
from lunette.domain.jobs import JobState, ResourceState, StepState
from lunette.domain.mappings import ExportEngine, Family, Protocol
from lunette.domain.names import Name
from lunette.domain.roles import Role
from lunette.domain.schedules import MissedRuns, ScheduleAction
from lunette.domain.tuning import Scheduler
from lunette.domain.volumes import Provisioning
from lunette.store import access, journal, resources, schedules, settings, undo
from lunette.store.schema import Base

MOST_PROBLEMS = 5


def _day(value: str) -> str:
    """The value is not repeated where it is refused."""
    with suppress(ValueError):
        if date.fromisoformat(value).isoformat() == value:
            return value
    raise ValueError("expected a day, such as 2026-11-28")


Day = Annotated[str, AfterValidator(_day)]
_Adopted = Json[AdoptedBackstore] | None
_VOLUME: dict[str, Any] = {
    "id": Id, "array_id": Id, "name": Name, "state": ResourceState, "provisioning": Provisioning, "lv_name": LvName,
    "uuid": Id, "serial": Serial, "naa": Hex, "nguid": Id, "eui64": Hex, "backstore": _Adopted,
}  # fmt: skip
TYPES: dict[type[Base], dict[str, Any]] = {
    resources.Array: {
        "id": Id, "name": Name, "state": ResourceState, "engine": ArrayEngine, "level": Level, "uuid": ArrayUuid,
        "md_name": MdName, "group_name": GroupName, "layout": Raid10Layout | None, "write_hole": WriteHole,
        "scheduler": Scheduler | None, "health_command": HealthCommand | None, "spare_group": SpareGroup | None,
        "encryption": Encryption | None,
    },
    resources.ArrayDisk: {"disk_id": DiskId, "array_id": Id, "serial": Serial, "role": MemberRole},
    resources.DiskCount: {"disk_id": DiskId, "name": Text, "serial": Serial},
    resources.DiskReading: {
        "disk_id": DiskId, "serial": Serial, "day": Day, "state": DiskHealthState, "told": Json[HealthValues],
    },
    resources.Volume: _VOLUME,
    resources.DeletedVolume: _VOLUME,
    resources.Snapshot: {
        "id": Id, "name": Name, "state": ResourceState, "volume_id": Id, "lv_name": SnapshotName,
    },
    resources.DeletedSnapshot: {
        "id": Id, "name": Name, "state": ResourceState, "volume_id": Id, "lv_name": SnapshotName,
    },
    resources.Host: {
        "id": Id, "name": Name, "os_type": OsType, "chap_user": ChapUser | None,
        "chap_mutual_user": ChapUser | None,
        "dhchap_hash": DhHash | None, "dhchap_group": DhGroup | None,
    },
    resources.HostPathTrial: {"host_id": Id, "words": list[Text], "job_id": Id},
    resources.HostInitiator: {
        "id": Id, "host_id": Id, "kind": Literal["iqn", "wwpn", "nqn"], "name": IscsiName | PortName | NvmeName,
    },
    resources.HostGroup: {"id": Id, "name": Name},
    resources.HostGroupMember: {"host_id": Id, "host_group_id": Id},
    resources.Target: {
        "id": Id, "host_id": Id | None, "host_group_id": Id | None, "iqn": IscsiName, "nqn": NvmeName,
        "subsystem": Json[AdoptedSubsystem] | None,
    },
    resources.Mapping: {
        "id": Id, "volume_id": Id, "host_id": Id | None, "host_group_id": Id | None, "family": Family,
        "lun": Annotated[int, Field(ge=0, le=16383)],
    },
    resources.HeldNumber: {
        "initiator": IscsiName | PortName | NvmeName, "target_id": Id, "volume_id": Id, "volume_name": Name,
        "kind": Literal["iqn", "wwpn", "nqn"], "lun": Annotated[int, Field(ge=0, le=16383)], "isid": Hex | None,
    },
    resources.Portal: {
        "id": Id, "name": Name, "protocol": Protocol, "engine": ExportEngine, "address": Address | PortName,
        "adopted": Id | None, "port": Annotated[int, Field(ge=0, le=65535)],
    },
    resources.FcPort: {"id": Id, "wwpn": PortName, "mode": FcMode},
    resources.ReleaseRow: {"kind": Text, "ref": Text},
    resources.Meta: {"key": Text, "value": Text},
    schedules.Schedule: {
        "id": Id, "name": Name, "action": ScheduleAction, "cron": Text, "snapshot_name": Text, "missed": MissedRuns,
    },
    schedules.ScheduleSubject: {"id": Id, "schedule_id": Id, "volume_id": Id | None, "array_id": Id | None},
    schedules.ScheduleState: {"schedule_id": Id, "last_job_id": Id | None},
    schedules.ScheduledSnapshot: {"snapshot_id": Id, "schedule_id": Id, "volume_id": Id},
    schedules.CloneOrigin: {"volume_id": Id, "snapshot_id": Id},
    access.User: {"id": Id, "username": Text, "role": Role},
    access.SecondFactor: {"user_id": Id, "next_login": Hex | None, "recovery_hashes": list[Hex]},
    access.ApiToken: {"id": Id, "name": Text, "user_id": Id, "token_hash": Hex, "role": Role, "parent_id": Id | None},
    journal.Job: {"id": Id, "state": JobState, "kind": Text, "resource_kind": Text, "actor": Text},
    journal.JobStep: {"job_id": Id, "kind": Text, "state": StepState},
    journal.Event: {"kind": Text, "noun": Text, "ref": Text | None, "actor": Text},
    journal.Alert: {"id": Id, "key": Text, "severity": Severity, "acknowledged_by": Text | None},
    settings.SettingsRow: {"id": Id},
    undo.KeptState: {"noun": Text},
}  # fmt: skip
FREE = frozenset({
    "description", "password_hash", "title", "message", "detail", "cause", "fix", "note", "keep", "document", "sealed",
    "plan", "error", "payload", "data", "resource_ids",
})  # fmt: skip
"""Columns of text that is only shown, of secrets that only their key opens, and of documents that are read by models of
their own wherever they are used: steps of a job above all, which the agent takes as AnyStep and nothing else."""


@cache
def checks() -> dict[Table, dict[str, TypeAdapter[Any]]]:
    """A check for each column that has a type, by table."""
    return {
        model.metadata.tables[model.__tablename__]: {name: TypeAdapter(kind) for name, kind in types.items()}
        for model, types in TYPES.items()
    }


def problems(source: Connection) -> Iterator[str]:
    """What does not fit, naming table, row and column, and never the value."""
    for table, columns in checks().items():
        keys = [key.name for key in table.primary_key.columns]
        for row in source.execute(select(table)).mappings():
            for name, check in columns.items():
                try:
                    check.validate_python(row[name])
                except ValidationError as error:
                    where = " ".join(ascii(row[key])[:80] for key in keys)
                    yield f"{table.name} {where}: {name}: {error.errors(include_input=False)[0]['msg']}"
