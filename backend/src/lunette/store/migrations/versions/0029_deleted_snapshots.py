"""Snapshots that were deleted and can be recovered for a while."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "deleted_snapshot",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("updated_at", _TIME, nullable=False),
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("volume_id", sa.String(length=36), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("lv_name", sa.String(length=127), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("deleted_at", _TIME, nullable=False),
        sa.Column("due_s", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deleted_snapshot"),
    )
    for column in ("name", "volume_id"):
        op.create_index(f"ix_deleted_snapshot_{column}", "deleted_snapshot", [column])
    op.create_index("ix_deleted_snapshot_deleted_at_id", "deleted_snapshot", ["deleted_at", "id"])
