"""Arrays keep the pace of their rebuilds, and know which of their disks was replaced."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array", sa.Column("sync_speed_min_bytes_s", sa.BigInteger(), nullable=True))
    op.add_column("array", sa.Column("sync_speed_max_bytes_s", sa.BigInteger(), nullable=True))
    op.add_column("array_disk", sa.Column("leaving", sa.Boolean(), nullable=False, server_default=sa.false()))
