"""What runs by the clock: schedules, how far each has come, and which snapshots each has taken."""

import datetime as dt

from sqlalchemy import JSON, BigInteger, ForeignKey, Integer, String, Text, true
from sqlalchemy.orm import Mapped, mapped_column, relationship

from lunette.store.schema import Base, Json, Resource, utc_now


class Schedule(Resource, Base):
    """The spec. What changes with each run is in ScheduleState, so that a run does not make an ETag old."""

    __tablename__ = "schedule"

    name: Mapped[str] = mapped_column(String(63), unique=True)
    action: Mapped[str] = mapped_column(String(16))
    when: Mapped[str] = mapped_column("cron", String(100))
    keep: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    snapshot_name: Mapped[str] = mapped_column(String(63))
    missed: Mapped[str] = mapped_column(String(16))
    enabled: Mapped[bool] = mapped_column(default=True, server_default=true())
    description: Mapped[str] = mapped_column(Text, default="")
    subjects: Mapped[list["ScheduleSubject"]] = relationship(
        order_by="ScheduleSubject.position", lazy="selectin", cascade="all, delete-orphan", passive_deletes=True
    )


class ScheduleSubject(Base):
    """A volume or an array a schedule is about. It goes with the volume or array."""

    __tablename__ = "schedule_subject"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    schedule_id: Mapped[str] = mapped_column(ForeignKey("schedule.id", ondelete="CASCADE"), index=True)
    position: Mapped[int]
    volume_id: Mapped[str | None] = mapped_column(ForeignKey("volume.id", ondelete="CASCADE"), index=True)
    array_id: Mapped[str | None] = mapped_column(ForeignKey("array.id", ondelete="CASCADE"), index=True)


class ScheduleState(Base):
    """`anchor_at`: up to here the clock was dealt with; what is due is counted from there. `last_job_id`: the newest
    run."""

    __tablename__ = "schedule_state"

    schedule_id: Mapped[str] = mapped_column(ForeignKey("schedule.id", ondelete="CASCADE"), primary_key=True)
    anchor_at: Mapped[dt.datetime]
    last_job_id: Mapped[str | None] = mapped_column(ForeignKey("job.id", ondelete="SET NULL"))


class ScheduledSnapshot(Base):
    """A snapshot that a schedule took, known by its id: only these are ever deleted by it. `seq` is their order."""

    __tablename__ = "scheduled_snapshot"
    __table_args__ = ({"sqlite_autoincrement": True},)

    seq: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)
    snapshot_id: Mapped[str] = mapped_column(ForeignKey("snapshot.id", ondelete="CASCADE"), unique=True)
    schedule_id: Mapped[str] = mapped_column(ForeignKey("schedule.id", ondelete="CASCADE"), index=True)
    volume_id: Mapped[str] = mapped_column(ForeignKey("volume.id", ondelete="CASCADE"))
    at: Mapped[dt.datetime] = mapped_column(default=utc_now)


class CloneOrigin(Base):
    """The snapshot a volume began as, as long as both are there."""

    __tablename__ = "clone_origin"

    volume_id: Mapped[str] = mapped_column(ForeignKey("volume.id", ondelete="CASCADE"), primary_key=True)
    snapshot_id: Mapped[str] = mapped_column(ForeignKey("snapshot.id", ondelete="CASCADE"), index=True)
