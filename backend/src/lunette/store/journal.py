"""What happened and what is under way: jobs with their steps, numbered events, alerts."""

import datetime as dt

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Integer, String, Text, case, false
from sqlalchemy.orm import Mapped, column_property, mapped_column

from lunette.domain.alerts import Severity
from lunette.domain.jobs import JobState, StepState
from lunette.store.schema import Base, Json, Resource, utc_now


class Job(Resource, Base):
    """Long work. `error` is a problem document; while it is set and the job runs, the job is taking its steps back."""

    __tablename__ = "job"
    __table_args__ = (Index("ix_job_state_created_at", "state", "created_at"), Index(None, "created_at", "id"))

    kind: Mapped[str] = mapped_column(String(32))
    title: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(16), default=JobState.PENDING.value)
    resource_kind: Mapped[str] = mapped_column(String(32))
    resource_ids: Mapped[list[str]] = mapped_column(JSON)
    plan: Mapped[Json] = mapped_column(JSON)
    actor: Mapped[str] = mapped_column(String(127))
    message: Mapped[str] = mapped_column(Text, default="")
    """What it is doing or how it ended, in words."""
    error: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    steps_total: Mapped[int]
    steps_done: Mapped[int] = mapped_column(default=0)
    started_at: Mapped[dt.datetime | None]
    finished_at: Mapped[dt.datetime | None]


class JobStep(Base):
    """One step of the journal: its payload is written with the job, its state before and after the agent is asked."""

    __tablename__ = "job_step"

    job_id: Mapped[str] = mapped_column(ForeignKey("job.id", ondelete="CASCADE"), primary_key=True)
    index: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    title: Mapped[str] = mapped_column(Text)
    payload: Mapped[Json] = mapped_column(JSON)
    state: Mapped[str] = mapped_column(String(16), default=StepState.PENDING.value)
    detail: Mapped[str] = mapped_column(Text, default="")
    error: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    started_at: Mapped[dt.datetime | None]
    finished_at: Mapped[dt.datetime | None]


class Event(Base):
    """One line of the log. `seq` grows in commit order because writers take turns."""

    __tablename__ = "event"
    __table_args__ = ({"sqlite_autoincrement": True},)

    seq: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)
    at: Mapped[dt.datetime] = mapped_column(default=utc_now)
    kind: Mapped[str] = mapped_column(String(64), index=True)
    noun: Mapped[str] = mapped_column(String(32))
    ref: Mapped[str | None] = mapped_column(String(255))
    actor: Mapped[str] = mapped_column(String(127))
    message: Mapped[str] = mapped_column(Text)
    data: Mapped[Json] = mapped_column(JSON)
    job_id: Mapped[str | None] = mapped_column(String(36), index=True)
    """Of the job it is about; None for an event of a step."""
    is_folded: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Another event of the same job reports the state of the operation."""


class Alert(Resource, Base):
    """One row per cause (`key`); it is raised again in place if the cause returns."""

    __tablename__ = "alert"

    key: Mapped[str] = mapped_column(String(255), unique=True)
    severity: Mapped[str] = mapped_column(String(16))
    message: Mapped[str] = mapped_column(Text)
    cause: Mapped[str] = mapped_column(Text)
    fix: Mapped[str] = mapped_column(Text)
    raised_at: Mapped[dt.datetime]
    resolved_at: Mapped[dt.datetime | None] = mapped_column(index=True)
    acknowledged_at: Mapped[dt.datetime | None]
    acknowledged_by: Mapped[str | None] = mapped_column(String(127))
    note: Mapped[str] = mapped_column(Text, default="")
    """The note of the acknowledgement."""
    silenced_until: Mapped[dt.datetime | None]
    """Until then it is not sent over any channel, even if it is raised again."""
    severity_rank: Mapped[int] = column_property(case({one.value: one.rank for one in Severity}, value=severity))
    """The order of severities: in a column of text, `warning` would come after `critical`."""
