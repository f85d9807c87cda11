"""Schedules, settings, and messages that are on their way."""

import sqlalchemy as sa
from alembic import op

from lunette.store.schema import UtcTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_SEQ = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "schedule",
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("action", sa.String(length=16), nullable=False),
        sa.Column("cron", sa.String(length=100), nullable=False),
        sa.Column("keep", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("snapshot_name", sa.String(length=63), nullable=False),
        sa.Column("missed", sa.String(length=16), nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        *_resource(),
        sa.PrimaryKeyConstraint("id", name="pk_schedule"),
        sa.UniqueConstraint("name", name="uq_schedule_name"),
    )
    _subjects()
    _state()
    _snapshots()
    _settings()


def _resource() -> tuple[sa.Column[object], ...]:
    return (
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
    )


def _subjects() -> None:
    name = "schedule_subject"
    op.create_table(
        name,
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("schedule_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("volume_id", sa.String(length=36), nullable=True),
        sa.Column("array_id", sa.String(length=36), nullable=True),
        sa.ForeignKeyConstraint(["schedule_id"], ["schedule.id"], name=f"fk_{name}_schedule_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["volume_id"], ["volume.id"], name=f"fk_{name}_volume_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["array_id"], ["array.id"], name=f"fk_{name}_array_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{name}"),
    )
    for column in ("schedule_id", "volume_id", "array_id"):
        op.create_index(f"ix_{name}_{column}", name, [column], unique=False)


def _state() -> None:
    name = "schedule_state"
    op.create_table(
        name,
        sa.Column("schedule_id", sa.String(length=36), nullable=False),
        sa.Column("anchor_at", UtcTime(), nullable=False),
        sa.Column("last_job_id", sa.String(length=36), nullable=True),
        sa.ForeignKeyConstraint(["schedule_id"], ["schedule.id"], name=f"fk_{name}_schedule_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["last_job_id"], ["job.id"], name=f"fk_{name}_last_job_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("schedule_id", name=f"pk_{name}"),
    )


def _snapshots() -> None:
    name = "scheduled_snapshot"
    op.create_table(
        name,
        sa.Column("seq", _SEQ, autoincrement=True, nullable=False),
        sa.Column("snapshot_id", sa.String(length=36), nullable=False),
        sa.Column("schedule_id", sa.String(length=36), nullable=False),
        sa.Column("volume_id", sa.String(length=36), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["snapshot_id"], ["snapshot.id"], name=f"fk_{name}_snapshot_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["schedule_id"], ["schedule.id"], name=f"fk_{name}_schedule_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["volume_id"], ["volume.id"], name=f"fk_{name}_volume_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("seq", name=f"pk_{name}"),
        sa.UniqueConstraint("snapshot_id", name=f"uq_{name}_snapshot_id"),
        sqlite_autoincrement=True,
    )
    op.create_index(f"ix_{name}_schedule_id", name, ["schedule_id"], unique=False)
    op.create_table(
        "clone_origin",
        sa.Column("volume_id", sa.String(length=36), nullable=False),
        sa.Column("snapshot_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(["volume_id"], ["volume.id"], name="fk_clone_origin_volume_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["snapshot_id"], ["snapshot.id"], name="fk_clone_origin_snapshot_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("volume_id", name="pk_clone_origin"),
    )
    op.create_index("ix_clone_origin_snapshot_id", "clone_origin", ["snapshot_id"], unique=False)


def _settings() -> None:
    op.create_table(
        "settings",
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("sealed", sa.JSON(), nullable=False),
        *_resource(),
        sa.PrimaryKeyConstraint("id", name="pk_settings"),
    )
    op.create_table(
        "delivery",
        sa.Column("seq", _SEQ, autoincrement=True, nullable=False),
        sa.Column("channel", sa.String(length=16), nullable=False),
        sa.Column("message_id", sa.String(length=127), nullable=False),
        sa.Column("message", sa.JSON(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", UtcTime(), nullable=True),
        sa.Column("over_at", UtcTime(), nullable=True),
        sa.Column("is_told", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_delivery"),
        sa.UniqueConstraint("channel", "message_id", name="uq_delivery_channel_message_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_delivery_over_at", "delivery", ["over_at"], unique=False)
