"""Arrays of LVM RAID can keep checksums of each disk's copy."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array", sa.Column("integrity", sa.Boolean(), nullable=False, server_default=sa.false()))
