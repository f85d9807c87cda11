"""Fibre Channel: the ports that are managed, and what each is to be."""

import sqlalchemy as sa
from alembic import op

from lunette.store.schema import UtcTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "fc_port",
        sa.Column("wwpn", sa.String(length=23), nullable=False),
        sa.Column("mode", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_fc_port"),
        sa.UniqueConstraint("wwpn", name="uq_fc_port_wwpn"),
    )
