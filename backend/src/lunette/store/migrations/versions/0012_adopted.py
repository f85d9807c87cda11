"""Volumes keep what an adopted backstore shows hosts."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("volume", "deleted_volume"):
        op.add_column(table, sa.Column("backstore", sa.Text(), nullable=True))
