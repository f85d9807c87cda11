"""Hosts and host groups may have a deadline after which their paths open without missing volumes."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("host", "host_group"):
        op.add_column(table, sa.Column("opens_without_missing_after_s", sa.Integer(), nullable=True))
