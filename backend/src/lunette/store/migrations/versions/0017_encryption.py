"""Encrypted arrays: how, and whether the appliance keeps a key."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array", sa.Column("encryption", sa.String(16), nullable=True))
    op.add_column("array", sa.Column("keep_key", sa.Boolean(), nullable=False, server_default=sa.false()))
