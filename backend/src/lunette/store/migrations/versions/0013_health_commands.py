"""External arrays keep the name of the command that tells their health."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array", sa.Column("health_command", sa.String(63), nullable=True))
