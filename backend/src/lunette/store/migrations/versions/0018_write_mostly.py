"""Disks of a mirror can be such that reads go to the others."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array_disk", sa.Column("write_mostly", sa.Boolean(), nullable=False, server_default=sa.false()))
