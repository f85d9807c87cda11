"""Disks of an array have a role: a pool has log, cache and special disks and spares beside its data disks."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array_disk", sa.Column("role", sa.String(16), nullable=False, server_default="data"))
