"""Arrays keep how they are tuned; what is null is automatic."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array", sa.Column("group_thread_cnt", sa.Integer(), nullable=True))
    op.add_column("array", sa.Column("stripe_cache_size", sa.Integer(), nullable=True))
    op.add_column("array", sa.Column("skip_copy", sa.Boolean(), nullable=True))
    op.add_column("array", sa.Column("scheduler", sa.String(16), nullable=True))
