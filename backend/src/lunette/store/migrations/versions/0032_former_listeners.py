"""Portals can be moved: they continue to listen at the previous place until they listen at the new one."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("portal", sa.Column("listener_id", sa.String(length=36), nullable=True))
    op.create_table(
        "former_listener",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("portal_id", sa.String(length=36), nullable=False),
        sa.Column("address", sa.String(length=45), nullable=False),
        sa.Column("port", sa.Integer(), nullable=False),
        sa.Column("adopted", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(
            ["portal_id"], ["portal.id"], name="fk_former_listener_portal_id_portal", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_former_listener"),
    )
    op.create_index("ix_former_listener_portal_id", "former_listener", ["portal_id"])
