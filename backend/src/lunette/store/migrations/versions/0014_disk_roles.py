"""Disks of an array have a role: a pool has log, cache and special disks and spares beside its data disks.

What was chosen of a dRAID's groups is kept too.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array_disk", sa.Column("role", sa.String(16), nullable=False, server_default="data"))
    op.add_column("array", sa.Column("group_data_disks", sa.Integer(), nullable=True))
    op.add_column("array", sa.Column("distributed_spares", sa.Integer(), nullable=True))
