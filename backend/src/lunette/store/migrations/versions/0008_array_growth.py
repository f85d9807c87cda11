"""Arrays remember that they grow until their new room can be used."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array", sa.Column("growing", sa.Boolean(), nullable=False, server_default=sa.false()))
