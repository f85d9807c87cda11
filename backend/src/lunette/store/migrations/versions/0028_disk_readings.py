"""What each drive told of its health, day by day."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "disk_reading",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("disk_id", sa.String(length=255), nullable=False),
        sa.Column("serial", sa.String(length=255), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("hottest_c", sa.Integer(), nullable=True),
        sa.Column("told", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_disk_reading"),
    )
    op.create_index("ix_disk_reading_disk_id_day", "disk_reading", ["disk_id", "day"], unique=True)
    op.create_index("ix_disk_reading_day", "disk_reading", ["day"])
