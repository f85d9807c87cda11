"""md arrays of one spare group lend each other their spares."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array", sa.Column("spare_group", sa.String(63), nullable=True))
