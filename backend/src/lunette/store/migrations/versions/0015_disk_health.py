"""Counts that a drive keeps of its own errors, to see whether they grow."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "disk_count",
        sa.Column("disk_id", sa.String(length=255), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("serial", sa.String(length=255), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.Column("before", sa.BigInteger(), nullable=True),
        sa.Column("grew_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("disk_id", "name", name="pk_disk_count"),
    )
