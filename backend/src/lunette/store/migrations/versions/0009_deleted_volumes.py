"""Volumes that were deleted and can be recovered for a while."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "deleted_volume",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("updated_at", _TIME, nullable=False),
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("array_id", sa.String(length=36), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("held_bytes", sa.BigInteger(), nullable=False),
        sa.Column("provisioning", sa.String(length=16), nullable=False),
        sa.Column("lv_name", sa.String(length=127), nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("serial", sa.String(length=64), nullable=False),
        sa.Column("naa", sa.String(length=32), nullable=False),
        sa.Column("nguid", sa.String(length=32), nullable=False),
        sa.Column("eui64", sa.String(length=16), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("deleted_at", _TIME, nullable=False),
        sa.Column("due_s", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["array_id"], ["array.id"], name="fk_deleted_volume_array_id", ondelete="RESTRICT"),
        sa.PrimaryKeyConstraint("id", name="pk_deleted_volume"),
        *(
            sa.UniqueConstraint(column, name=f"uq_deleted_volume_{column}")
            for column in ("uuid", "serial", "naa", "nguid", "eui64")
        ),
    )
    for column in ("name", "array_id"):
        op.create_index(f"ix_deleted_volume_{column}", "deleted_volume", [column])
