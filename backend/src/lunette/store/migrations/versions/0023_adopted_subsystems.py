"""Owners, volumes and portals keep what an adopted NVMe subsystem shows hosts, and where its port stands."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("target", sa.Column("subsystem", sa.Text(), nullable=True))
    op.add_column("portal", sa.Column("adopted", sa.String(length=16), nullable=True))
    for table in ("volume", "deleted_volume"):
        op.add_column(table, sa.Column("without_nguid", sa.Boolean(), nullable=False, server_default=sa.false()))
